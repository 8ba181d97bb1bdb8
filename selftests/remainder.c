// SPDX-License-Identifier: GPL-2.0
/* K2: what no wake announced is consumed whole, and consuming does not start the count anew. */
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "kselftest_harness.h"
#include "subject.h"

FIXTURE(remainder)
{
	struct subject s;
};

FIXTURE_VARIANT(remainder)
{
	enum emitter_kind emitter;
	uint32_t wakeup_events;
	uint32_t last;		/* number of the remainder's last sample */
	uint32_t ready;		/* the sample that completes the first threshold */
	uint32_t again;		/* and the second */
};

#define BOTH_EMITTERS(n, last, ready, again) \
	FIXTURE_VARIANT_ADD(remainder, test_run_##n) { EMITTER_TEST_RUN, n, last, ready, again }; \
	FIXTURE_VARIANT_ADD(remainder, attached_##n) { EMITTER_ATTACHED, n, last, ready, again }

BOTH_EMITTERS(2, 0, 1, 3);
BOTH_EMITTERS(3, 1, 2, 5);
BOTH_EMITTERS(7, 2, 6, 13);
BOTH_EMITTERS(10, 8, 9, 19);
BOTH_EMITTERS(64, 40, 63, 127);
BOTH_EMITTERS(100, 98, 99, 199);
BOTH_EMITTERS(1000, 36, 999, 1999);

FIXTURE_SETUP(remainder)
{
	struct ring_spec spec = { .pages = 64, .threshold = variant->wakeup_events };

	ASSERT_EQ(0, subject_open(&self->s, variant->emitter, &spec));
	ASSERT_EQ(0, subject_emit_many(&self->s, variant->last + 1, 8));
	ASSERT_FALSE(subject_ready(&self->s));
}

FIXTURE_TEARDOWN(remainder)
{
	subject_close(&self->s);
}

TEST_F(remainder, comes_out_complete_in_order_once_and_the_count_goes_on)
{
	ASSERT_EQ((int)variant->last + 1, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, variant->last));
	EXPECT_EQ(0, self->s.lost_records);
	EXPECT_EQ(0, subject_consume(&self->s, 0));
	for (uint32_t number = variant->last + 1; number <= variant->again; number++) {
		bool due = number == variant->ready || number == variant->again;

		ASSERT_EQ(0, subject_emit(&self->s, 8));
		ASSERT_EQ(due, subject_ready(&self->s)) TH_LOG("sample %u", number);
		ASSERT_EQ(1, subject_consume(&self->s, 0));
		ASSERT_TRUE(subject_got(&self->s, number, number));
	}
}

/* What resets the count, and what does not: 8 of 10 samples are in the ring. */
FIXTURE(count)
{
	struct subject s;
};

FIXTURE_SETUP(count)
{
	struct ring_spec spec = { .pages = 8, .threshold = 10 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	ASSERT_EQ(0, subject_emit_many(&self->s, 8, 8));
	ASSERT_FALSE(subject_ready(&self->s));
}

FIXTURE_TEARDOWN(count)
{
	subject_close(&self->s);
}

TEST_F(count, remainder_comes_out_record_by_record)
{
	for (uint32_t number = 0; number < 8; number++) {
		ASSERT_EQ(1, subject_consume(&self->s, 1));
		ASSERT_TRUE(subject_got(&self->s, number, number));
	}
	EXPECT_EQ(0, subject_consume(&self->s, 1));
	ASSERT_EQ(0, subject_emit_many(&self->s, 2, 8));
	EXPECT_TRUE(subject_ready(&self->s));
}

TEST_F(count, disabling_does_not_reset_it)
{
	ASSERT_EQ(0, ring_enable(&self->s.ring, false));
	ASSERT_EQ(0, ring_enable(&self->s.ring, true));
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_FALSE(subject_ready(&self->s));
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_TRUE(subject_ready(&self->s));
}

TEST_F(count, the_ioctl_that_resets_the_event_leaves_it)
{
	ASSERT_EQ(0, ioctl(self->s.ring.fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_FALSE(subject_ready(&self->s));
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_TRUE(subject_ready(&self->s));
}

TEST_F(count, mapping_anew_resets_it)
{
	ring_unmap(&self->s.ring);
	ASSERT_EQ(0, ring_map(&self->s.ring));
	ASSERT_EQ(0, subject_emit_many(&self->s, 9, 8));
	EXPECT_FALSE(subject_ready(&self->s));
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_TRUE(subject_ready(&self->s));
}

TEST_HARNESS_MAIN
