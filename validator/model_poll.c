// SPDX-License-Identifier: GPL-2.0
/* The pollers: perf_poll(), and what epoll makes of it. */
#include "model.h"
#include "trace.h"

/* What perf_poll() can say. */
enum {
	POLL_IN		= 1 << 0,
	POLL_RDNORM	= 1 << 1,
	POLL_HUP	= 1 << 2,
};

/* True for a release of @first's branch that is not older. */
static bool since(uint32_t version, uint32_t first)
{
	return version >> 8 == first >> 8 && version >= first;
}

struct model_kernel model_kernel(uint32_t version)
{
	/* 6.15, and stable releases from a certain one on. */
	return (struct model_kernel){
		.rdnorm = !version || version >= TRACE_KERNEL(6, 15, 0) ||
			  since(version, TRACE_KERNEL(6, 12, 23)) ||
			  since(version, TRACE_KERNEL(6, 1, 134)) ||
			  since(version, TRACE_KERNEL(5, 10, 236)),
	};
}

void model_wake(struct model *m, uint32_t ring)
{
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		if (m->events[id].output == ring)
			for (int via = 0; via < VIAS; via++)
				m->events[id].listed[via] = true;
}

/* perf_poll(): no ring is a hang-up; else the flag, which is taken whatever the caller asked for. */
static uint32_t perf_poll(struct model *m, uint32_t id)
{
	struct model_ring *r = model_ring_of(m, id);
	uint32_t found;

	if (!r)
		return POLL_HUP;
	found = r->poll ? POLL_IN : 0;
	if (found && m->kernel.rdnorm)
		found |= POLL_RDNORM;
	r->poll = false;
	return found;
}

/*
 * epoll_wait() asks what is on its list and drops what has nothing to say. Level-triggered, the item
 * goes back behind its report; edge-triggered and one-shot it waits for the next wake.
 */
static uint32_t epoll(struct model *m, uint32_t id, enum look_via via)
{
	struct model_event *e = &m->events[id];
	uint32_t found;

	if (!e->listed[via])
		return 0;
	found = perf_poll(m, id) & (POLL_IN | POLL_HUP);
	e->listed[via] = found && via != VIA_EDGE;
	/* EPOLL_CTL_MOD, which arms it again, asks too. */
	if (via == VIA_ONESHOT && found)
		e->listed[via] = perf_poll(m, id) & (POLL_IN | POLL_HUP);
	return found;
}

static enum readiness as_readiness(uint32_t found)
{
	if (found & POLL_HUP)
		return READINESS_HUP;
	return found ? READINESS_READY : READINESS_QUIET;
}

enum readiness model_look(struct model *m, uint32_t id, enum look_via via)
{
	switch (via) {
	case VIA_EPOLL:
	case VIA_SECOND:
	case VIA_EDGE:
	case VIA_ONESHOT:
		return as_readiness(epoll(m, id, via));
	case VIA_MOD:
		/* The call itself asks, and lists the item if there was something. */
		if (perf_poll(m, id) & (POLL_IN | POLL_HUP))
			m->events[id].listed[via] = true;
		return as_readiness(epoll(m, id, via));
	case VIA_NESTED:
		/* The outer epoll says only that the inner one has something. */
		return epoll(m, id, via) ? READINESS_READY : READINESS_QUIET;
	case VIA_POLL:
		return as_readiness(perf_poll(m, id) & (POLL_IN | POLL_HUP));
	case VIA_RDNORM:
		return as_readiness(perf_poll(m, id) & (POLL_RDNORM | POLL_HUP));
	case VIA_BOTH:
		return as_readiness(perf_poll(m, id));
	case VIAS:
		break;
	}
	return READINESS_ERR;
}
