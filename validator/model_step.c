// SPDX-License-Identifier: GPL-2.0
/* The steps of a case, performed on the model: what the runner does on the kernel. */
#include "model.h"

/* Up to @max records (0: all that lie there) into @out. */
static void consume_into(struct model *m, uint32_t id, uint32_t max, struct value_store *st,
			 struct value *out)
{
	struct model_ring *r = m->events[id].mapped ? &m->rings[id] : NULL;
	uint32_t first = r ? r->first : 0, count = r ? r->count : 0;
	struct model_record record;
	bool new_pass = true;

	out->has |= VALUE_NUMBERS;
	for (uint32_t n = 0; r && (!max || n < max) && model_consume(r, &record); n++) {
		if (record.lost) {
			out->lost += record.value;
			continue;
		}
		value_add_number(st, out, (uint32_t)record.value, new_pass);
		new_pass = false;
	}
	if (r && r->overwrite) {	/* reading takes nothing away */
		r->first = first;
		r->count = count;
	} else if (r && r->backward) {
		r->tail = r->head;
	}
}

/*
 * One sample, interrupted by those behind it. Where the moment is not on the writer's way, they come
 * when it has left, which is a serial order too.
 */
static void interrupted_step(struct model *m, const struct step *s, struct value_store *st,
			     struct value *out)
{
	struct model_inner *inner = &m->inner;
	uint32_t count = s->count - 1, behind = m->number + 1;
	bool missed;

	inner->count = count;
	inner->entered = 0;
	value_add_code(st, out, model_emit_first(m, s), 1);
	inner->count = 0;
	missed = m->number == behind;
	for (uint32_t i = 0; i < count; i++) {
		if (missed)
			inner->codes[i] = model_emit(m, s->ring, s->cpu, inner->size);
		value_add_code(st, out, inner->codes[i], 1);
	}
}

static void emit_step(struct model *m, const struct step *s, uint32_t until,
		      struct value_store *st, struct value *out)
{
	uint64_t wakes = m->events[s->ring].wakes;
	uint32_t each = step_outputs(s);

	out->has |= case_step_parts(s) | VALUE_WAKES;
	if (s->interrupted && until == VALUE_NO_SAMPLE)
		interrupted_step(m, s, st, out);
	for (uint32_t i = 0; !s->interrupted && i < s->count && until - m->number >= each; i += each) {
		enum code codes[CONTEXTS];

		model_emit_within(m, s, codes);
		for (uint32_t level = 0; level < each; level++)
			value_add_code(st, out, codes[level], 1);
		if (s->every == EVERY_NOTHING ||
		    model_look(m, s->ring, VIA_EPOLL) == READINESS_QUIET)
			continue;
		value_add_ready(st, out, m->number - 1);
		if (s->every == EVERY_LOOK_CONSUME)
			consume_into(m, s->ring, 0, st, out);
	}
	out->wakes = m->events[s->ring].wakes - wakes;
}

/* Steps that change one thing of a ring and end with a code. */
static enum code change(struct model *m, const struct step *s)
{
	enum code code;

	switch (s->kind) {
	case STEP_PAUSE:
	case STEP_RESUME:
		return model_pause(m, s->ring, s->kind == STEP_PAUSE);
	case STEP_DISABLE:
	case STEP_ENABLE:
		m->events[s->ring].enabled = s->kind == STEP_ENABLE;
		return CODE_OK;
	case STEP_REMAP:
		code = model_unmap(m, s->ring);
		return code ? code : model_map(m, s->ring);
	case STEP_UNMAP:
		return model_unmap(m, s->ring);
	case STEP_MAP:
		return model_map(m, s->ring);
	case STEP_DROP_SLOT:
		return model_drop_slot(m, s->ring);
	case STEP_REDIRECT:
		return model_redirect(m, s->ring, s->to);
	case STEP_EMIT:
	case STEP_LOOK:
	case STEP_CONSUME:
	case STEP_READ_LOST:
	case STEP_KINDS:
		break;
	}
	return CODE_OTHER;
}

void model_step(struct model *m, const struct step *s, uint32_t until,
		struct value_store *st, struct value *predicted)
{
	value_begin(st, predicted);
	if (s->kind == STEP_EMIT) {
		emit_step(m, s, until, st, predicted);
	} else if (s->kind == STEP_LOOK) {
		predicted->has = VALUE_READINESS;
		predicted->readiness = model_look(m, s->ring, s->via);
	} else if (s->kind == STEP_CONSUME) {
		consume_into(m, s->ring, s->count, st, predicted);
	} else if (s->kind == STEP_READ_LOST) {
		predicted->has = VALUE_LOST;
		predicted->lost = m->events[s->ring].refused;
	} else {
		value_add_code(st, predicted, change(m, s), 1);
	}
	if (m->events[s->ring].mapped) {
		predicted->has |= VALUE_HEAD;
		predicted->head = m->rings[s->ring].head;
	}
}
