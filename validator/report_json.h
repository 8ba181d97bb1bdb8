/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report as JSON, for programs: the same cases as the KTAP, with each part of a difference as a
 * member of its own. docs/perfwake.1 describes the members.
 */
#ifndef PERFWAKE_REPORT_JSON_H
#define PERFWAKE_REPORT_JSON_H

#include "report_ktap.h"

/* A report under way. Zeroed, or with a NULL path: none is wanted, and nothing is done. */
struct report_json {
	const char *path;
	char *part;		/* where it is written to until it is whole */
	FILE *out;
	uint32_t planned, cases;
};

/* Begin the report of @cases cases. 0 or -errno, with @j->path still naming the file. */
int report_json_open(struct report_json *j, const char *path, const char *command, uint32_t cases);

void report_json_case(struct report_json *j, const struct report_case *r);

/* A case that was not judged: @outcome "skipped", "deviation" or "set-up", and why. */
void report_json_other(struct report_json *j, const char *file, const struct wake_case *c,
		       const char *outcome, const char *reason);

/* End it with perfwake's exit status; the file is there then, whole. 0 or -errno. */
int report_json_close(struct report_json *j, int status);

#endif
