// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include "explore_aftermath.h"
#include "trace_text.h"

/* What a reader is told after an interruption. */
struct telling {
	enum readiness readiness;	/* by the look right behind it */
	uint32_t wakes;			/* in the AFTERMATH_SAMPLES after that */
	uint32_t first;			/* of these samples, the one that woke first, from 1 */
};

static struct telling tell(const struct explore_case *c, const struct value_store *st,
			   const struct value *look, const struct value *last)
{
	uint32_t begin = case_samples(&c->wcase) - AFTERMATH_SAMPLES;
	struct telling t = { .readiness = look->readiness, .first = AFTERMATH_SAMPLES };

	for (uint32_t i = 0; i < last->ready_at.count; i++) {
		const struct range *r = &st->ready_at[last->ready_at.start + i];

		t.wakes += r->last - r->first + 1;
		if (!i)
			t.first = r->first - begin + 1;
	}
	return t;
}

static void write_telling(const char *who, const struct telling *t)
{
	printf("#   %-20s %s at once, then %" PRIu32 " wakes in %u samples, the first after %" PRIu32
	       "\n", who, readiness_name(t->readiness), t->wakes, AFTERMATH_SAMPLES, t->first);
}

/* The same case on the model, the interrupting samples behind the interrupted one. */
static struct telling tell_sound(struct explore_case *c)
{
	struct value look = { 0 }, v = { 0 };

	model_init(&c->work.model, &c->wcase, model_kernel(c->trace.kernel), c->work.records);
	for (uint32_t s = 0; s < c->wcase.nsteps; s++) {
		value_store_clear(&c->work.store);
		model_step(&c->work.model, &c->wcase.steps[s], VALUE_NO_SAMPLE, &c->work.store, &v);
		if (c->wcase.steps[s].kind == STEP_LOOK)
			look = v;
	}
	return tell(c, &c->work.store, &look, &v);
}

void explore_aftermath(struct explorer *x, const struct explored *r, int defect)
{
	struct telling seen, sound;
	struct explore_case c;
	uint32_t last, look;

	if (!r->worst[defect] || explore_case_open(&c, r->worst[defect], 0))
		return;
	c.wcase.place = r->place;
	last = look = c.wcase.nsteps - 1;
	while (c.wcase.steps[look].kind != STEP_LOOK)
		look--;
	if (!runner_run(&c.wcase, x->with, &c.trace, &x->error)) {
		seen = tell(&c, &c.trace.store, &c.trace.seen[look], &c.trace.seen[last]);
		sound = tell_sound(&c);
		printf("# %s at %s+0x%x in %s:\n", defects[defect].id, r->place.function,
		       r->place.offset, r->worst[defect]->name);
		write_telling("seen", &seen);
		write_telling("one after the other", &sound);
	}
	explore_case_close(&c);
}
