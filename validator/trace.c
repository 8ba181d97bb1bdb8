// SPDX-License-Identifier: GPL-2.0
#include "trace.h"

uint32_t trace_capacity(const struct wake_case *c)
{
	uint32_t samples = case_samples(c);
	uint64_t entries = samples + c->nsteps;

	/* What is read in overwrite mode stays, and is read again. */
	for (uint32_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].kind == STEP_CONSUME && c->rings[c->steps[i].ring].overwrite)
			entries += samples;
	/* That is what a correct kernel needs at most; twice that shows what a wrong one repeats. */
	return entries < UINT32_MAX / 4 ? 2 * (uint32_t)entries + 1 : UINT32_MAX / 2;
}
