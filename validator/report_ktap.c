// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdarg.h>

#include "defects.h"
#include "report_ktap.h"
#include "terminal.h"

/* A line that is a result. */
static void __attribute__((format(printf, 2, 3))) result(FILE *out, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	terminal_ktap(out, line);
	fflush(out);
}

void report_ktap_begin(FILE *out, uint32_t cases)
{
	fprintf(out, "KTAP version 1\n1..%" PRIu32 "\n", cases);
	fflush(out);
}

void report_ktap_case(FILE *out, uint32_t index, const struct report_case *r)
{
	const struct verdict *v = r->verdict;

	terminal_clear(out);
	switch (v->kind) {
	case VERDICT_PROVED:
		result(out, "ok %" PRIu32 " %s", index, r->wcase->name);
		return;
	case VERDICT_DEFECT:
		report_verdict(out, "# ", r->file, NULL, r->wcase, r->trace, r->store, v);
		result(out, "not ok %" PRIu32 " %s%s known defect %s", index, r->wcase->name,
		       r->strict ? "" : " # XFAIL", defect_ids(v->defects));
		return;
	case VERDICT_KERNEL:
	case VERDICT_EXPECTATION:
	case VERDICT_MISSING:
	case VERDICT_UNJUDGED:
		report_verdict(out, "# ", r->file, r->command, r->wcase, r->trace, r->store, v);
		break;
	}
	result(out, "not ok %" PRIu32 " %s", index, r->wcase->name);
}

void report_ktap_skip(FILE *out, uint32_t index, const struct wake_case *c, const char *reason)
{
	result(out, "ok %" PRIu32 " %s # SKIP %s", index, c->name, reason);
}

void report_ktap_xfail(FILE *out, uint32_t index, const struct wake_case *c, const char *id,
		       const char *reason)
{
	result(out, "not ok %" PRIu32 " %s # XFAIL %s: %s", index, c->name, id, reason);
}

void report_ktap_set_up(FILE *out, uint32_t index, const char *file, const struct wake_case *c,
			uint32_t step, const char *reason)
{
	terminal_clear(out);
	fprintf(out, "# %s", file);
	if (step < c->nsteps)
		fprintf(out, ":%" PRIu32, c->steps[step].line);
	fprintf(out, ": not judged: %s\n", reason);
	result(out, "not ok %" PRIu32 " %s", index, c->name);
}

void report_ktap_bail_out(FILE *out, const char *reason)
{
	result(out, "Bail out! %s", reason);
}
