// SPDX-License-Identifier: GPL-2.0
/* K4: one flag, and what each way to look makes of it. N = 3, a ring too large for the byte rule. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <poll.h>
#include <sys/epoll.h>

#include "kselftest_harness.h"
#include "subject.h"

static int open_watched(struct subject *s, enum look_via via)
{
	struct ring_spec spec = { .pages = 8, .threshold = 3 };
	int ret = subject_open(s, EMITTER_TEST_RUN, &spec);

	return ret ? ret : ring_watch(&s->ring, via);
}

FIXTURE(pollers)
{
	struct subject s;
};

FIXTURE_VARIANT(pollers)
{
	enum look_via via;
};

FIXTURE_VARIANT_ADD(pollers, level) { VIA_EPOLL };
FIXTURE_VARIANT_ADD(pollers, edge) { VIA_EDGE };
FIXTURE_VARIANT_ADD(pollers, oneshot) { VIA_ONESHOT };
FIXTURE_VARIANT_ADD(pollers, nested) { VIA_NESTED };
FIXTURE_VARIANT_ADD(pollers, poll_in) { VIA_POLL };
FIXTURE_VARIANT_ADD(pollers, poll_both) { VIA_BOTH };

FIXTURE_SETUP(pollers)
{
	ASSERT_EQ(0, open_watched(&self->s, variant->via));
}

FIXTURE_TEARDOWN(pollers)
{
	subject_close(&self->s);
}

TEST_F(pollers, ready_at_the_threshold_and_once)
{
	const struct ring *r = &self->s.ring;

	for (uint32_t number = 0; number < 9; number++) {
		enum readiness due = number % 3 == 2 ? READINESS_READY : READINESS_QUIET;

		ASSERT_EQ(0, subject_emit(&self->s, 8));
		ASSERT_EQ(due, look(r, variant->via)) TH_LOG("sample %u", number);
		ASSERT_EQ(READINESS_QUIET, look(r, variant->via)) TH_LOG("sample %u", number);
	}
	/* Whoever else looks first gets it. */
	ASSERT_EQ(0, subject_emit_many(&self->s, 3, 8));
	EXPECT_EQ(READINESS_READY, look(r, VIA_POLL));
	EXPECT_EQ(READINESS_QUIET, look(r, variant->via));
	ASSERT_EQ(12, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, 11));
}

TEST(of_two_the_first_gets_it)
{
	struct subject s;

	ASSERT_EQ(0, open_watched(&s, VIA_SECOND));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(READINESS_READY, look(&s.ring, VIA_EPOLL));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_SECOND));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(READINESS_READY, look(&s.ring, VIA_SECOND));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_EPOLL));
	subject_close(&s);
}

/*
 * Before 6.15 (and the stable kernels that took the change over) the flag had IN alone: who asks for
 * RDNORM was told nothing, and took it.
 */
TEST(rdnorm_alone)
{
	struct subject s;
	enum readiness found;

	ASSERT_EQ(0, open_watched(&s, VIA_EPOLL));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	found = look(&s.ring, VIA_RDNORM);
	EXPECT_TRUE(found == READINESS_READY ||
		    (found == READINESS_QUIET && !kernel_at_least(6, 15)));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_POLL)) TH_LOG("the look left the flag");
	subject_close(&s);
}

/* A crossing that came before ADD or MOD: the call takes the flag, and the wait asks again. */
TEST(add_and_mod_swallow)
{
	struct subject s;

	ASSERT_EQ(0, open_watched(&s, VIA_MOD));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_MOD));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_POLL));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	ASSERT_EQ(0, ring_watch(&s.ring, VIA_SECOND)); /* EPOLL_CTL_ADD */
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_SECOND));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_POLL));
	/* Not for good: the next crossing is told. */
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(READINESS_READY, look(&s.ring, VIA_SECOND));
	ASSERT_EQ(9, subject_consume(&s, 0));
	subject_close(&s);
}

/*
 * Between its report and EPOLL_CTL_MOD a one-shot poller hears nothing, and the MOD swallows what
 * came meanwhile: such a reader has to consume after arming again.
 */
TEST(oneshot_loses_what_comes_before_it_is_armed_again)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLONESHOT };
	struct subject s;
	int fd;

	ASSERT_EQ(0, open_watched(&s, VIA_ONESHOT));
	fd = s.ring.epoll[VIA_ONESHOT];
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	ASSERT_EQ(1, epoll_wait(fd, &ev, 1, 0));
	EXPECT_EQ(EPOLLIN, ev.events);
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(0, epoll_wait(fd, &ev, 1, 0));
	ev.events = EPOLLIN | EPOLLONESHOT;
	ASSERT_EQ(0, epoll_ctl(fd, EPOLL_CTL_MOD, s.ring.fd, &ev));
	EXPECT_EQ(0, epoll_wait(fd, &ev, 1, 0));
	ASSERT_EQ(6, subject_consume(&s, 0));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(1, epoll_wait(fd, &ev, 1, 0));
	subject_close(&s);
}

/* The outer epoll asks the inner one's descriptors: it is told, and nothing is left for the inner. */
TEST(nested_takes_it_from_the_inner)
{
	struct epoll_event ev = { 0 };
	struct subject s;

	ASSERT_EQ(0, open_watched(&s, VIA_NESTED));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(READINESS_READY, look(&s.ring, VIA_NESTED));
	EXPECT_EQ(0, epoll_wait(s.ring.epoll[VIA_NESTED], &ev, 1, 0));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	EXPECT_EQ(1, epoll_wait(s.ring.epoll[VIA_NESTED], &ev, 1, 0));
	EXPECT_EQ(READINESS_QUIET, look(&s.ring, VIA_NESTED));
	subject_close(&s);
}

TEST_HARNESS_MAIN
