// SPDX-License-Identifier: GPL-2.0
/* A situation made into a case. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "situations.h"

#define PLAIN_SIZE	8u	/* payload bytes of all samples but the interrupted and the inner ones */
#define LARGE_SIZE	396u
#define MAX_STEPS	32u
#define MAX_GAP		400u	/* samples to the next wake, at most */

static struct step *add(struct wake_case *c, enum step_kind kind)
{
	struct step *s = &c->steps[c->nsteps++];

	*s = (struct step){ .kind = kind, .line = c->nsteps + 2 };
	return s;
}

static struct step *add_emit(struct wake_case *c, uint32_t count, uint32_t size)
{
	struct step *s = add(c, STEP_EMIT);

	s->count = count;
	s->size = size;
	return s;
}

static void set_the_scene(struct wake_case *c, const struct situation *s)
{
	if (s->large)
		add_emit(c, s->large, LARGE_SIZE);
	if (s->before)
		add_emit(c, s->before, PLAIN_SIZE);
	add(c, STEP_LOOK);	/* takes what is ready, so that the next look shows a new crossing */
	if (s->drained)
		add(c, STEP_CONSUME);
	if (s->lost) {
		add(c, STEP_PAUSE);
		add_emit(c, s->lost, PLAIN_SIZE);
		add(c, STEP_RESUME);
	}
	if (s->paused)
		add(c, STEP_PAUSE);
}

/* The model in the state that the case's steps lead to. */
static struct model *model_here(const struct explore_case *e)
{
	struct verdict_workspace *w = (struct verdict_workspace *)&e->work;
	struct value ignored;

	model_init(&w->model, &e->wcase, model_kernel(0), w->records);
	for (uint32_t i = 0; i < e->wcase.nsteps; i++) {
		value_store_clear(&w->store);
		model_step(&w->model, &e->wcase.steps[i], VALUE_NO_SAMPLE, &w->store, &ignored);
	}
	return &w->model;
}

/* How many samples of @size can come before the one that wakes, or is refused; up to MAX_GAP. */
static uint32_t quiet_samples(struct model *m, uint32_t size)
{
	uint32_t n;

	for (n = 0; n < MAX_GAP; n++)
		if (model_emit(m, 0, 0, size) != CODE_OK ||
		    model_look(m, 0, VIA_EPOLL) == READINESS_READY)
			break;
	return n;
}

static bool consumable(const struct wake_case *c)
{
	return !c->rings[0].overwrite;
}

static void follow_up(struct explore_case *e, uint32_t rounds)
{
	struct wake_case *c = &e->wcase;

	for (uint32_t round = 0; round < rounds; round++) {
		/* Near the next wake with few, up to it with small ones: that shows the counters exactly. */
		uint32_t large = quiet_samples(model_here(e), LARGE_SIZE), small;

		if (large)
			add_emit(c, large, LARGE_SIZE);
		small = quiet_samples(model_here(e), PLAIN_SIZE);
		if (small)
			add_emit(c, small, PLAIN_SIZE);
		add(c, STEP_LOOK);
		add_emit(c, 1, PLAIN_SIZE);
		add(c, STEP_LOOK);
		if (consumable(c))
			add(c, STEP_CONSUME);
	}
}

static void make_case(struct explore_case *e, uint32_t rounds)
{
	const struct situation *s = e->situation;
	struct wake_case *c = &e->wcase;
	uint32_t size = s->overflow ? CASE_OVERFLOW_SIZE : s->size ? s->size : PLAIN_SIZE;
	struct step *step;

	snprintf(c->name, sizeof(c->name), "%s", s->name);
	c->rings[0] = s->ring;
	c->rings[0].pages = s->ring.pages ? s->ring.pages : 1;
	c->rings[0].declared = true;
	c->inner_size = s->inner_size ? s->inner_size : s->overflow ? PLAIN_SIZE : size;
	set_the_scene(c, s);
	step = add_emit(c, 1 + (s->inner ? s->inner : 1), size);
	step->interrupted = true;
	step->overflow = s->overflow;
	add(c, STEP_LOOK);
	if (s->paused)
		add(c, STEP_RESUME);
	if (consumable(c))
		add(c, STEP_CONSUME);
	if (!rounds)
		add_emit(c, AFTERMATH_SAMPLES, PLAIN_SIZE)->every =
			consumable(c) ? EVERY_LOOK_CONSUME : EVERY_LOOK;
}

int explore_case_open(struct explore_case *e, const struct situation *s, uint32_t rounds)
{
	*e = (struct explore_case){ .situation = s };
	e->wcase.steps = calloc(MAX_STEPS, sizeof(*e->wcase.steps));
	if (!e->wcase.steps)
		return -ENOMEM;
	make_case(e, rounds);
	if (verdict_workspace_alloc(&e->work, &e->wcase))
		goto failed;
	follow_up(e, rounds);
	/* The follow-up made it longer: what it can show has to fit. */
	verdict_workspace_free(&e->work);
	if (verdict_workspace_alloc(&e->work, &e->wcase) || trace_alloc(&e->trace, &e->wcase))
		goto failed;
	return 0;
failed:
	explore_case_close(e);
	return -ENOMEM;
}

void explore_case_close(struct explore_case *e)
{
	trace_free(&e->trace);
	verdict_workspace_free(&e->work);
	free(e->wcase.steps);
	*e = (struct explore_case){ 0 };
}
