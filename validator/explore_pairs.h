/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two interruptions within one another. All pairs of instructions would be some 30,000 for one function; so of
 * those in a row at which one interruption shows the same in every situation, the first stands for
 * all, as outer and as inner place.
 */
#ifndef PERFWAKE_EXPLORE_PAIRS_H
#define PERFWAKE_EXPLORE_PAIRS_H

#include "explore.h"

#define EXPLORE_MAX_STANDINS 512

/* The places that stand for all. */
struct standins {
	struct place places[EXPLORE_MAX_STANDINS];
	uint32_t count;
	uint64_t shows;		/* what the last one did */
};

/* Note what came of a place; places have to come in order. False: no room. */
bool standins_note(struct standins *s, const struct explored *r);

/* What came of pairs of places. */
struct explored_pairs {
	uint32_t reached;		/* both, in one situation at least */
	uint32_t runs;
	uint32_t seen[DEFECTS];		/* at how many pairs */
	uint32_t broken;		/* runs that no two moments explain */
};

/* Every stand-in within the one at index @outer of @s; adds to @pairs. Returns as explore_pair() does. */
int explore_within(struct explorer *x, const struct standins *s, uint32_t outer,
		   struct explored_pairs *pairs);

#endif
