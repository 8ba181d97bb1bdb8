// SPDX-License-Identifier: GPL-2.0
/* The steps of a case, performed on the running kernel. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "overflow.h"
#include "runner_inner.h"
#include "trace_text.h"

static int pin(struct runner *r, uint32_t cpu)
{
	cpu_set_t set;

	if (cpu == r->cpu)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return runner_fail(r, -errno, "cannot run on CPU %u: %s; give the guest more CPUs (-c)",
			    cpu, strerror(errno));
	r->cpu = cpu;
	return 0;
}

/* One consume: what its records are added to. */
struct pass {
	struct runner *r;
	struct value *v;
	bool new;
};

static void see_run(void *ctx, const struct raw_run *run)
{
	struct pass *pass = ctx;

	seen_add_run(&pass->r->t->store, pass->v, run, pass->r->emitted, pass->r->number,
		     &pass->new);
}

static void hold_record(void *ctx, const struct raw_record *record)
{
	struct runner *r = ctx;
	struct seen seen = seen_read(record, r->emitted, r->number);

	seen_hold(&r->held, &seen);
}

static void hold_run(void *ctx, const struct raw_run *run)
{
	raw_run_each(run, hold_record, ctx);
}

static int consume(struct runner *r, const struct step *s, struct value *v)
{
	struct consumer *c = r->consumers[s->ring];
	struct pass pass = { .r = r, .v = v, .new = true };
	int ret;

	for (uint32_t i = 0; i < r->held.count; i++)
		seen_add(&r->t->store, v, &r->held.records[i], &pass.new);
	r->held.count = 0;
	ret = consumer_consume(c, s->ring, &r->rings[s->ring], s->count, see_run, &pass);
	if (ret < 0 && c->reason[0])
		return runner_fail(r, ret, "consuming failed: %s", c->reason);
	v->has |= VALUE_NUMBERS;
	/* A reader that gave up at what is no record says so. */
	if (ret < 0)
		value_add_code(&r->t->store, v, code_from_errno(-ret), 1);
	return 0;
}

/* Look, and when ready consume: what a consumer's own poll does. */
static int look_consume(struct runner *r, const struct step *s, enum readiness *readiness,
			struct value *v)
{
	struct consumer *c = r->consumers[s->ring];
	struct pass pass = { .r = r, .v = v, .new = true };
	bool ready;
	int ret = consumer_poll(c, s->ring, &r->rings[s->ring], 0, see_run, &pass, &ready);

	*readiness = ready ? READINESS_READY : READINESS_QUIET;
	return ret < 0 ? runner_fail(r, ret, "polling failed: %s",
			      c->reason[0] ? c->reason : strerror(-ret)) : 0;
}

static int look(struct runner *r, const struct step *s, enum readiness *readiness)
{
	struct consumer *c = r->consumers[s->ring];
	bool ready = false;
	int ret;

	if (r->rings[s->ring].fd >= 0) {
		ret = ring_look(&r->rings[s->ring], s->via, readiness);
	} else {
		ret = consumer_poll(c, s->ring, &r->rings[s->ring], 0, hold_run, r, &ready);
		*readiness = ready ? READINESS_READY : READINESS_QUIET;
	}
	return ret < 0 ? runner_fail(r, ret, "looking failed: %s",
			      c->reason[0] ? c->reason : strerror(-ret)) : 0;
}

/* Up to @max samples of @s, as many as can be at once. Returns how many, or -errno. */
static int emit_some(struct runner *r, const struct step *s, uint32_t max, struct value *v)
{
	bool at_once = s->every == EVERY_NOTHING && !s->has_index;
	/* Where wakes come late, those of one batch would be one call for the witness. */
	uint32_t count = at_once && !(r->w && r->e->settle) ? emitter_batch(s->size) : 1;
	uint32_t slot = r->slots[s->ring];
	int ret, codes[EMITTER_BATCH];

	if (count > max)
		count = max;
	for (uint32_t i = 0; i < count; i++)
		r->emitted[r->number++] = (struct emitted){ s->size, (uint16_t)s->cpu,
							    (uint8_t)slot, SAMPLE_PROCESS };
	if (s->has_index)
		ret = emitter_emit_flags(r->e, s->index, s->size, codes);
	else
		ret = emitter_emit_batch(r->e, slot, s->size, count, codes);
	if (ret)
		return runner_fail(r, ret, "emitting sample %u failed: %s", r->number - count,
			    strerror(-ret));
	for (uint32_t i = 0; i < count; i++)
		value_add_code(&r->t->store, v, code_from_errno(-codes[i]), 1);
	return (int)count;
}

