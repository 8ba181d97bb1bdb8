// SPDX-License-Identifier: GPL-2.0
/*
 * Shrinking: what is left out, or made smaller, stays so if the case still differs. Any difference
 * will do, not only the first one found: the smallest case that shows something is wanted.
 */
#include <string.h>

#include "fuzz.h"

struct shrink {
	struct fuzz_case *f;
	struct instruments *with;
	struct runner_error *err;
	int left;		/* performances */
	int done;
	int error;
};

/* The case as it is now: does it still differ? */
static bool differs(struct shrink *s)
{
	uint32_t at;

	if (s->left <= 0 || s->error || case_validate(&s->f->wcase, &at))
		return false;
	s->left--;
	s->done++;
	s->error = fuzz_perform(s->f, s->with, s->err);
	return !s->error && s->f->verdict.kind == VERDICT_KERNEL;
}

/* Leave out @n steps from @at on, if it differs without them. */
static bool drop_steps(struct shrink *s, uint32_t at, uint32_t n)
{
	struct wake_case *c = &s->f->wcase;
	struct step before[FUZZ_MAX_STEPS];
	uint32_t nsteps = c->nsteps;

	memcpy(before, c->steps, nsteps * sizeof(*before));
	memmove(&c->steps[at], &c->steps[at + n], (nsteps - at - n) * sizeof(*before));
	c->nsteps -= n;
	if (c->nsteps && differs(s))
		return true;
	memcpy(c->steps, before, nsteps * sizeof(*before));
	c->nsteps = nsteps;
	return false;
}

/* Set *@field to @value, if it differs with that. */
static bool try_value(struct shrink *s, uint32_t *field, uint32_t value)
{
	uint32_t before = *field;

	if (value == before)
		return false;
	*field = value;
	if (differs(s))
		return true;
	*field = before;
	return false;
}

/* The smallest value from @min on that still differs, by halving the distance. */
static bool lower(struct shrink *s, uint32_t *field, uint32_t min)
{
	bool any = false;

	if (*field <= min)
		return false;
	if (try_value(s, field, min))
		return true;
	for (uint32_t step = (*field - min) / 2; step; step /= 2)
		while (*field - min > step && try_value(s, field, *field - step))
			any = true;
	return any;
}

static bool shrink_step(struct shrink *s, struct step *step)
{
	bool any = false;

	if (step->kind != STEP_EMIT)
		return false;
	any |= lower(s, &step->count, 1);
	any |= try_value(s, &step->size, 8);
	if (step->every == EVERY_LOOK_CONSUME) {
		step->every = EVERY_LOOK;
		if (differs(s))
			any = true;
		else
			step->every = EVERY_LOOK_CONSUME;
	}
	return any;
}

/* A ring that no step uses any more is not declared any more. */
static void drop_unused_rings(struct wake_case *c)
{
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		bool used = false;

		for (uint32_t i = 0; i < c->nsteps; i++)
			used |= c->steps[i].ring == id ||
				(c->steps[i].kind == STEP_REDIRECT && c->steps[i].to == id);
		c->rings[id].declared &= used;
	}
}

static bool shrink_once(struct shrink *s)
{
	struct wake_case *c = &s->f->wcase;
	bool any = false;

	for (uint32_t n = c->nsteps / 2; n; n /= 2)
		for (uint32_t at = 0; at + n <= c->nsteps;)
			if (drop_steps(s, at, n))
				any = true;
			else
				at += n;
	for (uint32_t i = 0; i < c->nsteps; i++)
		any |= shrink_step(s, &c->steps[i]);
	drop_unused_rings(c);
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		if (c->rings[id].declared && c->rings[id].pages > 1)
			any |= try_value(s, &c->rings[id].pages, c->rings[id].pages / 2);
	return any;
}

int fuzz_shrink(struct fuzz_case *f, struct instruments *with, int attempts,
		struct runner_error *err)
{
	struct shrink s = { .f = f, .with = with, .err = err, .left = attempts };

	/* What is behind the difference cannot matter. */
	f->wcase.nsteps = f->verdict.step + 1;
	while (s.left && !s.error && shrink_once(&s))
		;
	/* The last performance may have been one without a difference. */
	s.left = s.left > 0 ? s.left : 1;
	if (!s.error)
		differs(&s);
	return s.error ? s.error : s.done;
}
