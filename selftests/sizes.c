// SPDX-License-Identifier: GPL-2.0
/* K7: payload sizes, padding, and records that lie across the end of the ring. */
#include <linux/perf_event.h>

#include "kselftest_harness.h"
#include "subject.h"

FIXTURE(sizes)
{
	struct subject s;
};

FIXTURE_SETUP(sizes)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
}

FIXTURE_TEARDOWN(sizes)
{
	subject_close(&self->s);
}

static void keep_record(void *ctx, const struct raw_record *record)
{
	*(struct raw_record *)ctx = *record;
}

TEST_F(sizes, the_reader_sees_the_padded_size)
{
	static const struct { uint32_t size, raw, record; } table[] = {
		{ 4, 4, 16 }, { 5, 12, 24 }, { 8, 12, 24 }, { 11, 12, 24 }, { 12, 12, 24 },
		{ 13, 20, 32 }, { 20, 20, 32 }, { 100, 100, 112 }, { 180, 180, 192 },
	};
	uint64_t head = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct raw_record record = { 0 };

		ASSERT_EQ(0, subject_emit(&self->s, table[i].size));
		ASSERT_EQ(1, consumer_raw_pass(&self->s.consumer, &self->s.ring, 0, keep_record,
					       &record));
		EXPECT_EQ(table[i].raw, record.size) TH_LOG("size %u", table[i].size);
		EXPECT_EQ(4, (uintptr_t)record.payload % 8);
		head += table[i].record;
		EXPECT_EQ(head, self->s.ring.page->data_head) TH_LOG("size %u", table[i].size);
	}
}

/* 112-byte records in 4096 bytes: every 37th lies across the end, at each of its 8-byte places. */
TEST_F(sizes, records_across_the_end_are_whole)
{
	for (uint32_t number = 0; number < 2000; number++) {
		ASSERT_EQ(0, subject_emit(&self->s, 100));
		ASSERT_EQ(1, subject_consume(&self->s, 0));
		ASSERT_TRUE(subject_got(&self->s, number, number)) TH_LOG("sample %u", number);
	}
}

/* The largest record that one page takes is 4088 bytes; 4096 never fit. */
TEST_F(sizes, a_record_as_large_as_the_ring_never_fits)
{
	EXPECT_EQ(-ENOSPC, subject_emit(&self->s, 4084));
	EXPECT_EQ(0, subject_consume(&self->s, 0));
}

TEST_F(sizes, eight_bytes_less_fit)
{
	EXPECT_EQ(0, subject_emit(&self->s, 4076));
	ASSERT_EQ(1, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, 0));
}

TEST_HARNESS_MAIN
