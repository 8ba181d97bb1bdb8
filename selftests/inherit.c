// SPDX-License-Identifier: GPL-2.0
/*
 * A task that inherits an event has one of its own, but no ring: perf_output_begin() takes the parent's. So
 * the samples of both count together, and whoever watches the parent is woken and gets the signals (K1, K10).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "signals.h"
#include "subject.h"

#define THRESHOLD 3

static __attribute__((noinline)) void step_on(void)
{
	__asm__ volatile("");
}

/* A sample whenever this task, or one that it starts, runs step_on(); on CPU @cpu, or -1. */
static struct ring open_breakpoint(int cpu)
{
	struct ring r = ring_closed();
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)step_on,
		.bp_len = sizeof(long),
		.sample_type = PERF_SAMPLE_TID,
		.sample_period = 1,
		.wakeup_events = THRESHOLD,
		.exclude_kernel = 1,
		.inherit = 1,
	};

	r.bytes = CASE_PAGE_BYTES;
	r.fd = (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return r;
}

/*
 * Two tasks with nothing but the same inherited events swap those instead of switching from one's to the
 * other's (perf_event_context_sched_out()), and the child may sample with its parent's own. An event that
 * is not inherited keeps them apart.
 */
static int open_another(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* One sample of a child: its pid, or -1. */
static pid_t step_in_a_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		step_on();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status ? child : -1;
}

FIXTURE(inherit)
{
	struct emitter e;	/* knows how to wait for what a kernel does later */
	struct ring r;
	int another;
};

FIXTURE_VARIANT(inherit)
{
	bool apart;
};

FIXTURE_VARIANT_ADD(inherit, with_an_event_of_its_own) { true };
FIXTURE_VARIANT_ADD(inherit, with_that_of_its_parent_at_times) { false };

FIXTURE_SETUP(inherit)
{
	self->another = -1;
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, emitter_open(&self->e, EMITTER_TEST_RUN));
	self->r = open_breakpoint(0);
	if (variant->apart) {
		self->another = open_another();
		ASSERT_LE(0, self->another);
	}
}

FIXTURE_TEARDOWN(inherit)
{
	if (self->another >= 0)
		close(self->another);
	ring_close(&self->r);
	emitter_close(&self->e);
}

/* The parent's own sample and those of two children are three, and the third is the one that wakes. */
TEST_F(inherit, samples_of_a_child_count_in_the_ring_of_its_parent)
{
	struct { struct perf_event_header header; uint32_t pid, tid; } record;

	if (self->r.fd < 0)
		SKIP(return, "no breakpoints here");
	ASSERT_EQ(0, ring_map(&self->r));
	ASSERT_EQ(0, ask_for_signals(&self->r, SIGRTMIN));
	for (uint32_t i = 0; i < 2 * THRESHOLD; i++) {
		bool own = i % THRESHOLD == 0, due = i % THRESHOLD == THRESHOLD - 1;
		pid_t writer = own ? getpid() : step_in_a_child();
		/* An event that samples has one for each; since 6.10 a crossing has one as well, of the ring's event. */
		int most = due && kernel_at_least(6, 10) ? 2 : 1, came;

		ASSERT_LT(0, writer) TH_LOG("sample %u", i);
		if (own)
			step_on();
		ASSERT_EQ(0, emitter_settle(&self->e));
		ASSERT_EQ((i + 1) * sizeof(record), ring_head(&self->r)) TH_LOG("sample %u", i);
		memcpy(&record, self->r.data + i * sizeof(record), sizeof(record));
		EXPECT_EQ(PERF_RECORD_SAMPLE, record.header.type) TH_LOG("sample %u", i);
		EXPECT_EQ((uint32_t)writer, record.pid) TH_LOG("sample %u", i);
		EXPECT_EQ(due ? READINESS_READY : READINESS_QUIET, look(&self->r, VIA_POLL)) TH_LOG("sample %u", i);
		came = signals(&self->r, SIGRTMIN);
		EXPECT_LE(variant->apart ? most : 1, came) TH_LOG("sample %u", i);
		EXPECT_GE(most, came) TH_LOG("sample %u", i);
	}
}

/* Children on every CPU would write to the one ring at once. */
TEST(an_event_for_any_cpu_cannot_have_a_ring)
{
	struct ring r = open_breakpoint(-1);

	if (r.fd < 0)
		SKIP(return, "no breakpoints here");
	EXPECT_EQ(-EINVAL, ring_map(&r));
	ring_close(&r);
}

TEST_HARNESS_MAIN
