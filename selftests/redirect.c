// SPDX-License-Identifier: GPL-2.0
/*
 * K9: outputs joined by PERF_EVENT_IOC_SET_OUTPUT share ring, count and flag; each has its own
 * threshold, and both descriptors are woken.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "subject.h"

/* The subject's ring is A, in slot 0; B, in slot 1, has none of its own and writes to A's. */
FIXTURE(redirect)
{
	struct subject s;
	struct ring b;
};

static int open_unmapped(struct ring *r, struct ring_spec spec)
{
	int ret = ring_open(r, &spec);

	if (!ret)
		ring_unmap(r);
	return ret;
}

FIXTURE_SETUP(redirect)
{
	struct ring_spec a = { .pages = 1, .threshold = 3 };
	struct ring_spec b = { .pages = 1, .threshold = 5 };

	self->b = ring_closed();
	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &a));
	ASSERT_EQ(0, open_unmapped(&self->b, b));
	ASSERT_EQ(0, ring_redirect(&self->b, &self->s.ring));
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 1, self->b.fd));
}

FIXTURE_TEARDOWN(redirect)
{
	ring_close(&self->b);
	subject_close(&self->s);
}

/* Slot and number of each sample, in the order read. */
struct seen {
	uint32_t count;
	uint32_t wrong;		/* not a whole sample of 8 bytes */
	uint64_t lost;
	struct sample samples[256];
};

static void see(void *ctx, const struct raw_record *record)
{
	struct seen *seen = ctx;

	if (record->is_lost) {
		seen->lost += record->lost;
		return;
	}
	if (record->size != 12 || seen->count == 256) {
		seen->wrong++;
		return;
	}
	memcpy(&seen->samples[seen->count++], record->payload, sizeof(struct sample));
}

/*
 * In turn, counted from 1. A sample adds 1 to the shared count and wakes when that reaches its own
 * descriptor's threshold, which is taken off: so who begins decides where it wakes.
 */
static void in_turn(struct __test_metadata *_metadata, struct subject *s, struct ring *b,
		    uint32_t first, const uint32_t wakes[7])
{
	struct seen seen = { 0 };
	size_t next = 0;

	for (uint32_t nth = 1; nth <= 22; nth++) {
		uint32_t slot = nth % 2 ? first : 1 - first;
		bool due = next < 7 && nth == wakes[next];

		ASSERT_EQ(0, subject_emit_to(s, slot, 8));
		/* Looked at by the descriptor that did not emit. */
		ASSERT_EQ(due ? READINESS_READY : READINESS_QUIET,
			  look(slot ? &s->ring : b, VIA_EPOLL)) TH_LOG("output %u", nth);
		next += due;
	}
	ASSERT_EQ(22, consumer_raw_pass(&s->consumer, &s->ring, 0, see, &seen));
	EXPECT_EQ(0, seen.wrong);
	for (uint32_t i = 0; i < 22; i++) {
		EXPECT_EQ(i, seen.samples[i].number);
		EXPECT_EQ(i % 2 ? 1 - first : first, seen.samples[i].ring);
	}
}

TEST_F(redirect, five_and_three_in_turn)
{
	static const uint32_t wakes[7] = { 4, 6, 10, 12, 16, 18, 22 };

	in_turn(_metadata, &self->s, &self->b, 1, wakes);
}

TEST_F(redirect, three_and_five_in_turn)
{
	static const uint32_t wakes[7] = { 3, 7, 9, 13, 15, 19, 21 };

	in_turn(_metadata, &self->s, &self->b, 0, wakes);
}

/* Each descriptor emits the crossing once, each looks first once. */
TEST_F(redirect, both_are_woken_and_the_first_to_look_gets_it)
{
	struct ring *a = &self->s.ring, *b = &self->b;

	for (int round = 0; round < 4; round++) {
		uint32_t slot = round & 1;
		struct ring *first = round & 2 ? b : a, *second = round & 2 ? a : b;

		for (uint32_t i = 0; i < (slot ? 5 : 3); i++)
			ASSERT_EQ(0, subject_emit_to(&self->s, slot, 8));
		EXPECT_EQ(READINESS_READY, look(first, VIA_EPOLL)) TH_LOG("round %d", round);
		EXPECT_EQ(READINESS_QUIET, look(second, VIA_EPOLL)) TH_LOG("round %d", round);
		EXPECT_EQ(READINESS_QUIET, look(first, VIA_POLL)) TH_LOG("round %d", round);
	}
}

/*
 * 170 records of 24 bytes fill the page, whoever wrote them. One LOST record tells of both's losses;
 * read() tells each of its own.
 */
TEST_F(redirect, losses_are_told_together)
{
	struct seen seen = { 0 };

	for (int i = 0; i < 170; i++)
		ASSERT_EQ(0, subject_emit_to(&self->s, i & 1, 8));
	for (int i = 0; i < 7; i++)
		ASSERT_EQ(-ENOSPC, subject_emit_to(&self->s, i < 3, 8));
	ASSERT_EQ(170, consumer_raw_pass(&self->s.consumer, &self->s.ring, 0, see, &seen));
	EXPECT_EQ(0, seen.lost);
	ASSERT_EQ(0, subject_emit_to(&self->s, 1, 8));
	ASSERT_EQ(2, consumer_raw_pass(&self->s.consumer, &self->s.ring, 0, see, &seen));
	EXPECT_EQ(7, seen.lost);
	EXPECT_EQ(0, seen.wrong);
}

