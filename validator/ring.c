// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring.h"

/* The only place that fills a perf_event_attr. */
void ring_attr(const struct ring_spec *spec, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,	/* nothing but the payload: records stay predictable */
		.sample_period = 1,		/* 0 would make it a counter, which takes no samples */
		.watermark = spec->by_watermark,
		.wakeup_events = spec->threshold, /* a union with wakeup_watermark */
		.write_backward = spec->backward,
		.read_format = spec->reads_lost ? PERF_FORMAT_LOST : 0,
	};
}

struct ring ring_closed(void)
{
	struct ring r = { .fd = -1, .nested = -1 };

	for (int via = 0; via < VIAS; via++)
		r.epoll[via] = -1;
	return r;
}

int ring_map(struct ring *r)
{
	int prot = r->overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	uint8_t *base = mmap(NULL, CASE_PAGE_BYTES + r->bytes, prot, MAP_SHARED, r->fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	r->page = (struct perf_event_mmap_page *)base;
	r->data = base + CASE_PAGE_BYTES;
	return 0;
}

void ring_unmap(struct ring *r)
{
	if (r->page && !r->borrowed)
		munmap(r->page, CASE_PAGE_BYTES + r->bytes);
	r->page = NULL;
	r->data = NULL;
}

/* What each way to look asks of epoll. */
static uint32_t epoll_events(enum look_via via)
{
	return EPOLLIN | (via == VIA_EDGE ? EPOLLET : 0) | (via == VIA_ONESHOT ? EPOLLONESHOT : 0);
}

static int watch(int *epoll, int fd, uint32_t events)
{
	struct epoll_event ev = { .events = events };

	*epoll = epoll_create1(EPOLL_CLOEXEC);
	return *epoll < 0 || epoll_ctl(*epoll, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

int ring_watch(struct ring *r, enum look_via via)
{
	int ret;

	if (via >= VIA_POLL || r->epoll[via] >= 0)
		return 0;
	ret = watch(&r->epoll[via], r->fd, epoll_events(via));
	if (!ret && via == VIA_NESTED)
		ret = watch(&r->nested, r->epoll[via], EPOLLIN);
	return ret;
}

int ring_open(struct ring *r, const struct ring_spec *spec)
{
	struct perf_event_attr attr;
	int ret;

	ring_attr(spec, &attr);
	*r = ring_closed();
	r->bytes = ring_bytes(spec);
	r->backward = spec->backward;
	r->overwrite = spec->overwrite;
	if (sysconf(_SC_PAGESIZE) != CASE_PAGE_BYTES)
		return -ENOTSUP; /* thresholds in pages would not be what the case means */
	r->fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)spec->cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	ret = r->fd < 0 ? -errno : ring_map(r);
	if (!ret)
		ret = ring_watch(r, VIA_EPOLL);
	if (!ret)
		ret = ring_enable(r, true);
	if (ret)
		ring_close(r);
	return ret;
}

int ring_open_anchor(void)
{
	struct perf_event_attr attr;
	int fd;

	ring_attr(&(struct ring_spec){ .threshold = 1 }, &attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void ring_close(struct ring *r)
{
	ring_unmap(r);
	if (r->nested >= 0)
		close(r->nested);
	for (int via = 0; via < VIAS; via++)
		if (r->epoll[via] >= 0)
			close(r->epoll[via]);
	if (r->fd >= 0)
		close(r->fd);
	*r = ring_closed();
}

int ring_adopt(struct ring *r, uint64_t bytes, int fd, int epoll_fd, void *base)
{
	*r = ring_closed();
	r->bytes = bytes;
	r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (r->fd >= 0 && epoll_fd >= 0)
		r->epoll[VIA_EPOLL] = fcntl(epoll_fd, F_DUPFD_CLOEXEC, 0);
	if (r->fd < 0 || (epoll_fd >= 0 && r->epoll[VIA_EPOLL] < 0)) {
		int ret = -errno;

		ring_close(r);
		return ret;
	}
	r->page = base;
	r->data = base ? (uint8_t *)base + CASE_PAGE_BYTES : NULL;
	r->borrowed = true;
	return ring_watch(r, VIA_EPOLL);
}

static int look_poll(const struct ring *r, short events, uint32_t *found)
{
	struct pollfd pfd = { .fd = r->fd, .events = events };
	int n = poll(&pfd, 1, 0);

	*found = (uint32_t)pfd.revents;
	return n < 0 ? -errno : 0;
}

static int look_epoll(const struct ring *r, enum look_via via, uint32_t *found)
{
	struct epoll_event arm = { .events = epoll_events(via) }, ev = { 0 };
	int fd = r->epoll[via], n;

	if (via == VIA_MOD && epoll_ctl(fd, EPOLL_CTL_MOD, r->fd, &arm))
		return -errno;
	n = epoll_wait(via == VIA_NESTED ? r->nested : fd, &ev, 1, 0);
	*found = n > 0 ? ev.events : 0;
	if (n > 0 && via == VIA_ONESHOT && epoll_ctl(fd, EPOLL_CTL_MOD, r->fd, &arm))
		return -errno;
	return n < 0 ? -errno : 0;
}

int ring_look(const struct ring *r, enum look_via via, enum readiness *readiness)
{
	uint32_t found = 0;
	int ret = -EINVAL;

	switch (via) {
	case VIA_EPOLL:
	case VIA_SECOND:
	case VIA_EDGE:
	case VIA_ONESHOT:
	case VIA_MOD:
	case VIA_NESTED:
		ret = look_epoll(r, via, &found);
		break;
	case VIA_POLL:
		ret = look_poll(r, POLLIN, &found);
		break;
	case VIA_RDNORM:
		ret = look_poll(r, POLLRDNORM, &found);
		break;
	case VIA_BOTH:
		ret = look_poll(r, POLLIN | POLLRDNORM, &found);
		break;
	case VIAS:
		break;
	}
	_Static_assert(EPOLLIN == POLLIN && EPOLLHUP == POLLHUP && EPOLLERR == POLLERR,
		       "one set of bits serves both");
	*readiness = found & EPOLLERR ? READINESS_ERR :
		     found & EPOLLHUP ? READINESS_HUP :
		     found ? READINESS_READY : READINESS_QUIET;
	return ret;
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

uint64_t ring_head(const struct ring *r)
{
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

int ring_redirect(const struct ring *r, const struct ring *to)
{
	return ioctl(r->fd, PERF_EVENT_IOC_SET_OUTPUT, to->fd) ? -errno : 0;
}

int ring_read_lost(const struct ring *r, uint64_t *lost)
{
	uint64_t count[2] = { 0 };	/* the event's value, then what was lost */
	ssize_t n = read(r->fd, count, sizeof(count));

	*lost = count[1];
	return n == sizeof(count) ? 0 : n < 0 ? -errno : -EIO;
}
