// SPDX-License-Identifier: GPL-2.0
/* K1, K3: the byte rule: strictly more than W bytes produced, by default half the ring. */
#include "kselftest_harness.h"
#include "subject.h"

#define MAX_WAKES 12

FIXTURE(half_ring)
{
	struct subject s;
};

/* Records are 8 + 4 + size bytes, rounded up to 8: size 8 makes 24, size 4 makes 16. */
FIXTURE_VARIANT(half_ring)
{
	uint32_t pages;
	uint32_t threshold;
	bool by_watermark;
	uint32_t size;
	uint32_t samples;
	bool drain;			/* consume at each wake */
	uint32_t wakes[MAX_WAKES];	/* sample numbers, ascending */
	uint32_t count;
	uint32_t accepted;		/* the first so many samples fit */
};

FIXTURE_VARIANT_ADD(half_ring, count_100_drained) {
	.pages = 1, .threshold = 100, .size = 8, .samples = 500, .drain = true, .accepted = 500,
	.wakes = { 85, 99, 170, 199, 256, 299, 341, 399, 426, 499 }, .count = 10,
};
FIXTURE_VARIANT_ADD(half_ring, count_1000_drained) {
	.pages = 8, .threshold = 1000, .size = 8, .samples = 4097, .drain = true, .accepted = 4097,
	.wakes = { 682, 999, 1365, 1999, 2048, 2730, 2999, 3413, 3999, 4096 }, .count = 10,
};
/* Not drained, 170 records of 24 bytes fill the page: one half-ring wake, one of the count. */
FIXTURE_VARIANT_ADD(half_ring, count_100_not_drained) {
	.pages = 1, .threshold = 100, .size = 8, .samples = 400, .accepted = 170,
	.wakes = { 85, 99 }, .count = 2,
};
FIXTURE_VARIANT_ADD(half_ring, beyond_the_ring_not_drained) {
	.pages = 1, .threshold = 1000, .size = 8, .samples = 400, .accepted = 170,
	.wakes = { 85 }, .count = 1,
};
FIXTURE_VARIANT_ADD(half_ring, count_zero_drained) {
	.pages = 1, .threshold = 0, .size = 4, .samples = 520, .drain = true, .accepted = 520,
	.wakes = { 128, 256, 384, 512 }, .count = 4,
};
FIXTURE_VARIANT_ADD(half_ring, count_2_to_the_31_less_1) {
	.pages = 1, .threshold = 0x7fffffff, .size = 4, .samples = 300, .drain = true,
	.accepted = 300, .wakes = { 128, 256 }, .count = 2,
};
/* A negative int for the kernel: every sample wakes. */
FIXTURE_VARIANT_ADD(half_ring, count_2_to_the_31) {
	.pages = 8, .threshold = 0x80000000, .size = 4, .samples = 6, .drain = true,
	.accepted = 6, .wakes = { 0, 1, 2, 3, 4, 5 }, .count = 6,
};
FIXTURE_VARIANT_ADD(half_ring, count_2_to_the_32_less_1) {
	.pages = 8, .threshold = 0xffffffff, .size = 4, .samples = 6, .drain = true,
	.accepted = 6, .wakes = { 0, 1, 2, 3, 4, 5 }, .count = 6,
};
FIXTURE_VARIANT_ADD(half_ring, watermark_1) {
	.pages = 1, .threshold = 1, .by_watermark = true, .size = 4, .samples = 4, .drain = true,
	.accepted = 4, .wakes = { 0, 1, 2, 3 }, .count = 4,
};
/* 255 records of 16 bytes fit: 4080 bytes, which are more than 4079 and not more than 4080. */
FIXTURE_VARIANT_ADD(half_ring, watermark_just_reached) {
	.pages = 1, .threshold = 4079, .by_watermark = true, .size = 4, .samples = 300,
	.accepted = 255, .wakes = { 254 }, .count = 1,
};
FIXTURE_VARIANT_ADD(half_ring, watermark_just_missed) {
	.pages = 1, .threshold = 4080, .by_watermark = true, .size = 4, .samples = 300,
	.accepted = 255, .count = 0,
};
FIXTURE_VARIANT_ADD(half_ring, watermark_2_to_the_32_less_1) {
	.pages = 1, .threshold = 0xffffffff, .by_watermark = true, .size = 4, .samples = 300,
	.accepted = 255, .count = 0,
};
FIXTURE_VARIANT_ADD(half_ring, watermark_zero_is_half) {
	.pages = 1, .threshold = 0, .by_watermark = true, .size = 4, .samples = 300, .drain = true,
	.accepted = 300, .wakes = { 128, 256 }, .count = 2,
};
FIXTURE_VARIANT_ADD(half_ring, watermark_one_record) {
	.pages = 1, .threshold = 16, .by_watermark = true, .size = 4, .samples = 4, .drain = true,
	.accepted = 4, .wakes = { 1, 2, 3 }, .count = 3,
};
FIXTURE_VARIANT_ADD(half_ring, watermark_240_bytes) {
	.pages = 1, .threshold = 240, .by_watermark = true, .size = 8, .samples = 45, .drain = true,
	.accepted = 45, .wakes = { 10, 20, 30, 40 }, .count = 4,
};
/* More than the ring is the ring, which a reader that waits for its wake never sees crossed. */
FIXTURE_VARIANT_ADD(half_ring, watermark_beyond_the_ring) {
	.pages = 1, .threshold = 8192, .by_watermark = true, .size = 8, .samples = 400,
	.accepted = 170, .count = 0,
};

FIXTURE_SETUP(half_ring)
{
	struct ring_spec spec = {
		.pages = variant->pages,
		.threshold = variant->threshold,
		.by_watermark = variant->by_watermark,
	};

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
}

FIXTURE_TEARDOWN(half_ring)
{
	subject_close(&self->s);
}

TEST_F(half_ring, wakes)
{
	uint32_t wakes = 0;

	for (uint32_t number = 0; number < variant->samples; number++) {
		ASSERT_EQ(number < variant->accepted ? 0 : -ENOSPC, subject_emit(&self->s, variant->size))
			TH_LOG("sample %u", number);
		if (!subject_ready(&self->s))
			continue;
		ASSERT_LT(wakes, variant->count) TH_LOG("one wake too many, at sample %u", number);
		ASSERT_EQ(variant->wakes[wakes], number);
		wakes++;
		if (variant->drain) {
			ASSERT_LT(0, subject_consume(&self->s, 0));
		}
	}
	EXPECT_EQ(variant->count, wakes);
}

TEST_HARNESS_MAIN
