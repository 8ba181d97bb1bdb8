/* SPDX-License-Identifier: GPL-2.0 */
/* One perf ring of the running kernel: descriptor, mapping, poller. */
#ifndef PERFWAKE_RING_H
#define PERFWAKE_RING_H

#include "case.h"

struct perf_event_attr;
struct perf_event_mmap_page;

struct ring {
	int fd;
	int epoll[VIAS];		/* one for each way to look that ring_watch() was asked for, or -1 */
	int nested;			/* the epoll that watches epoll[VIA_NESTED] */
	struct perf_event_mmap_page *page;	/* NULL while not mapped */
	const uint8_t *data;
	uint64_t bytes;			/* of @data, a power of two */
	bool backward;
	bool overwrite;			/* mapped read-only */
	bool borrowed;			/* the mapping is a library's */
};

/* Nothing open: what ring_close() leaves, and accepts. */
struct ring ring_closed(void);

/*
 * Open, map and enable a PERF_COUNT_SW_BPF_OUTPUT event as @spec asks, and watch it by VIA_EPOLL.
 * Returns 0 or -errno, and then *@r is closed.
 */
int ring_open(struct ring *r, const struct ring_spec *spec);

/* The attributes of the event that @spec asks for. */
void ring_attr(const struct ring_spec *spec, struct perf_event_attr *attr);

/*
 * A ring that a library has opened and reads, with @bytes of data: its event @fd, its epoll or -1, and
 * its mapping or NULL. The descriptors are duplicated; the mapping stays the library's, and
 * must last as long as @r. Returns 0 or -errno, and then *@r is closed.
 */
int ring_adopt(struct ring *r, uint64_t bytes, int fd, int epoll_fd, void *base);

/* Make ring_look() by @via possible: registers with an epoll of its own where it needs one. */
int ring_watch(struct ring *r, enum look_via via);

/*
 * An event that nobody uses, or -errno: the first of its kind that opens, and the last that closes, patch the
 * kernel's text, and as long as this one is there no other ring does. For the caller to close.
 */
int ring_open_anchor(void);

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

/* data_head, as published; the ring must be mapped. */
uint64_t ring_head(const struct ring *r);

/* PERF_EVENT_IOC_SET_OUTPUT: what @r emits goes to the ring of @to. 0 or -errno. */
int ring_redirect(const struct ring *r, const struct ring *to);

/* What read() counts as refused since the event was opened, with spec->reads_lost. 0 or -errno. */
int ring_read_lost(const struct ring *r, uint64_t *lost);

#endif
