// SPDX-License-Identifier: GPL-2.0
/* All samples of a pass in one call: in place, whole, and every byte of them verified. */
#include "kselftest_harness.h"
#include "subject.h"

#define COUNT 5

FIXTURE(batch)
{
	struct subject s;
	struct iovec table[SUBJECT_MAX_SAMPLES];
	struct raw_batch b;
	uint32_t first;		/* number of the next sample */
};

FIXTURE_SETUP(batch)
{
	const struct ring_spec spec = { .pages = 1, .threshold = 1000 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	self->b = (struct raw_batch){ .samples = self->table, .capacity = SUBJECT_MAX_SAMPLES };
}

FIXTURE_TEARDOWN(batch)
{
	subject_close(&self->s);
}

/* How many of the batch are what was emitted. */
static uint32_t whole(FIXTURE_DATA(batch) *self, uint32_t size)
{
	uint32_t i = 0;

	while (i < self->b.count &&
	       payload_whole(self->table[i].iov_base, (uint32_t)self->table[i].iov_len,
			     self->first + i, size, 0, 0, SAMPLE_PROCESS))
		i++;
	return i;
}

/* Sizes with and without a fill, below and above what is compared without a call. */
TEST_F(batch, verified_to_the_byte)
{
	uint8_t bent[128];	/* the ring itself cannot be written to */

	for (uint32_t size = 4; size <= 120; size++) {
		ASSERT_EQ(0, subject_emit_many(&self->s, COUNT, size));
		ASSERT_EQ(COUNT, consumer_raw_batch(&self->s.consumer, &self->s.ring, &self->b));
		ASSERT_EQ(COUNT, whole(self, size)) TH_LOG("size %u", size);
		memcpy(bent, self->table[3].iov_base, size);
		self->table[3].iov_base = bent;
		ASSERT_EQ(COUNT, whole(self, size));
		for (uint32_t byte = 0; byte < size; byte++) {
			bent[byte] ^= 0x10;
			ASSERT_EQ(3, whole(self, size)) TH_LOG("size %u, byte %u", size, byte);
			bent[byte] ^= 0x10;
		}
		self->table[2].iov_len += 8;
		ASSERT_EQ(2, whole(self, size));
		consumer_raw_release(&self->s.ring, &self->b);
		self->first += COUNT;
	}
	EXPECT_EQ(0, consumer_raw_batch(&self->s.consumer, &self->s.ring, &self->b));
}

/* A full ring, from every start: one sample at most is copied, and the losses are told. */
TEST_F(batch, in_place_but_for_what_lies_across_the_end)
{
	const uint8_t *data = self->s.ring.data, *end = data + self->s.ring.bytes;
	uint32_t across = 0;

	for (uint32_t round = 0; round < 50; round++) {
		uint32_t accepted = 0, copied = 0;

		while (!subject_emit(&self->s, 24))
			accepted++;
		ASSERT_EQ((int)accepted, consumer_raw_batch(&self->s.consumer, &self->s.ring,
							    &self->b));
		ASSERT_EQ(accepted, whole(self, 24));
		ASSERT_EQ(round ? 1 : 0, self->b.lost);
		for (uint32_t i = 0; i < accepted; i++) {
			const uint8_t *at = self->table[i].iov_base;

			copied += at < data || at >= end;
		}
		ASSERT_LE(copied, 1);
		across += copied;
		consumer_raw_release(&self->s.ring, &self->b);
		self->first += accepted + 1;
	}
	EXPECT_LT(0, across);
}

/* A table that is too small is no loss: the next call goes on behind it. */
TEST_F(batch, goes_on_behind_a_full_table)
{
	self->b.capacity = 2;
	ASSERT_EQ(0, subject_emit_many(&self->s, COUNT, 8));
	for (uint32_t left = COUNT; left; left -= self->b.count) {
		ASSERT_EQ(left > 2 ? 2 : (int)left,
			  consumer_raw_batch(&self->s.consumer, &self->s.ring, &self->b));
		ASSERT_EQ(self->b.count, whole(self, 8));
		consumer_raw_release(&self->s.ring, &self->b);
		self->first += self->b.count;
	}
}

TEST_HARNESS_MAIN
