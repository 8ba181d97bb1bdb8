// SPDX-License-Identifier: GPL-2.0
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "consumer.h"
#include "trace_text.h"

static const struct consumer_ops *const ops_of[CONSUMERS] = {
	[CONSUMER_RAW] = &consumer_raw_ops,
	[CONSUMER_LIBBPF] = &consumer_libbpf_ops,
	[CONSUMER_LIBBPF_RAW] = &consumer_libbpf_raw_ops,
	[CONSUMER_BCC] = &consumer_pipe_ops,
	[CONSUMER_BCC_CC] = &consumer_pipe_ops,
	[CONSUMER_BCC_PY] = &consumer_pipe_ops,
	[CONSUMER_CILIUM] = &consumer_pipe_ops,
};

uint32_t consumer_slots(enum consumer_kind kind)
{
	int cpus = libbpf_num_possible_cpus();

	/* Deviation array-larger-than-cpus. */
	return kind == CONSUMER_CILIUM && cpus > 0 && cpus < CASE_MAX_RINGS ? (uint32_t)cpus :
	       CASE_MAX_RINGS;
}

void consumer_init(struct consumer *c, enum consumer_kind kind)
{
	*c = (struct consumer){ .kind = kind, .slots_fd = -1, .slots = CASE_MAX_RINGS };
}

int consumer_start(struct consumer *c, int slots_fd)
{
	int ret;

	c->ops = ops_of[c->kind];
	c->slots_fd = slots_fd;
	c->reason[0] = 0;
	if (!c->ops) {
		snprintf(c->reason, sizeof(c->reason), "this build has no consumer %s",
			 consumer_names[c->kind]);
		return -EOPNOTSUPP;
	}
	c->offers = c->ops->offers;
	snprintf(c->version, sizeof(c->version), "%s", c->ops->version ? c->ops->version : "");
	ret = c->ops->start ? c->ops->start(c) : 0;
	if (ret)
		c->ops = NULL;
	return ret;
}

void consumer_stop(struct consumer *c)
{
	if (c->ops && c->ops->stop)
		c->ops->stop(c);
	consumer_init(c, c->kind);
}

/* --- what cases need */

static const char *const why_not[OFFERS] = {
	"it cannot be told how many samples to wake for",
	"it does not hand on wakeup_events of 0 or of 2^31 and more",
	"it cannot be told how many bytes to wake for",
	"it refuses, or reads in its own way, a watermark of 0 and of a ring's length and more",
	"it has no call for what no wake announced",
	"its only call blocks, and reads as soon as a wake comes",
	"it tells no descriptor: it looks only to read at once, and nothing else can be done to its ring",
	"it reads all that is there",
	"it opens all CPUs alike, one ring each, in the slot of the CPU",
	"it does not ask for PERF_FORMAT_LOST",
	"it maps a ring once and for all",
	"it reads forward rings only, and writes to the tail",
};

static uint32_t ring_needs(const struct ring_spec *r)
{
	uint32_t needs = 0;

	if (r->by_watermark)
		needs |= OFFER_BYTES | (r->threshold && r->threshold < ring_bytes(r) ? 0 :
					OFFER_BYTES_ANY);
	else if (r->threshold != 1)
		needs |= OFFER_EVENTS | (r->threshold && r->threshold <= INT32_MAX ? 0 : OFFER_ZERO);
	if (r->backward || r->overwrite)
		needs |= OFFER_BACKWARD;
	return needs;
}

/* A look that reads at once is as good as one that does not where all is consumed next anyway. */
static bool consumed_next(const struct wake_case *wc, uint32_t at)
{
	const struct step *next;

	if (at + 1 == wc->nsteps)
		return true;
	next = &wc->steps[at + 1];
	return next->ring == wc->steps[at].ring && next->kind == STEP_CONSUME && !next->count;
}

