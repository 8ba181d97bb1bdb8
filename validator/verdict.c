// SPDX-License-Identifier: GPL-2.0
#include "verdict.h"

/* The model at the start of @c, with a guess when its interrupted step is interrupted. */
static void begin(const struct wake_case *c, struct verdict_workspace *w, struct model_kernel kernel,
		  enum moment moment, enum moment within)
{
	model_init(&w->model, c, kernel, w->records);
	w->model.inner.moments[0] = moment;
	w->model.inner.moments[1] = within;
}

/*
 * The model's ring in front of sample @sample of step @step (VALUE_NO_SAMPLE: in front of the step).
 * The model is cheap and exact, so it is run again instead of being recorded all the time.
 */
static void model_until(const struct wake_case *c, struct verdict_workspace *w, uint32_t step,
			uint32_t sample)
{
	struct value ignored;

	begin(c, w, w->model.kernel, w->model.inner.moments[0], w->model.inner.moments[1]);
	for (uint32_t i = 0; i < step; i++) {
		value_store_clear(&w->store);
		model_step(&w->model, &c->steps[i], VALUE_NO_SAMPLE, &w->store, &ignored);
	}
	value_store_clear(&w->store);
	if (c->steps[step].kind == STEP_EMIT && sample != VALUE_NO_SAMPLE)
		model_step(&w->model, &c->steps[step], sample, &w->store, &ignored);
}

/* The rule behind a ready that was predicted or seen, but not both; @w->model is in front of it. */
static enum rule readiness_rule(const struct step *s, struct verdict_workspace *w, uint32_t part)
{
	const struct model_ring *r = model_ring_of(&w->model, s->ring);
	enum code codes[CONTEXTS];

	if (!r)
		return RULE_HANG_UP;
	if (part == VALUE_READY_AT)
		model_emit_within(&w->model, s, codes);
	if (r->poll)
		return r->cause & CAUSE_COUNT ? RULE_COUNT : RULE_BYTES;
	return s->kind == STEP_LOOK && r->cause ? RULE_FLAG : RULE_NO_CROSSING;
}

static enum rule difference_rule(const struct step *s, struct verdict_workspace *w,
				 const struct verdict *v)
{
	const struct model_event *e = &v->before;

	switch ((enum value_part)v->part) {
	case VALUE_CODE:
		/* Of a consume: the reader met what is no record, and gave up. */
		if (s->kind == STEP_CONSUME)
			return RULE_CONTENT;
		return s->kind == STEP_EMIT && !s->has_index && e->in_slot && e->enabled &&
		       e->cpu == s->cpu && e->output != MODEL_NO_RING &&
		       step_outputs(s) < CONTEXTS ? RULE_SPACE : RULE_CODES;
	case VALUE_READINESS:
	case VALUE_READY_AT:
		return readiness_rule(s, w, v->part);
	case VALUE_NUMBERS:
		return v->sample == VALUE_NO_SAMPLE ? RULE_LOST : RULE_CONTENT;
	case VALUE_LOST:
		return RULE_LOST;
	case VALUE_WAKES:
		return RULE_WITNESS;
	case VALUE_HEAD:
		return RULE_HEAD;
	}
	return RULE_NONE;
}

/* Fill in the difference at @v->step, @v->sample, and predict that step again for the report. */
static void verdict_differs(const struct wake_case *c, struct verdict_workspace *w,
			    struct verdict *v, enum verdict_kind kind)
{
	const struct step *s = &c->steps[v->step];

	v->kind = kind;
	model_until(c, w, v->step, v->sample);
	v->before = w->model.events[s->ring];
	if (v->before.output != MODEL_NO_RING)
		v->before_ring = w->model.rings[v->before.output];
	v->rule = difference_rule(s, w, v);
	model_until(c, w, v->step, VALUE_NO_SAMPLE);
	model_step(&w->model, s, VALUE_NO_SAMPLE, &w->store, &v->predicted);
}

/* What one step compares: an emission each with its look, or the step itself. */
static uint64_t step_comparisons(const struct step *s)
{
	if (s->kind != STEP_EMIT)
		return 1;
	return s->count + (s->every == EVERY_NOTHING ? 0 : (uint64_t)s->count / step_outputs(s));
}

/* A guess at what an interruption met. */
struct guess {
	enum moment moment;
	enum moment within;	/* MOMENTS where the interrupting one is not interrupted in turn */
	bool lost_at_once;
};