/* A pause is the ring's: it holds for both, by either descriptor. */
TEST_F(redirect, a_pause_holds_for_both)
{
	ASSERT_EQ(0, ring_pause(&self->b, true));
	EXPECT_EQ(-ENOSPC, subject_emit_to(&self->s, 0, 8));
	EXPECT_EQ(-ENOSPC, subject_emit_to(&self->s, 1, 8));
	ASSERT_EQ(0, ring_pause(&self->s.ring, false));
	EXPECT_EQ(0, subject_emit_to(&self->s, 0, 8));
	EXPECT_EQ(0, subject_emit_to(&self->s, 1, 8));
}

/* Disabling is the descriptor's own. */
TEST_F(redirect, disabling_one_leaves_the_other)
{
	ASSERT_EQ(0, ring_enable(&self->s.ring, false));
	EXPECT_EQ(-EOPNOTSUPP, subject_emit_to(&self->s, 0, 8));
	EXPECT_EQ(0, subject_emit_to(&self->s, 1, 8));
}

TEST_F(redirect, taken_back_it_has_no_ring)
{
	ASSERT_EQ(0, ioctl(self->b.fd, PERF_EVENT_IOC_SET_OUTPUT, -1L));
	EXPECT_EQ(-ENOSPC, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(READINESS_HUP, look(&self->b, VIA_POLL));
	EXPECT_EQ(0, subject_emit_to(&self->s, 0, 8));
	ASSERT_EQ(0, ring_map(&self->b));
	EXPECT_EQ(0, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(READINESS_QUIET, look(&self->b, VIA_POLL));
}

/* An event of @attr for task @pid or CPU @cpu that has no ring: the ring to redirect, or a closed one. */
static struct ring open_attr(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct ring r = ring_closed();

	r.fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return r;
}

/* Times of two clocks do not go into one ring; nor do two tasks, unless on one CPU. */
TEST_F(redirect, of_another_clock_or_task)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	struct ring *a = &self->s.ring, other, mine, childs;
	struct perf_event_attr attr;
	pid_t child;

	ring_attr(&spec, &attr);
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	other = open_attr(&attr, -1, 0);
	ASSERT_LE(0, other.fd);
	EXPECT_EQ(-EINVAL, ring_redirect(&other, a));
	ring_close(&other);
	attr.use_clockid = 0;
	attr.clockid = 0;
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	ASSERT_LT(0, child);
	mine = open_attr(&attr, 0, -1);
	childs = open_attr(&attr, child, -1);
	mine.bytes = CASE_PAGE_BYTES;
	EXPECT_EQ(0, ring_map(&mine));
	EXPECT_EQ(-EINVAL, ring_redirect(&childs, &mine)) TH_LOG("another task");
	ring_close(&childs);
	childs = open_attr(&attr, 0, -1);
	EXPECT_EQ(0, ring_redirect(&childs, &mine)) TH_LOG("the same task");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ring_close(&childs);
	ring_close(&mine);
}

TEST_F(redirect, what_cannot_be_joined_is_refused)
{
	struct ring *a = &self->s.ring, unmapped, mapped, backward, other;

	ASSERT_EQ(0, open_unmapped(&unmapped, (struct ring_spec){ .pages = 1, .threshold = 1 }));
	ASSERT_EQ(0, ring_open(&mapped, &(struct ring_spec){ .pages = 1, .threshold = 1 }));
	ASSERT_EQ(0, open_unmapped(&backward, (struct ring_spec){ .pages = 1, .backward = true }));
	EXPECT_EQ(-EINVAL, ring_redirect(&unmapped, &unmapped)) TH_LOG("itself");
	EXPECT_EQ(-EINVAL, ring_redirect(&mapped, a)) TH_LOG("one with a ring of its own");
	EXPECT_EQ(-EINVAL, ring_redirect(a, &mapped)) TH_LOG("one with a ring of its own");
	EXPECT_EQ(-EINVAL, ring_redirect(&self->b, &unmapped)) TH_LOG("to one without a ring");
	EXPECT_EQ(-EINVAL, ring_redirect(&backward, a)) TH_LOG("another direction");
	EXPECT_EQ(-EBADF, ring_redirect(&unmapped, &(struct ring){ .fd = -2 })) TH_LOG("nothing");
	EXPECT_EQ(-EBADF, ring_redirect(&unmapped, &(struct ring){ .fd = self->s.emitter.slots_fd }))
		TH_LOG("no perf event");
	if (!open_unmapped(&other, (struct ring_spec){ .cpu = 1, .pages = 1, .threshold = 1 })) {
		EXPECT_EQ(-EINVAL, ring_redirect(&other, a)) TH_LOG("another CPU");
	}
	/* A refusal leaves what was: B still writes to A's ring. */
	EXPECT_EQ(0, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(0, ring_redirect(&unmapped, a));
	ring_close(&unmapped);
	ring_close(&mapped);
	ring_close(&backward);
	ring_close(&other);
}

TEST_HARNESS_MAIN
