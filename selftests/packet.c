// SPDX-License-Identifier: GPL-2.0
/*
 * K6, K7: outputs of programs of the network. The upper half of the flags says how many bytes of the
 * packet follow the payload, the lower half is the index as anywhere, which has to be taken by itself.
 */
#include <linux/bpf.h>

#include "kselftest_harness.h"
#include "subject.h"

FIXTURE(packet)
{
	struct subject s;
};

FIXTURE_SETUP(packet)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_PACKET, &spec));
}

FIXTURE_TEARDOWN(packet)
{
	subject_close(&self->s);
}

static void keep_record(void *ctx, const struct raw_record *record)
{
	*(struct raw_record *)ctx = *record;
}

static int emit(struct subject *s, uint64_t flags)
{
	int code, ret = emitter_emit_flags(&s->emitter, flags, 8, &code);

	return ret ? ret : code;
}

/* One sample of 8 bytes with @bytes of the packet behind, to slot @index, and what the reader gets of it. */
static void comes_along(struct __test_metadata *_metadata, struct subject *s, uint64_t index,
			uint64_t bytes)
{
	uint32_t number = emitter_number(&s->emitter), seen;
	uint64_t head = ring_head(&s->ring), record_bytes = 8 + (4 + 8 + bytes + 7) / 8 * 8;
	struct raw_record record = { 0 };

	ASSERT_EQ(0, emit(s, bytes << 32 | index)) TH_LOG("%llu bytes", (unsigned long long)bytes);
	EXPECT_TRUE(subject_ready(s));
	EXPECT_EQ(head + record_bytes, ring_head(&s->ring));
	ASSERT_EQ(1, consumer_raw_pass(&s->consumer, &s->ring, 0, keep_record, &record));
	ASSERT_EQ(record_bytes - 12, record.size) TH_LOG("%llu bytes", (unsigned long long)bytes);
	memcpy(&seen, record.payload, sizeof(seen));
	EXPECT_EQ(number, seen);
	EXPECT_EQ(0, memcmp(record.payload + 8, emitter_packet, bytes))
		TH_LOG("%llu bytes", (unsigned long long)bytes);
}

TEST_F(packet, its_bytes_follow_the_payload)
{
	for (uint64_t bytes = 0; bytes <= EMITTER_PACKET_BYTES; bytes++)
		comes_along(_metadata, &self->s, BPF_F_CURRENT_CPU, bytes);
}

TEST_F(packet, to_a_slot_by_number)
{
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 7, self->s.ring.fd));
	comes_along(_metadata, &self->s, 7, 0);
	comes_along(_metadata, &self->s, 7, 1);
	comes_along(_metadata, &self->s, 7, EMITTER_PACKET_BYTES);
}

/* 8 and 64 bytes are a record of 88, and the ring of 4096 bytes ends within one of each kind of piece. */
TEST_F(packet, across_the_end_of_the_ring)
{
	for (int n = 0; n < 600; n++)
		comes_along(_metadata, &self->s, 0, EMITTER_PACKET_BYTES);
}

TEST_F(packet, refused)
{
	static const struct { uint64_t flags; int code; } table[] = {
		{ 1ULL << 52, -EINVAL },		/* the length has 20 bits */
		{ 1ULL << 63, -EINVAL },
		{ (EMITTER_PACKET_BYTES + 1ULL) << 32, -EFAULT },
		{ 0xfffffULL << 32, -EFAULT },
		{ 1, -ENOENT },
		{ 1ULL << 32 | 63, -ENOENT },
		{ 64, -E2BIG },
		{ 1ULL << 32 | 64, -E2BIG },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		EXPECT_EQ(table[i].code, emit(&self->s, table[i].flags))
			TH_LOG("flags %llx", (unsigned long long)table[i].flags);
	}
	EXPECT_EQ(0, ring_head(&self->s.ring));
	EXPECT_FALSE(subject_ready(&self->s));
}

/* No room for the packet's bytes is no room for the sample: nothing of it gets in. */
TEST_F(packet, all_of_it_or_nothing)
{
	ASSERT_EQ(0, subject_emit(&self->s, 3996));	/* 4008 bytes: 87 are left, to the byte that stays free */
	ASSERT_TRUE(subject_ready(&self->s));
	EXPECT_EQ(-ENOSPC, emit(&self->s, (uint64_t)EMITTER_PACKET_BYTES << 32));
	EXPECT_EQ(4008, ring_head(&self->s.ring));
	EXPECT_FALSE(subject_ready(&self->s));
	ASSERT_EQ(1, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, 0));
}

TEST_HARNESS_MAIN
