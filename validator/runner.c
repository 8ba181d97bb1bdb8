// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "overflow.h"
#include "ring.h"
#include "runner.h"
#include "seen.h"
#include "trace_text.h"

struct runner {
	const struct wake_case *c;
	struct emitter *e;
	struct witness *w;		/* or NULL */
	struct injector *in;		/* or NULL */
	struct trace *t;
	struct runner_error *err;
	struct consumers *all;		/* that rings can be read by */
	struct consumers own;		/* where the caller gave none */
	struct ring rings[CASE_MAX_RINGS];
	struct consumer *consumers[CASE_MAX_RINGS];	/* that read them; NULL: not open */
	uint32_t slots[CASE_MAX_RINGS];	/* that they lie in */
	int overflows[CASE_MAX_RINGS];	/* events that write to them too, or -1 */
	struct emitted *emitted;	/* one for each number of the case */
	uint32_t number;		/* of the next sample */
	struct seen_list held;		/* by looks of consumers that cannot but read at once */
	uint32_t cpu;			/* that it is pinned to, CASE_MAX_CPUS: none */
	uint32_t *passed;		/* of runner_scout(), or NULL */
};

static volatile sig_atomic_t stop;

void runner_stop(void)
{
	stop = 1;
}

bool runner_stopped(void)
{
	return stop;
}

static int __attribute__((format(printf, 3, 4)))
fail(struct runner *r, int ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->err->reason, sizeof(r->err->reason), fmt, ap);
	va_end(ap);
	return ret;
}