static void judge_guess(const struct wake_case *c, const struct trace *t,
			struct verdict_workspace *w, struct guess guess, struct verdict *v)
{
	struct model_kernel kernel = model_kernel(t ? t->kernel : 0);

	*v = (struct verdict){ .sample = VALUE_NO_SAMPLE };
	kernel.lost_at_once = guess.lost_at_once;
	begin(c, w, kernel, guess.moment, guess.within);
	for (v->step = 0; v->step < c->nsteps; v->step++) {
		const struct step *s = &c->steps[v->step];
		/* The code of any other step belongs to no sample. */
		uint32_t first = s->kind == STEP_EMIT ? w->model.number : VALUE_NO_SAMPLE;
		struct value predicted;

		value_store_clear(&w->store);
		model_step(&w->model, s, VALUE_NO_SAMPLE, &w->store, &predicted);
		/* What a person expects is what is right, not what a defect does. */
		v->part = w->model.defects ? 0 :
			  value_compare(&c->expected, &s->expect, &w->store, &predicted, first,
					&v->sample);
		if (v->part) {
			verdict_differs(c, w, v, VERDICT_EXPECTATION);
			return;
		}
		if (!t)
			continue;
		if (case_step_parts(s) & ~t->seen[v->step].has) {
			verdict_differs(c, w, v, VERDICT_MISSING);
			return;
		}
		v->part = value_compare(&t->store, &t->seen[v->step], &w->store, &predicted, first,
					&v->sample);
		if (v->part) {
			verdict_differs(c, w, v, VERDICT_KERNEL);
			return;
		}
		v->judged += step_comparisons(s);
	}
	v->defects = w->model.defects;
	if (v->judged && !t->store.full)
		v->kind = v->defects ? VERDICT_DEFECT : VERDICT_PROVED;
}

/* Of two verdicts on one trace: is @a nearer to the truth? A defect's explanation needs the fewest. */
static bool better(const struct verdict *a, const struct verdict *b)
{
	bool a_explains = a->kind == VERDICT_PROVED || a->kind == VERDICT_DEFECT;
	bool b_explains = b->kind == VERDICT_PROVED || b->kind == VERDICT_DEFECT;

	if (a_explains != b_explains)
		return a_explains;
	if (a_explains)
		return __builtin_popcount(a->defects) < __builtin_popcount(b->defects);
	return a->step > b->step || (a->step == b->step && a->sample != VALUE_NO_SAMPLE &&
				     b->sample != VALUE_NO_SAMPLE && a->sample > b->sample);
}

/*
 * Which two steps of the writer an instruction lies between is not known, so each moment is tried: the
 * trace is sound if one of them explains all that it shows, and else the best guess is reported.
 */
static void judge(const struct wake_case *c, const struct trace *t, struct verdict_workspace *w,
		  struct verdict *v)
{
	struct guess best = { .moment = MOMENTS, .within = MOMENTS }, guess = best;
	int withins = case_within(c) ? MOMENTS : 1, guesses = MOMENTS * withins;

	judge_guess(c, t, w, best, v);
	if (!case_interrupted(c))
		return;
	for (int i = 0; i < 2 * guesses && v->kind != VERDICT_PROVED; i++) {
		struct verdict other;

		guess.lost_at_once = i >= guesses;
		guess.moment = (enum moment)(i / withins % MOMENTS);
		if (withins > 1)
			guess.within = (enum moment)(i % withins);
		judge_guess(c, t, w, guess, &other);
		if (better(&other, v)) {
			*v = other;
			best = guess;
		}
		/* Only where stock kernels cannot be explained is another kind of kernel considered. */
		if (i == guesses - 1 && v->kind == VERDICT_DEFECT)
			break;
	}
	/* The prediction that a difference is shown with is in the workspace: have the best one there. */
	if (v->kind != VERDICT_PROVED)
		judge_guess(c, t, w, best, v);
	v->moment = best.moment;
}

void verdict_trace(const struct trace *t, struct verdict_workspace *w, struct verdict *v)
{
	judge(t->wcase, t, w, v);
}

void verdict_expectations(const struct wake_case *c, struct verdict_workspace *w,
			  struct verdict *v)
{
	judge(c, NULL, w, v);
	if (v->kind == VERDICT_UNJUDGED)
		v->kind = VERDICT_PROVED;
}
