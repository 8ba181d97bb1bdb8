/* SPDX-License-Identifier: GPL-2.0 */
/* What a ring is like when one writer interrupts another: the cases that explore performs at each place. */
#ifndef PERFWAKE_SITUATIONS_H
#define PERFWAKE_SITUATIONS_H

#include "trace_file.h"

struct situation {
	const char *name;
	struct ring_spec ring;		/* on CPU 0; pages 0 means 1 */
	uint32_t before;		/* samples of 8 bytes in the ring */
	uint32_t large;			/* and before them, samples of 396 bytes, each a record of 408 */
	bool drained;			/* the reader has consumed them */
	uint32_t lost;			/* outputs refused since the last LOST record */
	bool paused;
	uint32_t size;			/* payload bytes of the sample that is interrupted, 0: 8 */
	uint32_t inner_size;		/* of those that interrupt it, 0: as @size */
	uint32_t inner;			/* how many, 0: 1 */
	bool overflow;			/* it is another event's */
	bool scout;			/* one of those that together reach all of a writer's way */
	bool quick;			/* of the short set */
	bool within;			/* of two interruptions within one another: only for pairs of places */
};

extern const struct situation situations[];
extern const uint32_t situation_count;

/* A situation with all that performing and judging it takes. */
struct explore_case {
	const struct situation *situation;
	struct wake_case wcase;		/* the place is for the caller to fill in */
	struct trace trace;
	struct verdict_workspace work;
};

/* Room for the samples after an interruption by which its aftermath is shown. */
#define AFTERMATH_SAMPLES 5000u

/*
 * The case of @s. What follows the interrupted sample is laid out so that every counter shows: up to one short of
 * the next wake, which must be quiet, then one more, which must be ready, @rounds times. With @rounds 0:
 * AFTERMATH_SAMPLES samples, a look after each. 0 or -ENOMEM; explore_case_close() accepts a zeroed one.
 */
int explore_case_open(struct explore_case *e, const struct situation *s, uint32_t rounds);
void explore_case_close(struct explore_case *e);

#endif
