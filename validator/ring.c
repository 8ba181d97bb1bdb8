// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring.h"

/* The only place that fills a perf_event_attr. */
static struct perf_event_attr ring_attr(const struct ring_spec *spec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,	/* nothing but the payload: records stay predictable */
		.sample_period = 1,		/* 0 would make it a counter, which takes no samples */
		.watermark = spec->by_watermark,
		.wakeup_events = spec->threshold, /* a union with wakeup_watermark */
	};

	return attr;
}

int ring_map(struct ring *r)
{
	uint8_t *base = mmap(NULL, CASE_PAGE_BYTES + r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     r->fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	r->page = (struct perf_event_mmap_page *)base;
	r->data = base + CASE_PAGE_BYTES;
	return 0;
}

void ring_unmap(struct ring *r)
{
	if (r->page)
		munmap(r->page, CASE_PAGE_BYTES + r->bytes);
	r->page = NULL;
	r->data = NULL;
}

int ring_open(struct ring *r, const struct ring_spec *spec)
{
	struct perf_event_attr attr = ring_attr(spec);
	struct epoll_event ev = { .events = EPOLLIN };
	int ret;

	*r = RING_CLOSED;
	r->bytes = ring_bytes(spec);
	if (sysconf(_SC_PAGESIZE) != CASE_PAGE_BYTES)
		return -ENOTSUP; /* thresholds in pages would not be what the case means */
	r->fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)spec->cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		goto fail;
	ret = ring_map(r);
	if (ret)
		goto close;
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0 || epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, r->fd, &ev))
		goto fail;
	ret = ring_enable(r, true);
	if (!ret)
		return 0;
	goto close;
fail:
	ret = -errno;
close:
	ring_close(r);
	return ret;
}

void ring_close(struct ring *r)
{
	ring_unmap(r);
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	if (r->fd >= 0)
		close(r->fd);
	*r = RING_CLOSED;
}

int ring_look(const struct ring *r, enum look_via via, enum readiness *readiness)
{
	struct epoll_event ev = { 0 };
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN };
	uint32_t found = 0;
	int n = 0;

	switch (via) {
	case VIA_EPOLL:
		n = epoll_wait(r->epoll_fd, &ev, 1, 0);
		found = ev.events;
		break;
	case VIA_POLL:
		n = poll(&pfd, 1, 0);
		found = (uint32_t)pfd.revents;
		break;
	}
	if (n < 0)
		return -errno;
	_Static_assert(EPOLLIN == POLLIN && EPOLLHUP == POLLHUP && EPOLLERR == POLLERR,
		       "one set of bits serves both");
	*readiness = !n ? READINESS_QUIET :
		     found & EPOLLERR ? READINESS_ERR :
		     found & EPOLLHUP ? READINESS_HUP : READINESS_READY;
	return 0;
}

int ring_pause(const struct ring *r, bool pause)
{
	return ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause ? 1 : 0) ? -errno : 0;
}

int ring_enable(const struct ring *r, bool enable)
{
	unsigned long request = enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return ioctl(r->fd, request, 0) ? -errno : 0;
}
