/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace: a case with what was seen at each step. The only bridge between the side that needs a
 * kernel (runner) and the side that judges (verdict). It holds no opinion.
 */
#ifndef PERFWAKE_TRACE_H
#define PERFWAKE_TRACE_H

#include "case.h"

/* A kernel version as one number; stable releases above 255 count as 255, as the kernel has it. */
#define TRACE_KERNEL(major, minor, patch) \
	((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | ((patch) > 255 ? 255u : (uint32_t)(patch)))

struct trace {
	const struct wake_case *wcase;
	struct value *seen;		/* one for each step of the case; has == 0: not performed */
	struct value_store store;	/* what @seen points into */
	uint32_t kernel;		/* TRACE_KERNEL() that it was seen on; 0: not said, taken as the newest */
};

/* Entries that each array of a store needs to hold whatever a run of @c can show, faults included. */
uint32_t trace_capacity(const struct wake_case *c);

#endif
