// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "defects.h"
#include "report_ktap.h"

void report_ktap_begin(FILE *out, uint32_t cases)
{
	fprintf(out, "KTAP version 1\n1..%" PRIu32 "\n", cases);
	fflush(out);
}

void report_ktap_case(FILE *out, uint32_t index, const struct report_case *r)
{
	const struct verdict *v = r->verdict;

	switch (v->kind) {
	case VERDICT_PROVED:
		fprintf(out, "ok %" PRIu32 " %s\n", index, r->wcase->name);
		fflush(out);
		return;
	case VERDICT_DEFECT:
		report_verdict(out, "# ", r->file, NULL, r->wcase, r->trace, r->store, v);
		fprintf(out, "not ok %" PRIu32 " %s%s known defect %s\n", index, r->wcase->name,
			r->strict ? "" : " # XFAIL", defect_ids(v->defects));
		fflush(out);
		return;
	case VERDICT_KERNEL:
	case VERDICT_EXPECTATION:
	case VERDICT_MISSING:
	case VERDICT_UNJUDGED:
		report_verdict(out, "# ", r->file, r->command, r->wcase, r->trace, r->store, v);
		break;
	}
	fprintf(out, "not ok %" PRIu32 " %s\n", index, r->wcase->name);
	fflush(out);
}

void report_ktap_skip(FILE *out, uint32_t index, const struct wake_case *c, const char *reason)
{
	fprintf(out, "ok %" PRIu32 " %s # SKIP %s\n", index, c->name, reason);
	fflush(out);
}

void report_ktap_xfail(FILE *out, uint32_t index, const struct wake_case *c, const char *id,
		       const char *reason)
{
	fprintf(out, "not ok %" PRIu32 " %s # XFAIL %s: %s\n", index, c->name, id, reason);
	fflush(out);
}

void report_ktap_set_up(FILE *out, uint32_t index, const char *file, const struct wake_case *c,
			uint32_t step, const char *reason)
{
	fprintf(out, "# %s", file);
	if (step < c->nsteps)
		fprintf(out, ":%" PRIu32, c->steps[step].line);
	fprintf(out, ": not judged: %s\nnot ok %" PRIu32 " %s\n", reason, index, c->name);
	fflush(out);
}

void report_ktap_bail_out(FILE *out, const char *reason)
{
	fprintf(out, "Bail out! %s\n", reason);
	fflush(out);
}
