// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "explore_pairs.h"

bool standins_note(struct standins *s, const struct explored *r)
{
	if (!r->reached)
		return true;
	if (s->count && s->shows == r->shows &&
	    !strcmp(s->places[s->count - 1].function, r->place.function))
		return true;
	if (s->count == EXPLORE_MAX_STANDINS)
		return false;
	s->places[s->count++] = r->place;
	s->shows = r->shows;
	return true;
}

int explore_within(struct explorer *x, const struct standins *s, uint32_t outer,
		   struct explored_pairs *pairs)
{
	int ret = 0;

	for (uint32_t inner = 0; !ret && inner < s->count; inner++) {
		struct explored r;

		ret = explore_pair(x, &s->places[outer], &s->places[inner], &r);
		pairs->reached += r.reached;
		pairs->runs += r.runs;
		pairs->broken += r.broken;
		for (int i = 0; i < DEFECTS; i++)
			pairs->seen[i] += !!(r.defects & defects[i].bit);
	}
	return ret;
}
