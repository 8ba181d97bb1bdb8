// SPDX-License-Identifier: GPL-2.0
/* K10: who has no ring, or no task any more, is told of a hang-up at every look. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "subject.h"

#define DEADLINE_MS 10000

/* ring_open() maps at once and knows no tasks. One page, not mapped, watched by epoll. */
static int open_event(struct ring *r, pid_t tid, int cpu, uint32_t wakeup_events)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.wakeup_events = wakeup_events,
	};

	*r = ring_closed();
	r->bytes = CASE_PAGE_BYTES;
	r->fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return r->fd < 0 ? -errno : ring_watch(r, VIA_EPOLL);
}

static void hangs_up(struct __test_metadata *_metadata, const struct ring *r)
{
	for (int looks = 0; looks < 3; looks++) {
		EXPECT_EQ(READINESS_HUP, look(r, VIA_EPOLL)) TH_LOG("look %d", looks);
		EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL)) TH_LOG("look %d", looks);
	}
}

TEST(before_it_is_mapped)
{
	struct ring r;

	ASSERT_EQ(0, open_event(&r, -1, 0, 1));
	hangs_up(_metadata, &r);
	ASSERT_EQ(0, ring_map(&r));
	EXPECT_EQ(READINESS_QUIET, look(&r, VIA_EPOLL));
	EXPECT_EQ(READINESS_QUIET, look(&r, VIA_POLL));
	ring_close(&r);
}

/* Unread data and a pending wake go with the mapping. */
TEST(after_it_is_unmapped)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	struct subject s;

	ASSERT_EQ(0, subject_open(&s, EMITTER_TEST_RUN, &spec));
	ASSERT_EQ(0, subject_emit(&s, 8));
	ring_unmap(&s.ring);
	hangs_up(_metadata, &s.ring);
	EXPECT_EQ(-ENOSPC, subject_emit(&s, 8));
	ASSERT_EQ(0, ring_map(&s.ring));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_EPOLL));
	EXPECT_EQ(0, subject_consume(&s, 0));
	ASSERT_EQ(0, subject_emit(&s, 8));
	EXPECT_EQ(READINESS_READY, look(&s.ring, VIA_EPOLL));
	subject_close(&s);
}

/* A disabled event has a ring and a CPU: it is quiet, not gone. */
TEST(disabled_is_no_hang_up)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	struct subject s;

	ASSERT_EQ(0, subject_open(&s, EMITTER_TEST_RUN, &spec));
	ASSERT_EQ(0, ring_enable(&s.ring, false));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_EPOLL));
	subject_close(&s);
}

/* A thread that emits what it is told to, and ends when it is told to. */
struct task {
	struct subject *s;
	pthread_barrier_t barrier;
	pid_t tid;
	uint32_t samples;
	int code;
};

static void *emit_and_end(void *arg)
{
	struct task *t = arg;

	t->code = pin_to(0);
	t->tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&t->barrier);	/* the event can be opened */
	pthread_barrier_wait(&t->barrier);	/* it is open */
	if (!t->code)
		t->code = subject_emit_many(t->s, t->samples, 8);
	pthread_barrier_wait(&t->barrier);	/* the samples are out */
	pthread_barrier_wait(&t->barrier);	/* the task may end */
	return NULL;
}

/*
 * N = 10: with 7 samples no wake was due, with 25 two are pending. Either way the end of the task
 * wakes its poller with a hang-up, and all of it is still there to be drained.
 */
FIXTURE(task_ended)
{
	struct subject s;
	struct task task;
};

FIXTURE_VARIANT(task_ended)
{
	uint32_t samples;
	enum readiness before;
};

FIXTURE_VARIANT_ADD(task_ended, remainder_left) { 7, READINESS_QUIET };
FIXTURE_VARIANT_ADD(task_ended, wake_not_looked_for) { 25, READINESS_READY };

FIXTURE_SETUP(task_ended)
{
	struct ring_spec spec = { .pages = 1, .threshold = 10 };

	self->task = (struct task){ .s = &self->s, .samples = variant->samples };
	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	ring_close(&self->s.ring);
}

FIXTURE_TEARDOWN(task_ended)
{
	subject_close(&self->s);
}

TEST_F(task_ended, drained_after_the_hang_up)
{
	struct ring *r = &self->s.ring;
	struct task *t = &self->task;
	struct epoll_event ev = { 0 };
	pthread_t thread;

	ASSERT_EQ(0, pthread_barrier_init(&t->barrier, NULL, 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, emit_and_end, t));
	pthread_barrier_wait(&t->barrier);
	ASSERT_EQ(0, open_event(r, t->tid, -1, 10));
	ASSERT_EQ(0, ring_map(r));
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 0, r->fd));
	EXPECT_EQ(READINESS_QUIET, look(r, VIA_EPOLL));
	/* It is the thread's event, not ours. */
	EXPECT_EQ(-EOPNOTSUPP, subject_emit(&self->s, 8));
	emitter_set_number(&self->s.emitter, 0);
	pthread_barrier_wait(&t->barrier);
	pthread_barrier_wait(&t->barrier);
	ASSERT_EQ(0, t->code);
	if (variant->before == READINESS_QUIET) {
		EXPECT_EQ(READINESS_QUIET, look(r, VIA_EPOLL));
	}
	pthread_barrier_wait(&t->barrier);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	/* The join is over before the kernel has taken the task's events apart. */
	do {
		ASSERT_EQ(1, epoll_wait(r->epoll[VIA_EPOLL], &ev, 1, DEADLINE_MS));
	} while (ev.events == EPOLLIN && variant->before == READINESS_READY);
	EXPECT_EQ(EPOLLHUP, ev.events);
	hangs_up(_metadata, r);
	ASSERT_EQ((int)variant->samples, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, variant->samples - 1));
	hangs_up(_metadata, r);
}

TEST_HARNESS_MAIN
