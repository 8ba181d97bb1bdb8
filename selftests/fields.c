// SPDX-License-Identifier: GPL-2.0
/*
 * K5, K7: an event that asks for more than the payload. Its records are longer by what it asks for, and
 * with sample_id_all the LOST record is, too: by that much more room it needs, and less fits. What has no
 * fixed size is as long as it says itself.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

/* With what varies in size. The last two came with 5.11. */
#define REGISTERS	3u		/* the first two, on any machine */
#define STACK		64u
#define NEWER		(PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)
#define ALL_FIELDS	(FIELDS | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | \
			 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | \
			 PERF_SAMPLE_CGROUP | NEWER | PERF_SAMPLE_AUX)

/* Open @attr for CPU @cpu or task @pid with all fields that this kernel has. The descriptor or -1. */
static int open_with_all(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	attr->sample_type = ALL_FIELDS;
	if (!kernel_at_least(5, 11))
		attr->sample_type &= ~NEWER;
	if (access("/proc/self/cgroup", F_OK))
		attr->sample_type &= ~PERF_SAMPLE_CGROUP;	/* a kernel built without them */
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	attr->sample_regs_user = REGISTERS;
	attr->sample_regs_intr = REGISTERS;
	attr->sample_stack_user = STACK;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A record that is gone through part by part. */
struct parts {
	uint8_t bytes[CASE_PAGE_BYTES];
	size_t at;
};

static uint64_t next_u64(struct parts *p)
{
	uint64_t v = 0;

	if (p->at + sizeof(v) <= sizeof(p->bytes))
		memcpy(&v, p->bytes + p->at, sizeof(v));
	p->at += sizeof(v);
	return v;
}

static void skip_registers(struct parts *p)
{
	uint64_t abi = next_u64(p);

	p->at += abi ? 2 * sizeof(uint64_t) : 0;
}

/* Go through @p, a record of @type, as the manual page has it, to its end; @raw is the size of its RAW part. */
static void go_through(struct __test_metadata *_metadata, struct parts *p, uint64_t type, uint64_t id, uint32_t *raw)
{
	uint64_t stack, enabled;

	p->at = sizeof(struct perf_event_header);
	EXPECT_EQ(id, next_u64(p)) TH_LOG("IDENTIFIER");
	p->at += sizeof(uint64_t);			/* IP */
	EXPECT_EQ((uint32_t)getpid(), (uint32_t)next_u64(p)) TH_LOG("pid of TID");
	p->at += 2 * sizeof(uint64_t);			/* TIME, ADDR */
	EXPECT_EQ(id, next_u64(p)) TH_LOG("ID");
	p->at += 3 * sizeof(uint64_t);			/* STREAM_ID, CPU, PERIOD */
	p->at += sizeof(uint64_t);			/* READ: the value */
	enabled = next_u64(p);				/* 0 where the kernel's clock is coarse and did not move since */
	EXPECT_GE(enabled, next_u64(p)) TH_LOG("time running");
	EXPECT_EQ(id, next_u64(p)) TH_LOG("ID of READ");
	p->at += next_u64(p) * sizeof(uint64_t);	/* CALLCHAIN */
	*raw = (uint32_t)next_u64(p);
	p->at += *raw - sizeof(uint32_t);		/* beyond the 4 bytes that came with its size */
	skip_registers(p);				/* of the user */
	stack = next_u64(p);
	EXPECT_TRUE(stack == 0 || stack == STACK) TH_LOG("%lu bytes of stack", (unsigned long)stack);
	p->at += stack;
	if (stack)
		EXPECT_GE(stack, next_u64(p)) TH_LOG("of them there");
	p->at += 3 * sizeof(uint64_t);			/* WEIGHT, DATA_SRC, TRANSACTION */
	skip_registers(p);				/* of the interrupt */
	p->at += sizeof(uint64_t);			/* PHYS_ADDR */
	if (type & PERF_SAMPLE_CGROUP)
		EXPECT_LT(0, next_u64(p)) TH_LOG("CGROUP");
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		next_u64(p);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		next_u64(p);
	EXPECT_EQ(0, next_u64(p)) TH_LOG("AUX, of an event without");
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

/* Each record goes to its last byte, and what was emitted is in it. */
TEST_F(fields, of_any_size)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	struct ring *r = &self->s.ring;
	struct perf_event_attr attr;

	ring_close(r);
	ring_attr(&spec, &attr);
	r->bytes = CASE_PAGE_BYTES;
	r->fd = open_with_all(&attr, -1, 0);
	ASSERT_LE(0, r->fd);
	ASSERT_EQ(0, ring_map(r));
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 0, r->fd));
	ASSERT_EQ(0, ioctl(r->fd, PERF_EVENT_IOC_ID, &self->id));
	for (uint32_t size = 8; size < 800; size += 8) {
		uint64_t head = ring_head(r);
		struct perf_event_header header;
		struct parts p;
		uint32_t raw;

		ASSERT_EQ(0, subject_emit(&self->s, size));
		read_at(r, head, &header, sizeof(header));
		ASSERT_EQ(ring_head(r), head + header.size);
		ASSERT_GE(sizeof(p.bytes), header.size);
		read_at(r, head, p.bytes, header.size);
		go_through(_metadata, &p, attr.sample_type, self->id, &raw);
		ASSERT_EQ(header.size, p.at) TH_LOG("%u bytes of payload", size);
		ASSERT_EQ(size + 4, raw);
		__atomic_store_n(&r->page->data_tail, ring_head(r), __ATOMIC_RELEASE);
	}
}

/* Samples of an event that no program outputs have no payload: their RAW part is 4 bytes of nothing. */
TEST_F(fields, of_an_event_without_payload)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	struct ring r = ring_closed();
	struct perf_event_header header;
	volatile char *page;
	struct parts p;
	uint64_t id;
	uint32_t raw;

	r.bytes = 2 * CASE_PAGE_BYTES;
	r.fd = open_with_all(&attr, 0, -1);
	ASSERT_LE(0, r.fd);
	ASSERT_EQ(0, ring_map(&r));
	ASSERT_EQ(0, ring_head(&r));
	ASSERT_EQ(0, ioctl(r.fd, PERF_EVENT_IOC_ID, &id));
	page = mmap(NULL, CASE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, ring_enable(&r, true));
	*page = 1;
	ASSERT_EQ(0, ring_enable(&r, false));
	read_at(&r, 0, &header, sizeof(header));
	ASSERT_EQ(ring_head(&r), header.size);
	ASSERT_GE(sizeof(p.bytes), header.size);
	read_at(&r, 0, p.bytes, header.size);
	go_through(_metadata, &p, attr.sample_type, id, &raw);
	EXPECT_EQ(header.size, p.at);
	EXPECT_EQ(4, raw);
	munmap((void *)page, CASE_PAGE_BYTES);
	ring_close(&r);
}

TEST_HARNESS_MAIN
