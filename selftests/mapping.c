// SPDX-License-Identifier: GPL-2.0
/* K10, K6: what can be mapped, how often, and when the last mapping is gone. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* A private mapping could not share the ring; one of 64 GB has more pages than fit into one table of them. */
TEST_F(mapping, of_what_can_be_no_ring)
{
	struct ring *r = &self->s.ring;

	ring_unmap(r);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, (PAGES + 1) * CASE_PAGE_BYTES, PROT_READ, MAP_PRIVATE, r->fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, map(r, 1 << 24, 0));
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL));
	ASSERT_EQ(0, ring_map(r));
	EXPECT_EQ(0, subject_emit(&self->s, 8));
}

/* The AUX area lies behind the data, where the control page says, and its size is one of pages, too. */
static const struct aux {
	const char *what;
	uint64_t offset, size;	/* as the control page says, in pages */
	off_t from;		/* as mmap says */
	size_t pages;
	int error;
} aux_areas[] = {
	{ "nothing said", 0, 0, PAGES + 1, 4, EINVAL },
	{ "over the data", PAGES, 4, PAGES, 4, EINVAL },
	{ "elsewhere", PAGES + 1, 4, PAGES + 2, 4, EINVAL },
	{ "of another size", PAGES + 1, 8, PAGES + 1, 4, EINVAL },
	{ "no power of two", PAGES + 1, 3, PAGES + 1, 3, EINVAL },
	{ "of an event that writes none", PAGES + 1, 4, PAGES + 1, 4, EOPNOTSUPP },
};

/* What the output of a program cannot have is refused, and the ring is what it was. */
TEST_F(mapping, of_an_aux_area)
{
	struct ring *r = &self->s.ring;

	for (size_t i = 0; i < sizeof(aux_areas) / sizeof(*aux_areas); i++) {
		const struct aux *aux = &aux_areas[i];

		r->page->aux_offset = aux->offset * CASE_PAGE_BYTES;
		r->page->aux_size = aux->size * CASE_PAGE_BYTES;
		EXPECT_EQ(MAP_FAILED, map(r, aux->pages - 1, aux->from)) TH_LOG("%s", aux->what);
		EXPECT_EQ(aux->error, errno) TH_LOG("%s", aux->what);
		ASSERT_EQ(0, subject_emit(&self->s, 8));
		EXPECT_EQ(READINESS_READY, look(r, VIA_POLL)) TH_LOG("%s", aux->what);
	}
	EXPECT_EQ(6, subject_consume(&self->s, 0));
	ring_unmap(r);
	EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL)) TH_LOG("no refusal holds the ring");
}

/* The number in file @path, or -1. */
static long read_long(const char *path)
{
	FILE *f = fopen(path, "r");
	long value;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* errno of mapping @pages pages of data by a process that may lock nothing; 0 if it may. */
static int errno_without_rights(const struct ring *r, size_t pages)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	const struct rlimit none = { 0, 0 };
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (setrlimit(RLIMIT_MEMLOCK, &none) || syscall(SYS_capget, &head, caps))
			_exit(255);
		caps[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &= ~CAP_TO_MASK(CAP_IPC_LOCK);
		if (syscall(SYS_capset, &head, caps))
			_exit(255);
		_exit(map(r, pages, 0) == MAP_FAILED ? errno : 0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* perf_event_mlock_kb a CPU are free for each user; beyond that it takes RLIMIT_MEMLOCK or a right. */
TEST_F(mapping, of_more_than_may_be_locked)
{
	struct ring *r = &self->s.ring;
	long free_kb = read_long("/proc/sys/kernel/perf_event_mlock_kb");
	size_t pages = 1;
	void *base;

	ASSERT_LE(0, free_kb);
	if (read_long("/proc/sys/kernel/perf_event_paranoid") < 0)
		SKIP(return, "perf_event_paranoid is -1: here everybody may lock everything");
	while (pages * CASE_PAGE_BYTES <= (uint64_t)free_kb * 1024 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN))
		pages *= 2;
	ring_unmap(r);
	EXPECT_EQ(EPERM, errno_without_rights(r, pages)) TH_LOG("%zu pages", pages);
	EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL));
	base = map(r, pages, 0);
	ASSERT_NE(MAP_FAILED, base) TH_LOG("%zu pages, with the right", pages);
	EXPECT_EQ(0, subject_emit(&self->s, 8));
	munmap(base, (pages + 1) * CASE_PAGE_BYTES);
}

