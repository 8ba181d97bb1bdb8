// SPDX-License-Identifier: GPL-2.0
/* K9: records that grow downwards, and rings that old records give way in: the same wakes. */
#include "kselftest_harness.h"
#include "subject.h"

/* True if the numbers consumed last are @newest down to @oldest, each once, whole. */
static bool got_down(const struct subject *s, uint32_t newest, uint32_t oldest)
{
	if (s->count != newest - oldest + 1 || s->torn)
		return false;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->numbers[i] != newest - i)
			return false;
	return true;
}

FIXTURE(direction)
{
	struct subject s;
};

FIXTURE_VARIANT(direction)
{
	bool backward;
	bool overwrite;
	uint64_t head;	/* after 500 records of 24 bytes */
};

FIXTURE_VARIANT_ADD(direction, forward) { false, false, 12000 };
FIXTURE_VARIANT_ADD(direction, backward) { true, false, -12000ULL };
FIXTURE_VARIANT_ADD(direction, forward_overwrite) { false, true, 12000 };
FIXTURE_VARIANT_ADD(direction, backward_overwrite) { true, true, -12000ULL };

FIXTURE_SETUP(direction)
{
	struct ring_spec spec = {
		.pages = 1,
		.threshold = 100,
		.backward = variant->backward,
		.overwrite = variant->overwrite,
	};

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
}

FIXTURE_TEARDOWN(direction)
{
	subject_close(&self->s);
}

/* The count's wakes and those of the byte rule, which looks at bytes produced, in any direction. */
TEST_F(direction, wakes_the_same)
{
	static const uint32_t wakes[] = { 85, 99, 170, 199, 256, 299, 341, 399, 426, 499 };
	size_t next = 0;

	for (uint32_t number = 0; number < 500; number++) {
		bool due = number == wakes[next];

		ASSERT_EQ(0, subject_emit(&self->s, 8)) TH_LOG("sample %u", number);
		ASSERT_EQ(due, subject_ready(&self->s)) TH_LOG("sample %u", number);
		next += due;
		if (due && !variant->overwrite) {
			ASSERT_LT(0, subject_consume(&self->s, 0));
		}
	}
	EXPECT_EQ(variant->head, ring_head(&self->s.ring));
}

/* Not consumed from: 170 records of 24 bytes fit, or any number where old ones give way. */
TEST_F(direction, fills_up_or_never)
{
	for (uint32_t number = 0; number < 400; number++) {
		int expected = number < 170 || variant->overwrite ? 0 : -ENOSPC;

		ASSERT_EQ(expected, subject_emit(&self->s, 8)) TH_LOG("sample %u", number);
	}
	if (variant->overwrite)
		return;
	ASSERT_EQ(170, subject_consume(&self->s, 0));
	EXPECT_TRUE(variant->backward ? got_down(&self->s, 169, 0) : subject_got(&self->s, 0, 169));
	/* Told in front of the next success, which in a backward ring is read after it was. */
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	ASSERT_EQ(1, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 400, 400));
	EXPECT_EQ(230, self->s.lost);
}

/* The remainder that no wake announced; consumed in pieces, as it comes. */
TEST(backward_remainders_come_out_whole)
{
	struct ring_spec spec = { .pages = 1, .threshold = 100, .backward = true };
	struct subject s;

	ASSERT_EQ(0, subject_open(&s, EMITTER_TEST_RUN, &spec));
	ASSERT_EQ(0, subject_emit_many(&s, 37, 8));
	ASSERT_FALSE(subject_ready(&s));
	ASSERT_EQ(37, subject_consume(&s, 0));
	EXPECT_TRUE(got_down(&s, 36, 0));
	EXPECT_EQ(0, subject_consume(&s, 0));
	ASSERT_EQ(0, subject_emit_many(&s, 3, 8));
	ASSERT_EQ(3, subject_consume(&s, 0));
	EXPECT_TRUE(got_down(&s, 39, 37));
	subject_close(&s);
}

/*
 * Read as its users do, paused. 4096 bytes hold 170 whole records of 24 and the front of one more.
 * Reading takes nothing away.
 */
TEST(overwritten_is_read_newest_first)
{
	struct ring_spec spec = {
		.pages = 1, .threshold = 100, .backward = true, .overwrite = true,
	};
	struct subject s;

	ASSERT_EQ(0, subject_open(&s, EMITTER_TEST_RUN, &spec));
	ASSERT_EQ(0, subject_emit_many(&s, 500, 8));
	ASSERT_EQ(0, ring_pause(&s.ring, true));
	for (int twice = 0; twice < 2; twice++) {
		ASSERT_EQ(170, subject_consume(&s, 0));
		EXPECT_TRUE(got_down(&s, 499, 330));
	}
	/* What was refused meanwhile is told in front of the next sample: 24 bytes for 169 others. */
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(-ENOSPC, subject_emit(&s, 8));
	ASSERT_EQ(0, ring_pause(&s.ring, false));
	ASSERT_EQ(0, subject_emit(&s, 8));
	ASSERT_EQ(169, subject_consume(&s, 0));
	EXPECT_EQ(5, s.lost);
	EXPECT_EQ(505, s.numbers[0]);
	EXPECT_EQ(499, s.numbers[1]);
	EXPECT_EQ(332, s.numbers[168]);
	subject_close(&s);
}

TEST_HARNESS_MAIN
