// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "explore.h"

#define ROUNDS		2u	/* wakes after the interruption by which the counters are checked */
#define MAX_VISITS	8u	/* of one place by one writer; a loop over pages comes by more often */

static bool taken_up(const struct situation *s, enum explore_set set)
{
	switch (set) {
	case EXPLORE_ALL:
		return !s->within;
	case EXPLORE_QUICK:
		return s->quick;
	case EXPLORE_WITHIN:
		return s->within;
	}
	return false;
}

int explorer_open(struct explorer *x, struct instruments *with, enum explore_set set,
		  const char *only)
{
	struct explore_case *e;
	int ret = 0;

	_Static_assert(EXPLORE_MAX_SITUATIONS >= 110, "the table grows");
	x->with = with;
	x->ncases = 0;
	x->block = (struct place){ 0 };
	for (uint32_t i = 0; !ret && i < situation_count; i++) {
		if (!taken_up(&situations[i], set) || (only && strcmp(only, situations[i].name)))
			continue;
		e = &x->cases[x->ncases];
		ret = explore_case_open(e, &situations[i], ROUNDS);
		x->ncases += !ret;
		if (!ret)
			ret = runner_open(&x->runners[x->ncases - 1], &e->wcase, with, &e->trace,
					  &x->error);
	}
	if (!ret && !x->ncases)
		ret = -ENOENT;
	if (ret)
		explorer_close(x);
	return ret;
}

void explorer_close(struct explorer *x)
{
	while (x->ncases) {
		runner_close(x->runners[--x->ncases]);
		x->runners[x->ncases] = NULL;
		explore_case_close(&x->cases[x->ncases]);
	}
}

/* Perform and judge once. -ENXIO: this situation does not lead there. */
static int run(struct runner *r, struct explore_case *e, struct verdict *v)
{
	int ret;

	ret = runner_again(r);
	if (!ret)
		verdict_trace(&e->trace, &e->work, v);
	return ret;
}

/* Is the threshold of @s the lower one? A watermark counts bytes, not samples, and comes last. */
static bool lower(const struct situation *s, const struct situation *than)
{
	if (s->ring.by_watermark != than->ring.by_watermark)
		return than->ring.by_watermark;
	return s->ring.threshold < than->ring.threshold;
}

static void note(struct explorer *x, struct explored *result, struct explore_case *e,
		 const struct verdict *v)
{
	result->runs++;
	result->shows = (result->shows ^ (v->moment << 16 | v->defects << 8 | v->kind)) * 0x100000001b3;
	if (v->kind == VERDICT_PROVED)
		return;
	for (uint32_t i = 0; i <= DEFECTS; i++) {
		uint32_t bit = i < DEFECTS ? defects[i].bit : 0;

		if (bit ? !(v->kind == VERDICT_DEFECT && v->defects & bit) :
			  v->kind == VERDICT_DEFECT)
			continue;
		result->defects |= bit;
		result->broken += !bit;
		if (bit && !e->situation->ring.by_watermark &&
		    (!result->worst[i] || lower(result->worst[i], e->situation)))
			result->worst[i] = e->situation;
		if (result->smallest[i] && !lower(e->situation, result->smallest[i]))
			continue;
		result->smallest[i] = e->situation;
		if (x->found)
			x->found(x->ctx, result, e, bit, v);
	}
}

/* One situation, each time that its writer comes by. Returns 0 also where it never does. */
static int run_visits(struct explorer *x, struct explored *result, uint32_t i)
{
	struct explore_case *e = &x->cases[i];
	uint32_t visits = 1;
	struct verdict v;

	e->wcase.place = result->place;
	for (uint32_t visit = 0; visit < visits && visit < MAX_VISITS; visit++) {
		int ret;

		e->wcase.place.visit = visit;
		ret = run(x->runners[i], e, &v);
		if (ret == -ENXIO)
			return 0;
		if (ret)
			return ret;
		result->reached = true;
		visits = x->error.visits;
		note(x, result, e, &v);
	}
	return 0;
}