/* The signal that ends a process which writes to the data; with @look_first it has read there. */
static int signal_of_a_write(const struct ring *r, bool look_first)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		volatile uint8_t *base = map(r, PAGES, 0);	/* a ring's mapping is not inherited */

		if (base == MAP_FAILED || (look_first && base[CASE_PAGE_BYTES] == 1))
			_exit(1);
		base[CASE_PAGE_BYTES] = 1;
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

/* The control page is for both, the data the kernel's alone. */
TEST_F(mapping, data_is_not_to_be_written)
{
	EXPECT_EQ(SIGBUS, signal_of_a_write(&self->s.ring, false));
	EXPECT_EQ(SIGBUS, signal_of_a_write(&self->s.ring, true));
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_EQ(1, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, 0));
}

/* A ring that is moved to another address is the same ring, mapped once. */
TEST_F(mapping, moved)
{
	const size_t size = (PAGES + 1) * CASE_PAGE_BYTES;
	struct ring *r = &self->s.ring;
	void *to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_event_mmap_page *second;

	ASSERT_NE(MAP_FAILED, to);
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	ASSERT_EQ(to, mremap(r->page, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	r->page = to;
	r->data = (uint8_t *)to + CASE_PAGE_BYTES;
	EXPECT_EQ(READINESS_READY, look(r, VIA_POLL));
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_EQ(READINESS_READY, look(r, VIA_POLL));
	EXPECT_EQ(2, subject_consume(&self->s, 0));
	EXPECT_TRUE(subject_got(&self->s, 0, 1));
	second = map(r, PAGES, 0);
	ASSERT_NE(MAP_FAILED, second);
	EXPECT_EQ(48, second->data_head) TH_LOG("mapped a second time, it is not a new one");
	munmap(second, size);
	ring_unmap(r);
	EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL));
	EXPECT_EQ(-ENOSPC, subject_emit(&self->s, 8));
}

/*
 * An event that writes to the ring of another could have it mapped, and so kept it when the other let it go.
 * Newer kernels refuse that (EBUSY), for both would write the one control page, and it goes with the other.
 */
TEST_F(mapping, by_an_event_that_was_redirected)
{
	struct ring_spec spec = { .pages = PAGES, .threshold = 1 };
	struct ring *r = &self->s.ring, other;
	bool kept;
	int ret;

	ASSERT_EQ(0, ring_open(&other, &spec));
	ring_unmap(&other);
	ASSERT_EQ(0, ring_redirect(&other, r));
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 1, other.fd));
	ret = ring_map(&other);
	kept = ret != -EBUSY;
	ASSERT_EQ(kept ? 0 : -EBUSY, ret);
	ASSERT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_EQ(24, ring_head(kept ? &other : r));
	ring_unmap(r);
	EXPECT_EQ(READINESS_HUP, look(r, VIA_POLL));
	EXPECT_EQ(-ENOSPC, subject_emit(&self->s, 8));
	EXPECT_EQ(kept ? 0 : -ENOSPC, subject_emit_to(&self->s, 1, 8));
	if (kept)
		EXPECT_EQ(48, ring_head(&other));
	EXPECT_EQ(kept ? READINESS_READY : READINESS_HUP, look(&other, VIA_POLL));
	EXPECT_EQ(kept ? READINESS_QUIET : READINESS_HUP, look(&other, VIA_POLL));
	ring_close(&other);
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
