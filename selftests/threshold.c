// SPDX-License-Identifier: GPL-2.0
/* K1, K4: quiet at N-1, ready at N, quiet at the second look, ready at 2N; for each way to emit. */
#include "kselftest_harness.h"
#include "subject.h"

FIXTURE(threshold)
{
	struct subject s;
};

/* Sample numbers count from 0: the first wake is at wakeup_events - 1, written out. */
FIXTURE_VARIANT(threshold)
{
	enum emitter_kind emitter;
	uint32_t wakeup_events;
	uint32_t first, second, third;	/* samples that are ready */
};

#define BOTH_EMITTERS(n, a, b, c) \
	FIXTURE_VARIANT_ADD(threshold, test_run_##n) { EMITTER_TEST_RUN, n, a, b, c }; \
	FIXTURE_VARIANT_ADD(threshold, attached_##n) { EMITTER_ATTACHED, n, a, b, c }

BOTH_EMITTERS(1, 0, 1, 2);
BOTH_EMITTERS(2, 1, 3, 5);
BOTH_EMITTERS(3, 2, 5, 8);
BOTH_EMITTERS(7, 6, 13, 20);
BOTH_EMITTERS(10, 9, 19, 29);
BOTH_EMITTERS(64, 63, 127, 191);
BOTH_EMITTERS(100, 99, 199, 299);
BOTH_EMITTERS(1000, 999, 1999, 2999);

/* 3000 records of 24 bytes stay below half of 64 pages: the byte rule has no part in it. */
FIXTURE_SETUP(threshold)
{
	struct ring_spec spec = { .pages = 64, .threshold = variant->wakeup_events };

	ASSERT_EQ(0, subject_open(&self->s, variant->emitter, &spec));
}

FIXTURE_TEARDOWN(threshold)
{
	subject_close(&self->s);
}

/* Also quiet at the second look, and at every sample in between. */
TEST_F(threshold, ready_at_no_other_sample)
{
	for (uint32_t number = 0; number <= variant->third; number++) {
		bool due = number == variant->first || number == variant->second ||
			   number == variant->third;

		ASSERT_EQ(0, subject_emit(&self->s, 8));
		ASSERT_EQ(due, subject_ready(&self->s)) TH_LOG("sample %u", number);
		ASSERT_FALSE(subject_ready(&self->s)) TH_LOG("second look at sample %u", number);
	}
}

/* A look at N-1 takes nothing away from the one at N; between them nobody looks. */
TEST(quiet_at_nine_ready_at_ten_and_twenty)
{
	struct ring_spec spec = { .pages = 8, .threshold = 10 };
	struct subject s;

	ASSERT_EQ(0, subject_open(&s, EMITTER_TEST_RUN, &spec));
	EXPECT_EQ(0, subject_emit_many(&s, 9, 8));
	EXPECT_FALSE(subject_ready(&s));
	EXPECT_EQ(0, subject_emit(&s, 8));
	EXPECT_TRUE(subject_ready(&s));
	EXPECT_FALSE(subject_ready(&s));
	EXPECT_EQ(0, subject_emit_many(&s, 10, 8));
	EXPECT_TRUE(subject_ready(&s));
	subject_close(&s);
}

TEST_HARNESS_MAIN