static int pin(struct runner *r, uint32_t cpu)
{
	cpu_set_t set;

	if (cpu == r->cpu)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return fail(r, -errno, "cannot run on CPU %u: %s; give the guest more CPUs (-c)",
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

static void see_record(void *ctx, const struct raw_record *record)
{
	struct pass *pass = ctx;
	struct seen seen = seen_read(record, pass->r->emitted, pass->r->number);

	seen_add(&pass->r->t->store, pass->v, &seen, &pass->new);
}

static void hold_record(void *ctx, const struct raw_record *record)
{
	struct runner *r = ctx;
	struct seen seen = seen_read(record, r->emitted, r->number);

	seen_hold(&r->held, &seen);
}

static int consume(struct runner *r, const struct step *s, struct value *v)
{
	struct consumer *c = r->consumers[s->ring];
	struct pass pass = { .r = r, .v = v, .new = true };
	int ret;

	for (uint32_t i = 0; i < r->held.count; i++)
		seen_add(&r->t->store, v, &r->held.records[i], &pass.new);
	r->held.count = 0;
	ret = consumer_consume(c, s->ring, &r->rings[s->ring], s->count, see_record, &pass);
	if (ret < 0 && c->reason[0])
		return fail(r, ret, "consuming failed: %s", c->reason);
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
	int ret = consumer_poll(c, s->ring, &r->rings[s->ring], 0, see_record, &pass, &ready);

	*readiness = ready ? READINESS_READY : READINESS_QUIET;
	return ret < 0 ? fail(r, ret, "polling failed: %s",
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
		ret = consumer_poll(c, s->ring, &r->rings[s->ring], 0, hold_record, r, &ready);
		*readiness = ready ? READINESS_READY : READINESS_QUIET;
	}
	return ret < 0 ? fail(r, ret, "looking failed: %s",
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
		return fail(r, ret, "emitting sample %u failed: %s", r->number - count,
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
		return fail(r, ret, "sample %u of another event failed: %s", r->number - 1, strerror(-ret));
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
		return fail(r, ret, "this kernel cannot emit from %s", from_name(s->contexts));
	if (ret)
		return fail(r, ret, "emitting sample %u from %s failed: %s", first,
			    from_name(s->contexts), strerror(-ret));
	for (uint32_t i = 0; i < r->number - first; i++)
		value_add_code(&r->t->store, v, code_from_errno(-codes[i]), 1);
	return (int)(r->number - first);
}

static int emit_first(struct runner *r, const struct step *s, struct value *v)
{
	return s->overflow ? emit_overflow(r, s, v) : emit_some(r, s, 1, v);
}

/* The first sample of the step, watched instead of interrupted. */
static int emit_watched(struct runner *r, const struct step *s, struct value *v)
{
	int ret;

	injector_watch_begin(r->in);
	ret = emit_first(r, s, v);
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
		return fail(r, -EINVAL, "at= is not to be had with this emitter");
	if (r->passed)
		return emit_watched(r, s, v);
	ret = case_within(r->c) ? injector_go_within(r->in, place, &r->c->within) :
	      injector_go(r->in, place);
	if (ret)
		return fail(r, ret, "at=%s+0x%x: %s", place->function, place->offset,
			    ret == -ENOENT ? "this kernel has no such function" : strerror(-ret));
	injector_arm(r->in, r->slots[s->ring], inner, r->c->inner_size, r->number + 1);
	ret = emit_first(r, s, v);
	done = injector_disarm(r->in);
	r->err->visits = done.visits;
	if (ret < 0)
		return ret;
	if (!done.fired)
		return fail(r, -ENXIO, "%s+0x%x was not reached%s", place->function, place->offset,
			    place->visit ? " as often as visit= says" : "");
	if (case_within(r->c) && !done.fired_within)
		return fail(r, -ENXIO, "%s+0x%x was not reached within %s+0x%x",
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

		if (stop)
			return -EINTR;
		ret = s->contexts ? emit_from(r, s, v) : s->overflow ? emit_overflow(r, s, v) :
		      emit_some(r, s, s->count - i, v);
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

static int perform(struct runner *r, const struct step *s, struct value *v)
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
		return ret ? fail(r, ret, "reading the count failed: %s", strerror(-ret)) : 0;
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
	return fail(r, -EINVAL, "unknown step");
}

/* What the case's steps ask of ring @id: counting what is lost, and ways to look. */
static int watch_ring(struct runner *r, uint32_t id)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->c->nsteps; i++)
		if (r->c->steps[i].kind == STEP_LOOK && r->c->steps[i].ring == id)
			ret = ring_watch(&r->rings[id], r->c->steps[i].via);
	return ret;
}

static bool reads_lost(const struct wake_case *c, uint32_t id)
{
	for (uint32_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].kind == STEP_READ_LOST && c->steps[i].ring == id)
			return true;
	return false;
}

static bool overflows_into(const struct wake_case *c, uint32_t id)
{
	for (uint32_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].overflow && c->steps[i].ring == id)
			return true;
	return false;
}

static int open_ring(struct runner *r, uint32_t id)
{
	struct ring_spec spec = r->c->rings[id];
	struct consumer *c;
	const char *why;
	int ret;

	spec.reads_lost |= reads_lost(r->c, id);
	c = consumers_get(r->all, spec.consumer, &why);
	if (!c)
		return fail(r, -EOPNOTSUPP, "ring %u: %s", id, why);
	r->slots[id] = consumer_slot(c, id, &spec);
	ret = consumer_open_ring(c, id, &spec, &r->rings[id]);
	if (ret)
		return fail(r, ret, "ring %u (cpu=%u pages=%u) cannot be opened: %s%s%s%s", id,
			    spec.cpu, spec.pages, strerror(-ret), c->reason[0] ? ": " : "", c->reason,
			    ret == -ENODEV ? "; give the guest more CPUs (-c)" :
			    ret == -EINVAL && spec.reads_lost ? "; read-lost needs a kernel of 6.0 or later" : "");
	r->consumers[id] = c;
	if (r->rings[id].fd < 0)
		return 0;
	ret = watch_ring(r, id);
	if (!ret && r->w)
		ret = witness_watch(r->w, r->slots[id], r->rings[id].fd);
	if (ret)
		return fail(r, ret, "ring %u cannot be watched: %s", id, strerror(-ret));
	if (!overflows_into(r->c, id))
		return 0;
	r->overflows[id] = overflow_open(&spec, &r->rings[id]);
	return r->overflows[id] >= 0 ? 0 :
	       fail(r, r->overflows[id], "ring %u: no other event can write to it: %s%s", id,
		    strerror(-r->overflows[id]), r->overflows[id] == -ENOENT ?
		    "; mount tracefs at /sys/kernel/tracing, in a kernel with CONFIG_FTRACE_SYSCALLS" : "");
}

static int open_rings(struct runner *r)
{
	int ret = 0;

	for (uint32_t id = 0; !ret && id < CASE_MAX_RINGS; id++)
		if (r->c->rings[id].declared)
			ret = open_ring(r, id);
	return ret;
}

/* What the kernel published, behind each step that may move it. */
static void see_head(struct runner *r, const struct step *s, struct value *v)
{
	const struct ring *ring = &r->rings[s->ring];

	if (!ring->page || (s->kind != STEP_EMIT && s->kind != STEP_REMAP))
		return;
	v->has |= VALUE_HEAD;
	v->head = ring_head(ring);
}

/*
 * The kernel's version as the rules count it. A distribution's release says only its ABI (6.1.0-57);
 * where the version string names the package (Debian 6.1.192-3), that is the one.
 */
static uint32_t kernel_version(void)
{
	unsigned int major = 0, minor = 0, patch = 0;
	struct utsname u;
	const char *debian;

	if (uname(&u))
		return 0;
	debian = strstr(u.version, "Debian ");
	if (!debian || sscanf(debian, "Debian %u.%u.%u", &major, &minor, &patch) != 3)
		if (sscanf(u.release, "%u.%u.%u", &major, &minor, &patch) < 2)
			return 0;
	return TRACE_KERNEL(major, minor, patch);
}

static int open_runner(struct runner *r)
{
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		r->rings[id] = ring_closed();
		r->overflows[id] = -1;
	}
	consumers_init(&r->own, r->e->slots_fd, CASE_MAX_RINGS);
	if (!r->all)
		r->all = &r->own;
	r->emitted = calloc(case_samples(r->c) + 1, sizeof(*r->emitted));
	if (!r->emitted)
		return fail(r, -ENOMEM, "no memory for the case");
	emitter_set_number(r->e, 0);
	r->t->kernel = kernel_version();
	return open_rings(r);
}

