/* SPDX-License-Identifier: GPL-2.0 */
/* One perf ring of the running kernel: descriptor, mapping, poller. */
#ifndef PERFWAKE_RING_H
#define PERFWAKE_RING_H

#include "case.h"

struct perf_event_mmap_page;

struct ring {
	int fd;
	int epoll_fd;			/* @fd registered for EPOLLIN, level-triggered */
	struct perf_event_mmap_page *page;	/* NULL while not mapped */
	const uint8_t *data;
	uint64_t bytes;			/* of @data, a power of two */
};

/* A ring that ring_close() accepts. */
#define RING_CLOSED ((struct ring){ .fd = -1, .epoll_fd = -1 })

/*
 * Open, map and enable a PERF_COUNT_SW_BPF_OUTPUT event as @spec asks, and register it with an epoll
 * of its own. Returns 0 or -errno, and then *@r is closed.
 */
int ring_open(struct ring *r, const struct ring_spec *spec);

/* Accepts half-built and closed rings. */
void ring_close(struct ring *r);

/* Map @r->bytes of data anew: all that the kernel counts for the ring starts again. 0 or -errno. */
int ring_map(struct ring *r);
void ring_unmap(struct ring *r);

/* One look with timeout 0, which takes the readiness flag. Returns 0 or -errno. */
int ring_look(const struct ring *r, enum look_via via, enum readiness *readiness);

/* PERF_EVENT_IOC_PAUSE_OUTPUT, _ENABLE and _DISABLE. 0 or -errno. */
int ring_pause(const struct ring *r, bool pause);
int ring_enable(const struct ring *r, bool enable);

#endif