static uint32_t step_needs(const struct wake_case *wc, uint32_t at)
{
	const struct step *s = &wc->steps[at];

	switch (s->kind) {
	case STEP_EMIT:
		return s->every == EVERY_LOOK ? OFFER_FD | OFFER_WAITS :
		       s->every == EVERY_NOTHING ? OFFER_WAITS : 0;
	case STEP_LOOK:
		if (s->via == VIA_EPOLL && consumed_next(wc, at))
			return 0;
		return OFFER_FD;
	case STEP_CONSUME:
		return OFFER_CONSUME | (s->count ? OFFER_PART : 0);
	case STEP_PAUSE:
	case STEP_RESUME:
	case STEP_DISABLE:
	case STEP_ENABLE:
	case STEP_REDIRECT:
		return OFFER_FD;
	case STEP_READ_LOST:
		return OFFER_FD | OFFER_COUNT;
	case STEP_REMAP:
	case STEP_UNMAP:
	case STEP_MAP:
		return OFFER_MAPPING;
	case STEP_DROP_SLOT:
	case STEP_KINDS:
		break;
	}
	return 0;
}

static bool is_of(const struct consumer *c, const struct ring_spec *r)
{
	return r->declared && (r->consumer ? r->consumer : CONSUMER_RAW) == c->kind;
}

/* Several rings need to be opened each by itself, unless they are alike and of different CPUs. */
static uint32_t rings_need(const struct consumer *c, const struct wake_case *wc)
{
	const struct ring_spec *first = NULL;
	uint32_t needs = 0;
	bool cpus[CASE_MAX_CPUS] = { false };

	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		const struct ring_spec *r = &wc->rings[id];

		if (!is_of(c, r))
			continue;
		needs |= ring_needs(r);
		/* One poller for both: what it reads at a look at one may be of the other. */
		if (first)
			needs |= OFFER_FD;
		if (cpus[r->cpu] || (first && (first->threshold != r->threshold ||
					       first->by_watermark != r->by_watermark ||
					       first->pages != r->pages)))
			needs |= OFFER_EACH;
		cpus[r->cpu] = true;
		first = r;
	}
	return needs;
}

static const char *lacking(const struct consumer *c, uint32_t needs)
{
	for (uint32_t i = 0; i < OFFERS; i++)
		if (needs & ~c->offers & 1u << i)
			return why_not[i];
	return NULL;
}

static bool lacks_slot(const struct consumer *c, const struct wake_case *wc)
{
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		if (is_of(c, &wc->rings[id]) && consumer_slot(c, id, &wc->rings[id]) >= c->slots)
			return true;
	return false;
}

const char *consumer_lacks(const struct consumer *c, const struct wake_case *wc)
{
	static char text[300];
	const char *why = lacking(c, rings_need(c, wc));

	if (!why && lacks_slot(c, wc))
		why = "the perf event array has fewer slots for the sake of another consumer";
	if (why) {
		snprintf(text, sizeof(text), "%s %s: %s", consumer_names[c->kind], c->version, why);
		return text;
	}
	for (uint32_t i = 0; i < wc->nsteps; i++) {
		const struct step *s = &wc->steps[i];

		if (!is_of(c, &wc->rings[s->ring]))
			continue;
		why = lacking(c, step_needs(wc, i));
		if (!why)
			continue;
		snprintf(text, sizeof(text), "%s %s, line %u, %s: %s", consumer_names[c->kind],
			 c->version, s->line, step_kind_name(s->kind), why);
		return text;
	}
	return NULL;
}

/* --- rings */

uint32_t consumer_slot(const struct consumer *c, uint32_t id, const struct ring_spec *spec)
{
	return c->offers & OFFER_EACH ? id : spec->cpu;
}

int consumer_open_ring(struct consumer *c, uint32_t id, const struct ring_spec *spec,
		       struct ring *ring)
{
	int ret;

	*ring = ring_closed();
	c->reason[0] = 0;
	if (consumer_slot(c, id, spec) >= c->slots) {
		snprintf(c->reason, sizeof(c->reason), "there are %u slots", c->slots);
		return -ERANGE;
	}
	ret = c->ops->open(c, id, spec, ring);
	if (ret)
		consumer_close_ring(c, id, ring);
	return ret;
}

void consumer_close_ring(struct consumer *c, uint32_t id, struct ring *ring)
{
	ring_close(ring);
	if (c->rings[id])
		c->ops->close(c, id);
	c->rings[id] = NULL;
}