static void close_runner(struct runner *r)
{
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		if (r->w && r->rings[id].fd >= 0)
			witness_forget(r->w, r->rings[id].fd);
		if (r->overflows[id] >= 0)
			close(r->overflows[id]);
		if (r->consumers[id])
			consumer_close_ring(r->consumers[id], id, &r->rings[id]);
	}
	consumers_stop(&r->own);
	free(r->emitted);
	seen_free(&r->held);
}

static struct runner new_runner(const struct wake_case *c, struct instruments *with,
				struct trace *t, struct runner_error *err)
{
	*err = (struct runner_error){ .step = c->nsteps };
	return (struct runner){
		.c = c,
		.e = &with->emitter,
		.w = with->witness.bpf ? &with->witness : NULL,
		.in = with->injector.bpf ? &with->injector : NULL,
		.all = with->consumers,
		.t = t,
		.err = err,
		.cpu = CASE_MAX_CPUS,
	};
}

static int perform_steps(struct runner *r)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < r->c->nsteps; i++) {
		const struct step *s = &r->c->steps[i];

		r->err->step = i;
		ret = stop ? -EINTR : perform(r, s, &r->t->seen[i]);
		see_head(r, s, &r->t->seen[i]);
		if (ret)
			r->t->seen[i].has = 0; /* unfinished: nothing is claimed about it */
	}
	return ret;
}

int runner_run(const struct wake_case *c, struct instruments *with, struct trace *t,
	       struct runner_error *err)
{
	struct runner r = new_runner(c, with, t, err);
	int ret = open_runner(&r);

	if (!ret)
		ret = perform_steps(&r);
	close_runner(&r);
	return ret;
}

int runner_open(struct runner **r, const struct wake_case *c, struct instruments *with,
		struct trace *t, struct runner_error *err)
{
	int ret;

	*r = malloc(sizeof(**r));
	if (!*r)
		return -ENOMEM;
	**r = new_runner(c, with, t, err);
	ret = open_runner(*r);
	if (ret) {
		runner_close(*r);
		*r = NULL;
	}
	return ret;
}

void runner_close(struct runner *r)
{
	if (r)
		close_runner(r);
	free(r);
}

/* Everything that the kernel counts for ring @id starts again. */
static int renew_ring(struct runner *r, uint32_t id)
{
	int ret;

	ring_unmap(&r->rings[id]);
	ret = ring_map(&r->rings[id]);
	if (!ret && r->overflows[id] >= 0)
		ret = overflow_redirect(r->overflows[id], &r->rings[id]);
	if (!ret)
		ret = emitter_set_slot(r->e, id, r->rings[id].fd);
	return ret ? fail(r, ret, "ring %u cannot be mapped anew: %s", id, strerror(-ret)) : 0;
}

int runner_again(struct runner *r)
{
	int ret = 0;

	value_store_clear(&r->t->store);
	memset(r->t->seen, 0, r->c->nsteps * sizeof(*r->t->seen));
	r->number = 0;
	emitter_set_number(r->e, 0);
	for (uint32_t id = 0; !ret && id < CASE_MAX_RINGS; id++)
		if (r->c->rings[id].declared)
			ret = renew_ring(r, id);
	return ret ? ret : perform_steps(r);
}

int runner_scout(struct runner *r, uint32_t *passed)
{
	int ret;

	*passed = 0;
	r->passed = passed;
	ret = runner_again(r);
	r->passed = NULL;
	return ret == -ECANCELED ? 0 : ret ? ret : -ENXIO;
}
