// SPDX-License-Identifier: GPL-2.0
/* K4: readiness is one flag, whatever is unread, and the first look takes it. */
#include "kselftest_harness.h"
#include "subject.h"

FIXTURE(readiness)
{
	struct subject s;
};

FIXTURE_VARIANT(readiness)
{
	enum look_via via;
};

FIXTURE_VARIANT_ADD(readiness, epoll) { VIA_EPOLL };
FIXTURE_VARIANT_ADD(readiness, poll) { VIA_POLL };

FIXTURE_SETUP(readiness)
{
	struct ring_spec spec = { .pages = 8, .threshold = 3 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
}

FIXTURE_TEARDOWN(readiness)
{
	subject_close(&self->s);
}

TEST_F(readiness, several_crossings_are_one_wake)
{
	ASSERT_EQ(0, subject_emit_many(&self->s, 10, 8));
	EXPECT_EQ(READINESS_READY, look(&self->s.ring, variant->via));
	EXPECT_EQ(READINESS_QUIET, look(&self->s.ring, variant->via));
	ASSERT_EQ(10, subject_consume(&self->s, 0));
}

TEST_F(readiness, unread_data_is_not_ready)
{
	ASSERT_EQ(0, subject_emit_many(&self->s, 3, 8));
	ASSERT_EQ(READINESS_READY, look(&self->s.ring, variant->via));
	ASSERT_EQ(0, subject_emit_many(&self->s, 2, 8));
	EXPECT_EQ(READINESS_QUIET, look(&self->s.ring, variant->via));
	ASSERT_EQ(5, subject_consume(&self->s, 0));
}

TEST_F(readiness, stale_after_consuming_unasked)
{
	ASSERT_EQ(0, subject_emit_many(&self->s, 3, 8));
	ASSERT_EQ(3, subject_consume(&self->s, 0));
	EXPECT_EQ(READINESS_READY, look(&self->s.ring, variant->via));
	EXPECT_EQ(READINESS_QUIET, look(&self->s.ring, variant->via));
	EXPECT_EQ(0, subject_consume(&self->s, 0));
}

TEST_F(readiness, the_first_of_two_kinds_of_look_takes_it)
{
	enum look_via other = variant->via == VIA_EPOLL ? VIA_POLL : VIA_EPOLL;

	ASSERT_EQ(0, subject_emit_many(&self->s, 3, 8));
	EXPECT_EQ(READINESS_READY, look(&self->s.ring, variant->via));
	EXPECT_EQ(READINESS_QUIET, look(&self->s.ring, other));
}

TEST_F(readiness, a_new_mapping_is_quiet)
{
	ASSERT_EQ(0, subject_emit_many(&self->s, 3, 8));
	ring_unmap(&self->s.ring);
	ASSERT_EQ(0, ring_map(&self->s.ring));
	EXPECT_EQ(READINESS_QUIET, look(&self->s.ring, variant->via));
	EXPECT_EQ(0, subject_consume(&self->s, 0));
}

TEST_HARNESS_MAIN
