// SPDX-License-Identifier: GPL-2.0
/* K5: what is refused is told of exactly once, in front of the next sample that fits. */
#include "kselftest_harness.h"
#include "subject.h"

FIXTURE(loss)
{
	struct subject s;
};

/* One page, 16-byte records: 255 fit, because one byte always stays free. */
FIXTURE_SETUP(loss)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1000 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	ASSERT_EQ(0, subject_emit_many(&self->s, 255, 4));
}

FIXTURE_TEARDOWN(loss)
{
	subject_close(&self->s);
}

TEST_F(loss, full_ring_refuses_exactly)
{
	for (int i = 0; i < 40; i++)
		ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 4));
	ASSERT_EQ(255, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, 254));
	EXPECT_EQ(0, self->s.lost_records) TH_LOG("a LOST record without a sample behind it");
}

TEST_F(loss, one_record_tells_of_all)
{
	for (int i = 0; i < 40; i++)
		ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 4));
	ASSERT_EQ(255, subject_consume(&self->s, 0));
	ASSERT_EQ(0, subject_emit(&self->s, 4));
	ASSERT_EQ(1, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 295, 295));
	EXPECT_EQ(1, self->s.lost_records);
	EXPECT_EQ(40, self->s.lost);
	/* Told once: nothing is left of it. */
	ASSERT_EQ(0, subject_emit(&self->s, 4));
	ASSERT_EQ(1, subject_consume(&self->s, 0));
	EXPECT_EQ(0, self->s.lost_records);
}

/*
 * 15 bytes are free. A record of 16 bytes needs 40 while a loss is pending: with one record freed there
 * are 31, with two there are 47.
 */
TEST_F(loss, the_lost_record_needs_room)
{
	ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 4));
	ASSERT_EQ(1, subject_consume(&self->s, 1));
	ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 4));
	ASSERT_EQ(1, subject_consume(&self->s, 1));
	ASSERT_EQ(0, subject_emit(&self->s, 4));
	ASSERT_EQ(254, subject_consume(&self->s, 0));
	EXPECT_EQ(2, self->s.lost);
	EXPECT_EQ(1, self->s.lost_records);
	EXPECT_EQ(257, self->s.numbers[253]);
}

/*
 * 255 of 1000 are in; 100 refused ones change nothing: 745 more complete the threshold. The byte rule
 * wakes too, at head 24 + 16 * accepted (24 for the LOST record) beyond 2048 times 2, 3, 4, ...
 */
TEST_F(loss, refused_outputs_do_not_count)
{
	static const uint32_t wakes[] = { 256, 383, 511, 639, 767, 895, 1000 };
	size_t next = 0;

	ASSERT_TRUE(subject_ready(&self->s));
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 4));
	EXPECT_FALSE(subject_ready(&self->s));
	ASSERT_EQ(255, subject_consume(&self->s, 0));
	for (uint32_t accepted = 256; accepted <= 1000; accepted++) {
		bool due = accepted == wakes[next];

		ASSERT_EQ(0, subject_emit(&self->s, 4));
		ASSERT_EQ(due, subject_ready(&self->s)) TH_LOG("%u samples got in", accepted);
		ASSERT_EQ(1, subject_consume(&self->s, 0));
		next += due;
	}
}

TEST_F(loss, books_balance)
{
	uint64_t samples = 0, lost = 0;

	/* Bursts that overrun, then a consume; one final success brings the last losses. */
	for (int burst = 1; burst <= 30; burst++) {
		for (int i = 0; i < 37 * burst; i++)
			subject_emit(&self->s, 4);
		ASSERT_LT(0, subject_consume(&self->s, 0));
		samples += self->s.count;
		lost += self->s.lost;
		ASSERT_EQ(0, self->s.torn);
	}
	ASSERT_EQ(0, subject_emit(&self->s, 4));
	ASSERT_EQ(1, subject_consume(&self->s, 0));
	samples += self->s.count;
	lost += self->s.lost;
	/* 255 of the set-up, 37 * (1 + ... + 30), and the last one */
	EXPECT_EQ(255 + 17205 + 1, samples + lost);
}

TEST_F(loss, paused_outputs_are_refused_and_counted)
{
	ASSERT_EQ(255, subject_consume(&self->s, 0));
	subject_ready(&self->s);
	ASSERT_EQ(0, ring_pause(&self->s.ring, true));
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 4));
	EXPECT_FALSE(subject_ready(&self->s));
	ASSERT_EQ(0, ring_pause(&self->s.ring, false));
	ASSERT_EQ(0, subject_emit(&self->s, 4));
	ASSERT_EQ(1, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 260, 260));
	EXPECT_EQ(5, self->s.lost);
}

/* PERF_FORMAT_LOST: at once, without a success, and cumulative over the descriptor's life. */
TEST(read_tells_at_once)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1000, .reads_lost = true };
	uint64_t lost = 1;
	struct subject s;
	int ret = subject_open(&s, EMITTER_TEST_RUN, &spec);

	if (ret == -EINVAL && !kernel_at_least(6, 0))
		SKIP(return, "PERF_FORMAT_LOST came with kernel 6.0");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, subject_emit_many(&s, 255, 4));
	ASSERT_EQ(0, ring_read_lost(&s.ring, &lost));
	EXPECT_EQ(0, lost);
	for (uint64_t i = 1; i <= 40; i++) {
		ASSERT_EQ(-ENOSPC, subject_emit(&s, 4));
		ASSERT_EQ(0, ring_read_lost(&s.ring, &lost));
		ASSERT_EQ(i, lost);
	}
	/* The LOST record starts anew with each success, the count does not. */
	ASSERT_EQ(255, subject_consume(&s, 0));
	ASSERT_EQ(0, subject_emit(&s, 4));
	ASSERT_EQ(1, subject_consume(&s, 0));
	EXPECT_EQ(40, s.lost);
	ASSERT_EQ(0, ring_pause(&s.ring, true));
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(-ENOSPC, subject_emit(&s, 4));
	ASSERT_EQ(0, ring_read_lost(&s.ring, &lost));
	EXPECT_EQ(45, lost);
	/* Without a ring nothing is counted; a new ring takes nothing back. */
	ring_unmap(&s.ring);
	ASSERT_EQ(-ENOSPC, subject_emit(&s, 4));
	ASSERT_EQ(0, ring_map(&s.ring));
	ASSERT_EQ(0, ring_read_lost(&s.ring, &lost));
	EXPECT_EQ(45, lost);
	subject_close(&s);
}

TEST_HARNESS_MAIN
