// SPDX-License-Identifier: GPL-2.0
/*
 * K10: O_ASYNC. perf_event_wakeup() sends a signal when pending_kill is set. Before 6.10 only
 * __perf_event_overflow() set it, through which a BPF output never goes: no output raised a signal,
 * by either rule. Since 6.10 perf_output_wakeup() sets it: one signal for each crossing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "signals.h"
#include "subject.h"

FIXTURE(sigio)
{
	struct subject s;
	int each;	/* signals a crossing */
};

FIXTURE_VARIANT(sigio)
{
	struct ring_spec spec;
	uint32_t wakes[2];	/* sample numbers, 24-byte records */
};

FIXTURE_VARIANT_ADD(sigio, count) { { .pages = 1, .threshold = 3 }, { 2, 5 } };
FIXTURE_VARIANT_ADD(sigio, watermark) {
	{ .pages = 1, .threshold = 240, .by_watermark = true }, { 10, 20 },
};

FIXTURE_SETUP(sigio)
{
	self->each = kernel_at_least(6, 10);
	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &variant->spec));
	ASSERT_EQ(0, ask_for_signals(&self->s.ring, SIGRTMIN));
}

FIXTURE_TEARDOWN(sigio)
{
	subject_close(&self->s);
}

TEST_F(sigio, one_a_crossing)
{
	struct ring *r = &self->s.ring;

	for (uint32_t number = 0; number <= variant->wakes[1]; number++) {
		bool due = number == variant->wakes[0] || number == variant->wakes[1];

		ASSERT_EQ(0, subject_emit(&self->s, 8));
		ASSERT_EQ(due ? self->each : 0, signals(r, SIGRTMIN)) TH_LOG("sample %u", number);
		/* The signal takes nothing from who looks. */
		ASSERT_EQ(due, subject_ready(&self->s)) TH_LOG("sample %u", number);
	}
}

/* Two crossings before a look are one readiness, but two signals. */
TEST_F(sigio, not_merged_as_the_flag_is)
{
	ASSERT_EQ(0, subject_emit_many(&self->s, variant->wakes[1] + 1, 8));
	EXPECT_EQ(2 * self->each, signals(&self->s.ring, SIGRTMIN));
	EXPECT_TRUE(subject_ready(&self->s));
	EXPECT_FALSE(subject_ready(&self->s));
}

/* Redirected outputs wake both descriptors, but the signal is only for the one that emitted. */
TEST(redirected)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	int each = kernel_at_least(6, 10);
	struct subject s;
	struct ring b;

	ASSERT_EQ(0, subject_open(&s, EMITTER_TEST_RUN, &spec));
	ASSERT_EQ(0, ring_open(&b, &spec));
	ring_unmap(&b);
	ASSERT_EQ(0, ring_redirect(&b, &s.ring));
	ASSERT_EQ(0, emitter_set_slot(&s.emitter, 1, b.fd));
	ASSERT_EQ(0, ask_for_signals(&s.ring, SIGRTMIN));
	ASSERT_EQ(0, ask_for_signals(&b, SIGRTMIN + 1));
	ASSERT_EQ(0, subject_emit_to(&s, 1, 8));
	EXPECT_EQ(0, signals(&s.ring, SIGRTMIN));
	EXPECT_EQ(each, signals(&b, SIGRTMIN + 1));
	ASSERT_EQ(0, subject_emit_to(&s, 0, 8));
	EXPECT_EQ(each, signals(&s.ring, SIGRTMIN));
	EXPECT_EQ(0, signals(&b, SIGRTMIN + 1));
	ring_close(&b);
	subject_close(&s);
}

/*
 * An event that samples has always raised one signal for each sample, whatever its threshold: each
 * goes through __perf_event_overflow(). Here the samples are page faults of this thread.
 */
TEST(of_an_event_that_samples)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_type = PERF_SAMPLE_IP,
		.sample_period = 1,
		.wakeup_events = 1000,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	struct ring r = ring_closed();
	volatile char *pages;
	struct emitter e;

	/* Where signals come from a thread, its CPU has to be ours, and the emitter knows how to wait for it. */
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, emitter_open(&e, EMITTER_TEST_RUN));
	r.bytes = 8 * CASE_PAGE_BYTES;
	r.fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, r.fd);
	ASSERT_EQ(0, ring_map(&r));
	ASSERT_EQ(0, ring_head(&r));
	ASSERT_EQ(0, ask_for_signals(&r, SIGRTMIN));
	pages = mmap(NULL, 8 * CASE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, pages);
	madvise((void *)pages, 8 * CASE_PAGE_BYTES, MADV_NOHUGEPAGE);	/* fails where there are none */
	ASSERT_EQ(0, emitter_settle(&e));
	signals(&r, SIGRTMIN);	/* its own pages are there then */
	for (int i = 0; i < 8; i++) {
		ASSERT_EQ(0, ring_enable(&r, true));
		pages[i * CASE_PAGE_BYTES] = 1;
		ASSERT_EQ(0, ring_enable(&r, false));
		ASSERT_EQ(0, emitter_settle(&e));
		EXPECT_EQ(1, signals(&r, SIGRTMIN)) TH_LOG("fault %d", i);
	}
	munmap((void *)pages, 8 * CASE_PAGE_BYTES);
	ring_close(&r);
	emitter_close(&e);
}

TEST_HARNESS_MAIN
