// SPDX-License-Identifier: GPL-2.0
/*
 * A reader blocked in epoll_wait(-1) is woken once for each threshold, and never before. No sleep
 * proves that: the kernel makes a woken thread runnable before the emitting system call returns, so
 * after each sample that is not due the reader must still be asleep; and at each return it must
 * find exactly the samples of one threshold.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>

#include "kselftest_harness.h"
#include "subject.h"

#define DEADLINE_S 10

struct reader {
	pthread_t thread;
	struct subject *subject;
	int stop_fd;		/* an eventfd in the same epoll: ends the reader */
	int stat_fd;		/* /proc/self/task/TID/stat */
	uint32_t begun;		/* times that it went to wait */
	uint32_t returns;	/* times that the ring woke it */
	uint32_t first, last;	/* what it consumed at the last return */
	bool whole;		/* first to last, each once, in order */
};

FIXTURE(blocked)
{
	struct subject s;
	struct reader r;
};

FIXTURE_VARIANT(blocked)
{
	enum emitter_kind emitter;
	uint32_t wakeup_events;
	uint32_t samples;
	uint32_t returns;	/* exactly */
	uint32_t left;		/* samples that no wake announces */
};

#define BOTH_EMITTERS(n, samples, returns, left) \
	FIXTURE_VARIANT_ADD(blocked, test_run_##n) { EMITTER_TEST_RUN, n, samples, returns, left }; \
	FIXTURE_VARIANT_ADD(blocked, attached_##n) { EMITTER_ATTACHED, n, samples, returns, left }

BOTH_EMITTERS(1, 20, 20, 0);
BOTH_EMITTERS(2, 21, 10, 1);
BOTH_EMITTERS(10, 109, 10, 9);
BOTH_EMITTERS(100, 350, 3, 50);

static void *read_ring(void *arg)
{
	struct reader *r = arg;
	struct subject *s = r->subject;
	char path[64];
	cpu_set_t set;

	/* Another CPU than the emitting one, where there is one. */
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", syscall(SYS_gettid));
	__atomic_store_n(&r->stat_fd, open(path, O_RDONLY | O_CLOEXEC), __ATOMIC_RELEASE);
	for (;;) {
		struct epoll_event ev[2];
		int n;

		__atomic_add_fetch(&r->begun, 1, __ATOMIC_RELEASE);
		n = epoll_wait(s->ring.epoll[VIA_EPOLL], ev, 2, -1);
		if (n == 1 && ev[0].data.fd == r->stop_fd)
			return r;
		/* Anything but the ring alone ends the reader without its word. */
		if (n != 1 || ev[0].events != EPOLLIN)
			return NULL;
		n = subject_consume(s, 0);
		r->whole = n > 0 && subject_got(s, s->numbers[0], s->numbers[0] + (uint32_t)n - 1);
		r->first = s->numbers[0];
		r->last = s->numbers[0] + (uint32_t)n - 1;
		__atomic_add_fetch(&r->returns, 1, __ATOMIC_RELEASE);
	}
}

/* True while the reader sleeps in epoll_wait: nothing has woken it, not even on its way to run. */
static bool asleep(struct reader *r)
{
	uint32_t returns = __atomic_load_n(&r->returns, __ATOMIC_ACQUIRE);
	char stat[256] = "";
	const char *state;

	if (__atomic_load_n(&r->begun, __ATOMIC_ACQUIRE) != returns + 1)
		return false;
	if (pread(r->stat_fd, stat, sizeof(stat) - 1, 0) <= 0)
		return false;
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

/* Wait until the reader has returned @returns times and sleeps again; false after the deadline. */
static bool await(struct reader *r, uint32_t returns)
{
	time_t end = time(NULL) + DEADLINE_S;

	while (time(NULL) < end) {
		if (__atomic_load_n(&r->stat_fd, __ATOMIC_ACQUIRE) >= 0 &&
		    __atomic_load_n(&r->returns, __ATOMIC_ACQUIRE) == returns && asleep(r))
			return true;
		sched_yield();
	}
	return false;
}

FIXTURE_SETUP(blocked)
{
	struct ring_spec spec = { .pages = 8, .threshold = variant->wakeup_events };
	struct epoll_event ev = { .events = EPOLLIN };

	ASSERT_EQ(0, subject_open(&self->s, variant->emitter, &spec));
	self->r = (struct reader){ .subject = &self->s, .stat_fd = -1 };
	self->r.stop_fd = eventfd(0, EFD_CLOEXEC);
	ev.data.fd = self->r.stop_fd;
	ASSERT_EQ(0, epoll_ctl(self->s.ring.epoll[VIA_EPOLL], EPOLL_CTL_ADD, self->r.stop_fd, &ev));
	ASSERT_EQ(0, pthread_create(&self->r.thread, NULL, read_ring, &self->r));
	ASSERT_TRUE(await(&self->r, 0)) TH_LOG("the reader never blocked");
}

FIXTURE_TEARDOWN(blocked)
{
	close(self->r.stat_fd);
	close(self->r.stop_fd);
	subject_close(&self->s);
}

TEST_F(blocked, woken_once_a_threshold_and_never_before)
{
	uint32_t n = variant->wakeup_events, returns = 0;
	void *ended = NULL;

	for (uint32_t number = 0; number < variant->samples; number++) {
		ASSERT_EQ(0, subject_emit(&self->s, 8));
		if ((number + 1) % n) {
			ASSERT_TRUE(asleep(&self->r)) TH_LOG("woken by sample %u", number);
			continue;
		}
		returns++;
		ASSERT_TRUE(await(&self->r, returns)) TH_LOG("sample %u did not wake", number);
		EXPECT_TRUE(self->r.whole);
		EXPECT_EQ(number + 1 - n, self->r.first);
		EXPECT_EQ(number, self->r.last);
	}
	EXPECT_EQ(variant->returns, returns);
	ASSERT_EQ(0, eventfd_write(self->r.stop_fd, 1));
	ASSERT_EQ(0, pthread_join(self->r.thread, &ended));
	EXPECT_EQ(&self->r, ended) TH_LOG("the reader was woken by more than the ring");
	EXPECT_EQ(variant->returns, self->r.returns);
	EXPECT_EQ((int)variant->left, subject_consume(&self->s, 0));
}

TEST_HARNESS_MAIN
