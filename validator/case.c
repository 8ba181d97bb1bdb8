// SPDX-License-Identifier: GPL-2.0
#include "case.h"

bool case_name_ok(const char *name)
{
	const char *p;

	for (p = name; *p; p++) {
		bool alnum = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			     (*p >= '0' && *p <= '9');

		if (!alnum && *p != '-' && *p != '_' && (*p != '.' || p == name))
			return false;
	}
	return p != name && p - name < CASE_NAME_BYTES;
}

enum case_error case_check_ring(const struct ring_spec *ring, uint32_t id)
{
	if (id >= CASE_MAX_RINGS)
		return CASE_RING_RANGE;
	if (ring->cpu >= CASE_MAX_CPUS)
		return CASE_CPU_RANGE;
	if (!ring->pages)
		return CASE_PAGES_MISSING;
	if (ring->pages & (ring->pages - 1))
		return CASE_PAGES_NOT_POWER_OF_TWO;
	if (ring->pages > CASE_MAX_PAGES)
		return CASE_PAGES_RANGE;
	return CASE_SOUND;
}

static bool ring_declared(const struct wake_case *c, uint32_t id)
{
	return id < CASE_MAX_RINGS && c->rings[id].declared;
}

uint32_t case_step_parts(const struct step *s)
{
	switch (s->kind) {
	case STEP_EMIT:
		switch (s->every) {
		case EVERY_NOTHING:
			return VALUE_CODE;
		case EVERY_LOOK:
			return VALUE_CODE | VALUE_READY_AT;
		case EVERY_LOOK_CONSUME:
			return VALUE_CODE | VALUE_READY_AT | VALUE_NUMBERS;
		}
		return 0;
	case STEP_LOOK:
		return VALUE_READINESS;
	case STEP_CONSUME:
		return VALUE_NUMBERS;
	case STEP_PAUSE:
	case STEP_RESUME:
	case STEP_DISABLE:
	case STEP_ENABLE:
	case STEP_REMAP:
	case STEP_UNMAP:
	case STEP_MAP:
	case STEP_DROP_SLOT:
	case STEP_REDIRECT:
		return VALUE_CODE;
	case STEP_READ_LOST:
		return VALUE_LOST;
	case STEP_KINDS:
		break;
	}
	return 0;
}

enum case_error case_check_step(const struct wake_case *c, const struct step *s, uint32_t samples)
{
	if (!ring_declared(c, s->ring))
		return s->ring < CASE_MAX_RINGS ? CASE_RING_UNDECLARED : CASE_RING_RANGE;
	if (s->kind == STEP_EMIT) {
		if (!s->count || s->count > CASE_MAX_SAMPLES)
			return CASE_COUNT_RANGE;
		if (s->size < CASE_MIN_SIZE || s->size > CASE_MAX_SIZE)
			return CASE_SIZE_RANGE;
		if (s->contexts >= 1 << CONTEXTS)
			return CASE_CONTEXTS_RANGE;
		if (s->count % step_outputs(s))
			return CASE_COUNT_NESTING;
		if (s->cpu >= CASE_MAX_CPUS)
			return CASE_CPU_RANGE;
		if (s->count > CASE_MAX_SAMPLES - samples)
			return CASE_SAMPLES_RANGE;
		if (s->interrupted && (s->count < 2 || s->count > 1 + CASE_MAX_INNER))
			return CASE_INTERRUPTED_COUNT;
		if (s->interrupted && case_within(c) && s->count != 3)
			return CASE_WITHIN_COUNT;
		if (s->overflow && s->size != CASE_OVERFLOW_SIZE)
			return CASE_OVERFLOW_SIZE_FIXED;
		if (s->overflow && (s->has_index || s->cpu != c->rings[s->ring].cpu))
			return CASE_OVERFLOW_PLACE;
		if (s->interrupted && s->contexts)
			return CASE_INTERRUPTED_FROM;
		if (s->interrupted && (s->every != EVERY_NOTHING || s->has_index))
			return CASE_INTERRUPTED_EVERY;
	}
	if (s->kind == STEP_REDIRECT && !ring_declared(c, s->to))
		return CASE_REDIRECT_TO;
	if (s->kind == STEP_CONSUME || (s->kind == STEP_EMIT && s->every == EVERY_LOOK_CONSUME)) {
		const struct ring_spec *r = &c->rings[s->ring];

		if (r->overwrite && !r->backward)
			return CASE_CONSUME_FORWARD;
		if (r->overwrite && s->kind == STEP_EMIT)
			return CASE_CONSUME_EVERY;
		if (r->backward && s->kind == STEP_CONSUME && s->count)
			return CASE_CONSUME_PART;
	}
	return CASE_SOUND;
}

enum case_error case_check_value(const struct step *s, const struct value *v,
				 const struct value_store *st)
{
	uint64_t codes = 0;

	if (v->has & ~(case_step_parts(s) | VALUE_HEAD | VALUE_WAKES))
		return CASE_VALUE_KIND;
	for (uint32_t i = 0; i < v->codes.count; i++)
		codes += st->codes[v->codes.start + i].count;
	if ((v->has & VALUE_CODE || v->codes.count) && codes != (s->kind == STEP_EMIT ? s->count : 1))
		return CASE_VALUE_COUNT;
	return CASE_SOUND;
}

enum case_error case_validate(const struct wake_case *c, uint32_t *at)
{
	uint32_t samples = 0, interrupted = 0;

	*at = 0;
	if (!c->name[0])
		return CASE_NAME_MISSING;
	if (!case_name_ok(c->name))
		return CASE_NAME_WRONG;
	if (!c->nsteps)
		return CASE_NO_STEPS;
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		enum case_error err = c->rings[id].declared ? case_check_ring(&c->rings[id], id) :
							      CASE_SOUND;

		if (err)
			return err;
	}
	for (*at = 0; *at < c->nsteps; ++*at) {
		const struct step *s = &c->steps[*at];
		enum case_error err = case_check_step(c, s, samples);

		interrupted += s->interrupted;
		if (!err && interrupted > 1)
			err = CASE_INTERRUPTED_TWICE;
		if (!err)
			err = case_check_value(s, &s->expect, &c->expected);
		if (err)
			return err;
		if (s->kind == STEP_EMIT)
			samples += s->count;
	}
	return CASE_SOUND;
}

bool case_within(const struct wake_case *c)
{
	return c->within.function[0];
}

bool case_needs_module(const struct wake_case *c)
{
	for (uint32_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].contexts)
			return true;
	return false;
}

uint32_t case_samples(const struct wake_case *c)
{
	uint32_t samples = 0;

	for (uint32_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].kind == STEP_EMIT)
			samples += c->steps[i].count;
	return samples;
}

bool case_interrupted(const struct wake_case *c)
{
	for (uint32_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].interrupted)
			return true;
	return false;
}