/* One sample of the other event. */
static int emit_overflow(struct runner *r, const struct step *s, struct value *v)
{
	uint32_t slot = r->slots[s->ring];
	int ret;

	r->emitted[r->number++] = (struct emitted){ s->size, (uint16_t)s->cpu, (uint8_t)slot,
						    SAMPLE_OVERFLOW };
	ret = overflow_emit(r->overflows[s->ring], slot, r->number - 1);
	if (!ret)
		ret = emitter_settle(r->e);
	if (ret)
		return runner_fail(r, ret, "sample %u of another event failed: %s", r->number - 1, strerror(-ret));
	emitter_set_number(r->e, r->number);
	value_add_code(&r->t->store, v, CODE_OK, 1);
	return 1;
}

/* A sample from each of the step's contexts, within one another. */
static int emit_from(struct runner *r, const struct step *s, struct value *v)
{
	uint32_t first = r->number, slot = r->slots[s->ring];
	int ret, codes[SAMPLE_CONTEXTS];

	_Static_assert((int)CONTEXTS == (int)SAMPLE_CONTEXTS, "one set of contexts");
	for (uint8_t context = 0; context < CONTEXTS; context++)
		if (s->contexts & 1 << context)
			r->emitted[r->number++] = (struct emitted){ s->size, (uint16_t)s->cpu,
								    (uint8_t)slot, context };
	ret = emitter_emit_from(r->e, s->contexts, s->has_index ? s->index : slot, slot, s->size, codes);
	if (ret == -EOPNOTSUPP)
		return runner_fail(r, ret, "this kernel cannot emit from %s", from_name(s->contexts));
	if (ret)
		return runner_fail(r, ret, "emitting sample %u from %s failed: %s", first,
			    from_name(s->contexts), strerror(-ret));
	for (uint32_t i = 0; i < r->number - first; i++)
		value_add_code(&r->t->store, v, code_from_errno(-codes[i]), 1);
	return (int)(r->number - first);
}

/* What a step emits next, up to @max samples. Returns how many, or -errno. */
static int emit_next(struct runner *r, const struct step *s, uint32_t max, struct value *v)
{
	if (s->contexts)
		return emit_from(r, s, v);
	return s->overflow ? emit_overflow(r, s, v) : emit_some(r, s, max, v);
}

/* The first sample of the step, watched instead of interrupted. */
static int emit_watched(struct runner *r, const struct step *s, struct value *v)
{
	int ret;

	injector_watch_begin(r->in);
	ret = emit_next(r, s, 1, v);
	*r->passed = injector_watch_end(r->in);
	return ret < 0 ? ret : -ECANCELED;
}

/* One sample, interrupted by the others of the step. */
static int emit_interrupted(struct runner *r, const struct step *s, struct value *v)
{
	const struct place *place = &r->c->place;
	uint32_t inner = s->count - 1;
	struct injected done;
	int ret;

	if (!r->in)
		return runner_fail(r, -EINVAL, "at= is not to be had with this emitter");
	if (r->passed)
		return emit_watched(r, s, v);
	ret = case_within(r->c) ? injector_go_within(r->in, place, &r->c->within) :
	      injector_go(r->in, place);
	if (ret)
		return runner_fail(r, ret, "at=%s+0x%x: %s", place->function, place->offset,
			    ret == -ENOENT ? "this kernel has no such function" :
			    ret == -EOPNOTSUPP ? "within= takes breakpoints and a program at perf_bp_event, which this kernel or --probe has not" :
			    strerror(-ret));
	injector_arm(r->in, r->slots[s->ring], inner, r->c->inner_size, r->number + 1);
	ret = emit_next(r, s, 1, v);
	done = injector_disarm(r->in);
	r->err->visits = done.visits;
	if (ret < 0)
		return ret;
	if (!done.fired)
		return runner_fail(r, -ENXIO, "%s+0x%x was not reached%s", place->function, place->offset,
			    place->visit ? " as often as visit= says" : "");
	if (case_within(r->c) && !done.fired_within)
		return runner_fail(r, -ENXIO, "%s+0x%x was not reached within %s+0x%x",
			    r->c->within.function, r->c->within.offset, place->function, place->offset);
	for (uint32_t i = 0; i < inner; i++) {
		r->emitted[r->number++] = (struct emitted){ r->c->inner_size, (uint16_t)s->cpu,
							    (uint8_t)r->slots[s->ring],
							    SAMPLE_NESTED };
		value_add_code(&r->t->store, v, code_from_errno(-done.codes[i]), 1);
	}
	emitter_set_number(r->e, r->number);
	return 0;
}

