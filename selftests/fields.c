// SPDX-License-Identifier: GPL-2.0
/*
 * K5, K7: an event that asks for more than the payload. Its records are longer by what it asks for, and
 * with sample_id_all the LOST record is, too: by that much more room it needs, and less fits.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "subject.h"

#define FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | \
		PERF_SAMPLE_TRANSACTION)

/* As the manual page lays them out, with 8 bytes of payload. */
struct sample_record {
	struct perf_event_header header;
	uint64_t identifier, ip;
	uint32_t pid, tid;
	uint64_t time, addr, id, stream_id;
	uint32_t cpu, reserved;
	uint64_t period;
	uint32_t raw_size, number;
	uint32_t rest, padding;
	uint64_t weight, data_src, transaction;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t lost_id, lost;
	uint32_t pid, tid;
	uint64_t time, id, stream_id;
	uint32_t cpu, reserved;
	uint64_t identifier;
};

_Static_assert(sizeof(struct sample_record) == 120 && sizeof(struct lost_record) == 72, "no holes");

FIXTURE(fields)
{
	struct subject s;
	uint64_t id;
};

FIXTURE_SETUP(fields)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	struct perf_event_attr attr;

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	ring_close(&self->s.ring);
	ring_attr(&spec, &attr);
	attr.sample_type = FIELDS;
	attr.sample_id_all = 1;
	self->s.ring.bytes = CASE_PAGE_BYTES;
	self->s.ring.fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, self->s.ring.fd);
	ASSERT_EQ(0, ring_map(&self->s.ring));
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 0, self->s.ring.fd));
	ASSERT_EQ(0, ioctl(self->s.ring.fd, PERF_EVENT_IOC_ID, &self->id));
}

FIXTURE_TEARDOWN(fields)
{
	subject_close(&self->s);
}

/* The @size bytes at @offset of the ring, around its end. */
static void read_at(const struct ring *r, uint64_t offset, void *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = r->data[(offset + i) % r->bytes];
}

static void is_sample(struct __test_metadata *_metadata, FIXTURE_DATA(fields) *self, uint64_t offset,
		      uint32_t number)
{
	struct sample_record record;

	read_at(&self->s.ring, offset, &record, sizeof(record));
	EXPECT_EQ(PERF_RECORD_SAMPLE, record.header.type);
	EXPECT_EQ(sizeof(record), record.header.size);
	EXPECT_EQ(self->id, record.identifier);
	EXPECT_EQ(self->id, record.id);
	EXPECT_LT(0, record.stream_id);
	EXPECT_EQ((uint32_t)getpid(), record.pid);
	EXPECT_EQ((uint32_t)syscall(SYS_gettid), record.tid);
	EXPECT_LT(0, record.time);
	EXPECT_EQ(0, record.cpu);
	EXPECT_EQ(12, record.raw_size);
	EXPECT_EQ(number, record.number);
	/* An output has no address, weight, source or transaction. */
	EXPECT_EQ(0, record.addr);
	EXPECT_EQ(0, record.weight);
	EXPECT_EQ(0, record.transaction);
}

TEST_F(fields, of_a_sample)
{
	for (uint32_t number = 0; number < 100; number++) {
		uint64_t head = ring_head(&self->s.ring);

		ASSERT_EQ(0, subject_emit(&self->s, 8));
		ASSERT_EQ(head + sizeof(struct sample_record), ring_head(&self->s.ring));
		is_sample(_metadata, self, head, number);
		__atomic_store_n(&self->s.ring.page->data_tail, ring_head(&self->s.ring), __ATOMIC_RELEASE);
	}
}

/* 34 samples of 120 bytes are 4080; 15 are left, to the byte that stays free. */
TEST_F(fields, of_a_loss)
{
	struct perf_event_mmap_page *page = self->s.ring.page;
	struct lost_record lost;

	ASSERT_EQ(0, subject_emit_many(&self->s, 34, 8));
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 8));
	/* With one sample read there are 135 bytes, for 120 and 72. With two there are enough. */
	page->data_tail = 120;
	ASSERT_EQ(-ENOSPC, subject_emit(&self->s, 8));
	page->data_tail = 240;
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	ASSERT_EQ(4080 + 72 + 120, ring_head(&self->s.ring));
	read_at(&self->s.ring, 4080, &lost, sizeof(lost));
	EXPECT_EQ(PERF_RECORD_LOST, lost.header.type);
	EXPECT_EQ(sizeof(lost), lost.header.size);
	EXPECT_EQ(self->id, lost.lost_id);
	EXPECT_EQ(6, lost.lost);
	EXPECT_EQ((uint32_t)getpid(), lost.pid);
	EXPECT_EQ((uint32_t)syscall(SYS_gettid), lost.tid);
	EXPECT_LT(0, lost.time);
	EXPECT_EQ(self->id, lost.id);
	EXPECT_LT(0, lost.stream_id);
	EXPECT_EQ(0, lost.cpu);
	EXPECT_EQ(self->id, lost.identifier);
	is_sample(_metadata, self, 4080 + 72, 40);
}

TEST_HARNESS_MAIN
