/* SPDX-License-Identifier: GPL-2.0 */
/* The results of one guest, as vm/run.sh leaves them: results.ktap read again, for reports. */
#ifndef PERFWAKE_RESULTS_FILE_H
#define PERFWAKE_RESULTS_FILE_H

#include <stdbool.h>
#include <stdint.h>

enum outcome {
	OUTCOME_NONE,		/* no such result */
	OUTCOME_PASSED,
	OUTCOME_SKIPPED,
	OUTCOME_KNOWN,		/* XFAIL: failed as it is known to */
	OUTCOME_FAILED,
	OUTCOMES
};

/* One of the finest results: of a test that lists results each of these, else the test itself. */
struct result {
	char *name;		/* "TEST/RESULT", or "TEST" */
	char *remark;		/* behind "#", or "" */
	char *said;		/* what was printed in front of a result that failed, or NULL */
	enum outcome outcome;
	const char *rules;	/* for whoever knows which it proves; borrowed, NULL by default */
};

/* What one folder holds; owns all strings. */
struct results {
	struct result *results;
	uint32_t count;
	char *notes;		/* lines about the run: QEMU, kernel, what went wrong, status */
	char *log;		/* lines of the kernel's log and console that mean trouble */
	char *seeds;		/* lines of tests that tell their seed */
	int status;		/* that vm/run.sh ended with, -1 where the file breaks off before it */
};

/* Read @path. Returns 0, -errno, or -ENOMEM; on error @r holds nothing. */
int results_read(const char *path, struct results *r);
void results_free(struct results *r);

/* Add a result; @test and @said may be NULL. 0 or -ENOMEM. */
int results_add(struct results *r, const char *test, const char *name, enum outcome outcome,
		const char *remark, const char *said);

#endif
