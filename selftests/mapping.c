// SPDX-License-Identifier: GPL-2.0
/* K10, K6: what can be mapped, how often, and when the last mapping is gone. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "subject.h"

#define PAGES 4

FIXTURE(mapping)
{
	struct subject s;
};

FIXTURE_SETUP(mapping)
{
	struct ring_spec spec = { .pages = PAGES, .threshold = 1, .reads_lost = kernel_at_least(6, 0) };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
}

FIXTURE_TEARDOWN(mapping)
{
	subject_close(&self->s);
}

/* @pages of data and the control page, from page @offset on: the address, or MAP_FAILED and errno. */
static void *map(const struct ring *r, size_t pages, off_t offset)
{
	return mmap(NULL, (pages + 1) * CASE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		    offset * CASE_PAGE_BYTES);
}

static void is_refused(struct __test_metadata *_metadata, const struct ring *r, size_t pages, off_t offset)
{
	EXPECT_EQ(MAP_FAILED, map(r, pages, offset)) TH_LOG("%zu pages from %ld on", pages, (long)offset);
	EXPECT_EQ(EINVAL, errno) TH_LOG("%zu pages from %ld on", pages, (long)offset);
}

TEST_F(mapping, of_what_is_no_power_of_two)
{
	struct ring *r = &self->s.ring;

	ring_unmap(r);
	is_refused(_metadata, r, 3, 0);
	is_refused(_metadata, r, 4, 1);
	ASSERT_EQ(0, ring_map(r));
}

/* A second mapping shows the same ring, of the same size or not at all; the last to go takes the ring along. */
TEST_F(mapping, twice)
{
	struct ring *r = &self->s.ring;
	struct perf_event_mmap_page *second;

	is_refused(_metadata, r, PAGES / 2, 0);
	is_refused(_metadata, r, PAGES * 2, 0);
	is_refused(_metadata, r, 0, 0);
	second = map(r, PAGES, 0);
	ASSERT_NE(MAP_FAILED, second);
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_EQ(24, ring_head(r));
	EXPECT_EQ(24, second->data_head);
	ring_unmap(r);
	EXPECT_EQ(READINESS_READY, look(r, VIA_POLL)) TH_LOG("what was due is still due");
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_EQ(48, second->data_head);
	EXPECT_EQ(READINESS_READY, look(r, VIA_POLL));
	munmap(second, (PAGES + 1) * CASE_PAGE_BYTES);
	EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL));
	EXPECT_EQ(-ENOSPC, subject_emit(&self->s, 8));
}

/* The control page alone is a ring without room. A sample it has no page for is no loss. */
TEST_F(mapping, without_data)
{
	struct ring *r = &self->s.ring;
	struct perf_event_mmap_page *page;
	uint64_t lost;

	ring_unmap(r);
	page = map(r, 0, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(0, page->data_size);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(-ENOSPC, subject_emit(&self->s, 8));
		EXPECT_EQ(READINESS_QUIET, look(r, VIA_POLL));
	}
	EXPECT_EQ(0, page->data_head);
	if (kernel_at_least(6, 0)) {
		ASSERT_EQ(0, ring_read_lost(r, &lost));
		EXPECT_EQ(0, lost);
	}
	munmap(page, CASE_PAGE_BYTES);
	EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL));
}

/*
 * A part of it cannot go: kernels before 6.17 split the mapping, and lost count of it, but where the fix
 * was taken back, as into every stable series.
 */
TEST_F(mapping, in_parts)
{
	struct ring *r = &self->s.ring;
	uint8_t *last = (uint8_t *)r->page + PAGES * CASE_PAGE_BYTES;

	if (!munmap(last, CASE_PAGE_BYTES))
		SKIP(return, "this kernel lets a ring's mapping be split");
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_EQ(READINESS_READY, look(r, VIA_POLL));
	EXPECT_EQ(1, subject_consume(&self->s, 0));
}

TEST_HARNESS_MAIN
