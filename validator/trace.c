// SPDX-License-Identifier: GPL-2.0
#include "trace.h"

uint32_t trace_capacity(const struct wake_case *c)
{
	/* A correct kernel needs at most one entry a sample and one a step; twice that shows what a wrong one repeats. */
	return 2 * (case_samples(c) + c->nsteps) + 1;
}