/* What kind of writer does @s interrupt? */
static uint32_t kind(const struct situation *s)
{
	return 1u << s->overflow;
}

#define REFUSED 1	/* by the kernel, as a place for a kprobe: no fault of ours */

/* What going to or watching a place returned: 0, REFUSED, or -errno with the reason. */
static int moved(struct explorer *x, const struct place *place, int ret)
{
	if (ret == -EILSEQ || ret == -EINVAL)
		return REFUSED;
	if (ret)
		snprintf(x->error.reason, sizeof(x->error.reason), "%s+0x%x: %s", place->function,
			 place->offset, strerror(-ret));
	return ret;
}

/* Send the scouts, those of @wanted, past the addresses from @place on; @came: who passed the first. */
static int watch(struct explorer *x, const struct place *place, uint64_t wanted, uint64_t *came)
{
	int ret = moved(x, place, injector_watch(&x->with->injector, place));

	x->block = *place;
	x->watched = x->with->injector.width;
	memset(x->kinds, 0, sizeof(x->kinds));
	*came = 0;
	for (uint32_t i = 0, scout = 0; !ret && i < x->ncases; i++) {
		const struct situation *s = x->cases[i].situation;
		uint32_t passed = 0;

		if (!s->scout && x->ncases > 1)
			continue;
		if (wanted & 1ull << scout)
			ret = runner_scout(x->runners[i], &passed);
		if (passed & 1)
			*came |= 1ull << scout;
		for (uint32_t address = 0; address < x->watched; address++)
			if (passed & 1u << address)
				x->kinds[address] |= kind(s);
		scout++;
	}
	return ret;
}

/* Which kinds of writers come by @place? Who does not come in at a function's entry is nowhere in it. */
static int find_kinds(struct explorer *x, const struct place *place, uint32_t *kinds)
{
	struct place entry = *place;
	uint64_t ignored;
	int ret = 0;

	entry.offset = 0;
	if (strcmp(x->block.function, place->function)) {
		/* A part that was moved out of the way is come to by jumps. */
		ret = strstr(place->function, ".cold") ? REFUSED :
		      watch(x, &entry, ~0ull, &x->entered);
		if (ret == REFUSED) {
			x->entered = ~0ull;
			ret = 0;
		}
	}
	if (!ret && (strcmp(x->block.function, place->function) ||
		     place->offset - x->block.offset >= x->watched))
		ret = watch(x, place, x->entered, &ignored);
	*kinds = ret ? 0 : x->kinds[place->offset - x->block.offset];
	return ret;
}

int explore_pair(struct explorer *x, const struct place *outer, const struct place *inner,
		 struct explored *result)
{
	int ret = 0;

	*result = (struct explored){ .place = *outer };
	for (uint32_t i = 0; !ret && i < x->ncases; i++) {
		x->cases[i].wcase.within = *inner;
		ret = run_visits(x, result, i);
	}
	return ret;
}

static int run_all(struct explorer *x, struct explored *result, uint32_t kinds)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < x->ncases; i++)
		if (kinds & kind(x->cases[i].situation))
			ret = run_visits(x, result, i);
	if (!ret && (result->defects || result->broken))
		ret = injector_peek(&x->with->injector, &result->place, result->bytes,
				    sizeof(result->bytes));
	return ret;
}

int explore_place(struct explorer *x, const struct place *place, struct explored *result)
{
	uint32_t kinds;
	int ret;

	*result = (struct explored){ .place = *place };
	ret = find_kinds(x, place, &kinds);
	if (!ret && kinds)
		ret = moved(x, place, injector_go(&x->with->injector, place));
	if (!ret && kinds)
		ret = run_all(x, result, kinds);
	result->refused = ret == REFUSED;
	return ret == REFUSED ? 0 : ret;
}
