/* SPDX-License-Identifier: GPL-2.0 */
/* The results of a run as a list, for the formats of CI. */
#ifndef VM_EXPORT_H
#define VM_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum outcome { FAILED, PASSED, SKIPPED, OUTCOMES };

/* One finest result. Texts are never NULL. */
struct result {
	enum outcome outcome;
	char *name;
	char *reason;	/* what its line says behind #, with a directive */
	char *details;	/* what a failed one said */
};

/* One test of the run; the results below it follow one another. */
struct test {
	enum outcome outcome;
	char *name;
	char *reason;
	size_t first, results;	/* into the list of results */
};

struct export {
	struct result *result;
	size_t results;
	struct test *test;
	size_t tests;
	char **note;		/* comments of the run: machine, kernel, its log, status */
	size_t notes;
	unsigned long total[OUTCOMES];
	char *kernel;		/* release, or NULL if none began */
	int status;		/* -1 if the run says none */
	bool partial;		/* the guest ended too early */
};

/* export_json.c, export_junit.c: write the whole file; errors are left in it. */
void export_json(FILE *f, const struct export *e);
void export_junit(FILE *f, const struct export *e);

#endif
