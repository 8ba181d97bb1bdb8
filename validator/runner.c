// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "overflow.h"
#include "runner_inner.h"
#include "trace_text.h"

static volatile sig_atomic_t stop;

void runner_stop(void)
{
	stop = 1;
}

bool runner_stopped(void)
{
	return stop;
}

int runner_fail(struct runner *r, int ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->err->reason, sizeof(r->err->reason), fmt, ap);
	va_end(ap);
	return ret;
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
		return runner_fail(r, -EOPNOTSUPP, "ring %u: %s", id, why);
	r->slots[id] = consumer_slot(c, id, &spec);
	ret = consumer_open_ring(c, id, &spec, &r->rings[id]);
	if (ret)
		return runner_fail(r, ret, "ring %u (cpu=%u pages=%u) cannot be opened: %s%s%s%s", id,
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
		return runner_fail(r, ret, "ring %u cannot be watched: %s", id, strerror(-ret));
	if (!overflows_into(r->c, id))
		return 0;
	r->overflows[id] = overflow_open(&spec, &r->rings[id]);
	return r->overflows[id] >= 0 ? 0 :
	       runner_fail(r, r->overflows[id], "ring %u: no other event can write to it: %s%s", id,
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
		return runner_fail(r, -ENOMEM, "no memory for the case");
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
		ret = stop ? -EINTR : runner_perform(r, s, &r->t->seen[i]);
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
	return ret ? runner_fail(r, ret, "ring %u cannot be mapped anew: %s", id, strerror(-ret)) : 0;
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