static void begin_call(struct consumer *c, uint32_t max, raw_run_fn fn, void *ctx)
{
	c->reason[0] = 0;
	c->fn = fn;
	c->ctx = ctx;
	c->left = max ? max : UINT32_MAX;
	c->records = 0;
}

int consumer_poll(struct consumer *c, uint32_t id, struct ring *ring, int timeout_ms,
		  raw_run_fn fn, void *ctx, bool *ready)
{
	int ret;

	begin_call(c, 0, fn, ctx);
	ret = c->ops->poll(c, id, ring, timeout_ms);
	*ready = ret > 0 || c->records;
	return ret;
}

int consumer_consume(struct consumer *c, uint32_t id, struct ring *ring, uint32_t max,
		     raw_run_fn fn, void *ctx)
{
	begin_call(c, max, fn, ctx);
	return c->ops->consume(c, id, ring);
}

bool consumer_deliver_run(struct consumer *c, const struct raw_run *run)
{
	c->callbacks++;
	c->records += run->count;
	c->fn(c->ctx, run);
	if (c->left != UINT32_MAX)
		c->left -= run->count;
	return c->left;
}

bool consumer_deliver(struct consumer *c, const struct raw_record *record)
{
	const struct raw_run run = { .record = *record, .count = 1 };

	return consumer_deliver_run(c, &run);
}

/* --- our own reader */

static int raw_start(struct consumer *c)
{
	struct consumer_raw *raw = calloc(1, sizeof(*raw));

	if (!raw || consumer_raw_open(raw)) {
		free(raw);
		snprintf(c->reason, sizeof(c->reason), "no memory");
		return -ENOMEM;
	}
	c->own = raw;
	return 0;
}

static void raw_stop(struct consumer *c)
{
	consumer_raw_close(c->own);
	free(c->own);
}

static int raw_open(struct consumer *c, uint32_t id, const struct ring_spec *spec,
		    struct ring *ring)
{
	int ret = ring_open(ring, spec);

	if (ret)
		return ret;
	c->rings[id] = ring;
	return bpf_map_update_elem(c->slots_fd, &id, &ring->fd, BPF_ANY) ? -errno : 0;
}

static void raw_close(struct consumer *c, uint32_t id)
{
	bpf_map_delete_elem(c->slots_fd, &id); /* may be empty already, by a step */
}

static void raw_run(void *ctx, const struct raw_run *run)
{
	consumer_deliver_run(ctx, run);
}

static int raw_consume(struct consumer *c, uint32_t id, struct ring *ring)
{
	(void)id;
	if (!ring->page)
		return 0;
	return consumer_raw_runs(c->own, ring, c->left, raw_run, c);
}

static int raw_poll(struct consumer *c, uint32_t id, struct ring *ring, int timeout_ms)
{
	struct epoll_event ev;
	int n = epoll_wait(ring->epoll[VIA_EPOLL], &ev, 1, timeout_ms);
	int ret = n > 0 && ev.events & EPOLLIN ? raw_consume(c, id, ring) : 0;

	/* How many records; a wake without any is told too. */
	return n < 0 ? -errno : ret < 0 ? ret : n && !ret ? 1 : ret;
}

const struct consumer_ops consumer_raw_ops = {
	.version = "of this build",
	.offers = (1 << OFFERS) - 1,
	.start = raw_start,
	.stop = raw_stop,
	.open = raw_open,
	.poll = raw_poll,
	.consume = raw_consume,
	.close = raw_close,
};

/* --- all of them */

void consumers_init(struct consumers *all, int slots_fd, uint32_t slots)
{
	all->slots_fd = slots_fd;
	all->slots = slots;
	for (enum consumer_kind kind = 0; kind < CONSUMERS; kind++)
		consumer_init(&all->by_kind[kind], kind);
}

void consumers_stop(struct consumers *all)
{
	for (enum consumer_kind kind = 0; kind < CONSUMERS; kind++)
		consumer_stop(&all->by_kind[kind]);
}

struct consumer *consumers_get(struct consumers *all, enum consumer_kind kind, const char **reason)
{
	struct consumer *c = &all->by_kind[kind ? kind : CONSUMER_RAW];

	c->slots = all->slots;
	if (c->ops || !consumer_start(c, all->slots_fd))
		return c;
	*reason = c->reason;
	return NULL;
}
