// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* The largest case that fuzz_generate() makes decides what all of them are given. */
int fuzz_case_open(struct fuzz_case *f)
{
	uint32_t entries = 2 * (FUZZ_MAX_SAMPLES + FUZZ_MAX_STEPS) + FUZZ_MAX_OVERWRITE;

	memset(f, 0, sizeof(*f));
	for (uint32_t id = 0; id < 3; id++)
		f->wcase.rings[id] = (struct ring_spec){ .pages = 16, .declared = true };
	f->trace.wcase = &f->wcase;
	f->trace.seen = calloc(FUZZ_MAX_STEPS, sizeof(*f->trace.seen));
	f->work.records = calloc(model_records(&f->wcase), sizeof(*f->work.records));
	if (f->trace.seen && f->work.records && !value_store_alloc(&f->trace.store, entries) &&
	    !value_store_alloc(&f->work.store, entries))
		return 0;
	fuzz_case_close(f);
	return -ENOMEM;
}

void fuzz_case_close(struct fuzz_case *f)
{
	trace_free(&f->trace);
	verdict_workspace_free(&f->work);
}

int fuzz_perform(struct fuzz_case *f, struct instruments *with,
		 struct runner_error *err)
{
	int ret;

	value_store_clear(&f->trace.store);
	memset(f->trace.seen, 0, f->wcase.nsteps * sizeof(*f->trace.seen));
	ret = runner_run(&f->wcase, with, &f->trace, err);
	if (!ret)
		verdict_trace(&f->trace, &f->work, &f->verdict);
	return ret;
}
