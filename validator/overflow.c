// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "overflow.h"

/* getpriority() refuses such a first argument, and does nothing else. */
#define MARK		0x7065726677616bULL
#define CALL		SYS_getpriority
#define TRACEPOINT	"syscalls/sys_enter_getpriority"

/* What the tracepoint of a system call with two arguments writes: struct syscall_trace_enter. */
struct entry {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;		/* of the thread */
	int32_t words[2];	/* the number of the call is in one of them */
	uint64_t args[2];	/* the mark above the ring; the sample's number */
};

_Static_assert(((sizeof(struct entry) + 4 + 7) & ~7u) - 4 == CASE_OVERFLOW_SIZE, "padded as each raw record");

/* A file that tells of the tracepoint, or NULL. */
static FILE *open_tracepoint(const char *file)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	FILE *in = NULL;
	char path[128];

	for (int i = 0; !in && i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/" TRACEPOINT "/%s", folders[i], file);
		in = fopen(path, "r");
	}
	return in;
}

/* The kernel's number of the tracepoint, or -ENOENT. */
static int tracepoint_id(void)
{
	static int id; /* does not change while the kernel runs */
	FILE *in = id ? NULL : open_tracepoint("id");

	if (in) {
		if (fscanf(in, "%d", &id) != 1)
			id = 0;
		fclose(in);
	}
	return id ? id : -ENOENT;
}

/* Where in a record the number of the call stands: 8, or 12 where a kernel for real time counts more before it; or -1. */
static int number_at(void)
{
	static int at = -1;
	FILE *in = at < 0 ? open_tracepoint("format") : NULL;
	char line[256];

	if (in) {
		while (at < 0 && fgets(line, sizeof(line), in))
			if (sscanf(line, " field:int __syscall_nr; offset:%d;", &at) != 1)
				at = -1;
		fclose(in);
	}
	return at;
}

int overflow_open(const struct ring_spec *spec, const struct ring *to)
{
	struct perf_event_attr attr;
	int fd, ret, id = tracepoint_id();

	if (id < 0)
		return id;
	ring_attr(spec, &attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = (uint64_t)id;
	attr.disabled = 1;	/* a call is for one of them; there may be more, for other rings */
	/* SET_OUTPUT wants one CPU for both; of the thread, so that nobody else's calls are in the ring. */
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, (int)spec->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = overflow_redirect(fd, to);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int overflow_redirect(int fd, const struct ring *to)
{
	if (!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to->fd))
		return 0;
	/* An event without a ring. */
	if (errno == EINVAL && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1))
		return 0;
	return -errno;
}

int overflow_emit(int fd, uint32_t ring, uint32_t number)
{
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	syscall(CALL, MARK << 8 | ring, (unsigned long)number);
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

/* The payload as what it would be. */
static bool read_entry(const uint8_t *payload, uint32_t size, struct entry *e)
{
	if (size != CASE_OVERFLOW_SIZE)
		return false;
	memcpy(e, payload, sizeof(*e));
	return e->args[0] >> 8 == MARK;
}

bool overflow_number(const uint8_t *payload, uint32_t size, uint32_t *number)
{
	struct entry e;

	if (!read_entry(payload, size, &e))
		return false;
	*number = (uint32_t)e.args[1];
	return true;
}

bool overflow_whole(const uint8_t *payload, uint32_t size, uint32_t ring)
{
	size_t at = (size_t)number_at();
	int32_t number;
	struct entry e;

	if (!read_entry(payload, size, &e) || at > size - sizeof(number))
		return false;
	memcpy(&number, payload + at, sizeof(number));
	return e.type == tracepoint_id() && number == CALL &&
	       e.pid == (int32_t)syscall(SYS_gettid) && (e.args[0] & 0xff) == ring && !(e.args[1] >> 32);
}
