/* SPDX-License-Identifier: GPL-2.0 */
/* The report as KTAP, version 1: one result a case, differences as diagnostics in front of it. */
#ifndef PERFWAKE_REPORT_KTAP_H
#define PERFWAKE_REPORT_KTAP_H

#include "report_words.h"

/* What is reported of one case. */
struct report_case {
	const char *file;		/* as given by the user */
	const char *command;		/* "run" or "replay", for the line that reproduces it */
	const struct wake_case *wcase;
	const struct trace *trace;
	const struct value_store *store;	/* of the verdict's workspace */
	const struct verdict *verdict;
	bool strict;			/* a known defect is a failure like any other */
};

void report_ktap_begin(FILE *out, uint32_t cases);
void report_ktap_case(FILE *out, uint32_t index, const struct report_case *r);

/* A case that is declared not to be performed. */
void report_ktap_skip(FILE *out, uint32_t index, const struct wake_case *c, const char *reason);

/* A case that showed a known deviation. */
void report_ktap_xfail(FILE *out, uint32_t index, const struct wake_case *c, const char *id,
		       const char *reason);

/* A case that could not be performed: not ok, and not judged. */
void report_ktap_set_up(FILE *out, uint32_t index, const char *file, const struct wake_case *c,
			uint32_t step, const char *reason);

void report_ktap_bail_out(FILE *out, const char *reason);

#endif