static int emit(struct runner *r, const struct step *s, struct value *v)
{
	/* A consumer that hides its descriptor hides it from the witness too. */
	bool witnessed = r->w && r->rings[s->ring].fd >= 0;
	uint64_t wakes = witnessed ? witness_wakes(r->w, r->slots[s->ring]) : 0;
	int ret = pin(r, s->cpu);

	v->has |= case_step_parts(s);
	if (!ret && s->interrupted)
		ret = emit_interrupted(r, s, v);
	for (uint32_t i = 0; !ret && !s->interrupted && i < s->count;) {
		enum readiness readiness = READINESS_QUIET;

		if (runner_stopped())
			return -EINTR;
		ret = emit_next(r, s, s->count - i, v);
		if (ret < 0)
			return ret;
		i += (uint32_t)ret;
		ret = s->every == EVERY_LOOK ? look(r, s, &readiness) :
		      s->every == EVERY_LOOK_CONSUME ? look_consume(r, s, &readiness, v) : 0;
		if (!ret && readiness != READINESS_QUIET)
			value_add_ready(&r->t->store, v, r->number - 1);
	}
	if (witnessed) {
		v->has |= VALUE_WAKES;
		v->wakes = witness_wakes(r->w, r->slots[s->ring]) - wakes;
	}
	return ret;
}

/* A step that changes one thing of its ring; returns what the kernel said. */
static int change(struct runner *r, const struct step *s)
{
	struct ring *ring = &r->rings[s->ring];

	switch (s->kind) {
	case STEP_PAUSE:
	case STEP_RESUME:
		return ring_pause(ring, s->kind == STEP_PAUSE);
	case STEP_DISABLE:
	case STEP_ENABLE:
		return ring_enable(ring, s->kind == STEP_ENABLE);
	case STEP_REMAP:
	case STEP_UNMAP:
		if (!ring->page)
			return -EINVAL;
		ring_unmap(ring);
		return s->kind == STEP_REMAP ? ring_map(ring) : 0;
	case STEP_MAP:
		return ring->page ? -EBUSY : ring_map(ring);
	case STEP_DROP_SLOT:
		return emitter_drop_slot(r->e, r->slots[s->ring]);
	case STEP_REDIRECT:
		return ring_redirect(ring, &r->rings[s->to]);
	case STEP_EMIT:
	case STEP_LOOK:
	case STEP_CONSUME:
	case STEP_READ_LOST:
	case STEP_KINDS:
		break;
	}
	return -EINVAL;
}

int runner_perform(struct runner *r, const struct step *s, struct value *v)
{
	int ret;

	value_begin(&r->t->store, v);
	switch (s->kind) {
	case STEP_EMIT:
		return emit(r, s, v);
	case STEP_LOOK:
		ret = look(r, s, &v->readiness);
		v->has = ret ? 0 : VALUE_READINESS;
		return ret;
	case STEP_CONSUME:
		return consume(r, s, v);
	case STEP_READ_LOST:
		ret = ring_read_lost(&r->rings[s->ring], &v->lost);
		v->has = VALUE_LOST;
		return ret ? runner_fail(r, ret, "reading the count failed: %s", strerror(-ret)) : 0;
	case STEP_PAUSE:
	case STEP_RESUME:
	case STEP_DISABLE:
	case STEP_ENABLE:
	case STEP_REMAP:
	case STEP_UNMAP:
	case STEP_MAP:
	case STEP_DROP_SLOT:
	case STEP_REDIRECT:
		value_add_code(&r->t->store, v, code_from_errno(-change(r, s)), 1);
		return r->overflows[s->ring] < 0 ? 0 :
		       overflow_redirect(r->overflows[s->ring], &r->rings[s->ring]);
	case STEP_KINDS:
		break;
	}
	return runner_fail(r, -EINVAL, "unknown step");
}
