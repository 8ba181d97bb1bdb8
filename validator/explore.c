// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "explore.h"

#define ROUNDS		2u	/* wakes after the interruption by which the counters are checked */
#define MAX_VISITS	8u	/* of one place by one writer; a loop over pages comes by more often */

int explorer_open(struct explorer *x, struct instruments *with, bool quick, const char *only)
{
	struct explore_case *e;
	int ret = 0;

	_Static_assert(EXPLORE_MAX_SITUATIONS >= 80, "the table grows");
	x->with = with;
	x->ncases = 0;
	for (uint32_t i = 0; !ret && i < situation_count; i++) {
		if (only ? strcmp(only, situations[i].name) : quick && !situations[i].quick)
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

int explore_place(struct explorer *x, const struct place *place, struct explored *result)
{
	int ret;

	*result = (struct explored){ .place = *place };
	ret = injector_peek(&x->with->injector, place, result->bytes, sizeof(result->bytes));
	if (!ret)
		ret = injector_go(&x->with->injector, place);
	if (ret == -EILSEQ || ret == -EINVAL) {
		result->refused = true;
		return 0;
	}
	if (ret) {
		snprintf(x->error.reason, sizeof(x->error.reason), "%s+0x%x: %s", place->function,
			 place->offset, strerror(-ret));
		return ret;
	}
	/* The scouts first: where none of them comes by, no other does. */
	for (int pass = 0; !ret && pass < 2; pass++)
		for (uint32_t i = 0; !ret && i < x->ncases; i++)
			if (x->cases[i].situation->scout == !pass && (!pass || result->reached))
				ret = run_visits(x, result, i);
	return ret;
}
