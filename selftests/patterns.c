// SPDX-License-Identifier: GPL-2.0
/*
 * What whole tools do with a reader, as processes of their own: the test emits, the tool (tool.h) reads
 * and tells. Whatever the timing, books have to balance, so nothing here is decided by how long
 * something took.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "kselftest_harness.h"
#include "subject.h"
#include "tool.h"

FIXTURE(patterns)
{
	struct emitter emitter;
	struct tool tool;
	pid_t pid;
	uint32_t accepted[CPUS];
};

FIXTURE_VARIANT(patterns)
{
	enum consumer_kind consumer;
};

FIXTURE_VARIANT_ADD(patterns, raw) { CONSUMER_RAW };
FIXTURE_VARIANT_ADD(patterns, libbpf) { CONSUMER_LIBBPF_RAW };

FIXTURE_SETUP(patterns)
{
	struct tool *t = &self->tool;

	*t = (struct tool){ .size = 20 };
	for (uint32_t i = 0; i < CPUS; i++)
		t->rings[i] = ring_closed();
	ASSERT_EQ(0, emitter_open(&self->emitter, EMITTER_TEST_RUN));
	t->slots_fd = self->emitter.slots_fd;
	t->sh = mmap(NULL, sizeof(*t->sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, t->sh);
	self->pid = -1;
}

FIXTURE_TEARDOWN(patterns)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
	emitter_close(&self->emitter);
}

/* Start a tool with rings on @count CPUs (fewer where there are fewer); false if it does not open them. */
static bool start(FIXTURE_DATA(patterns) *self, enum consumer_kind kind, uint32_t count,
		  uint32_t pages, void (*run)(struct tool *t))
{
	uint32_t cpus[SAMPLE_SLOTS], online = online_cpus(cpus);
	struct tool *t = &self->tool;

	for (t->count = 0; t->count < count && t->count < online; t->count++)
		t->cpus[t->count] = cpus[t->count];
	fflush(NULL);
	self->pid = fork();
	if (!self->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);	/* none is left behind */
		if (tool_open_rings(t, kind, pages))
			_exit(1);
		tool_store(&t->sh->opened, 1);
		run(t);
		_exit(0);
	}
	return self->pid > 0 && tool_await(&t->sh->opened, 1);
}

/* One sample to the ring of number @i, from its CPU. Counts what is accepted. */
static int emit(FIXTURE_DATA(patterns) *self, uint32_t i)
{
	int code, ret = pin_to(self->tool.cpus[i]);

	if (!ret)
		ret = emitter_emit(&self->emitter, i, self->tool.size, &code);
	if (!ret && !code)
		self->accepted[i]++;
	return ret ? ret : code;
}

TEST_F(patterns, collects_for_a_time_detaches_then_drains)
{
	struct shared *sh = self->tool.sh;
	uint32_t refused = 0, emitted = 0;
	int code = 0;

	ASSERT_TRUE(start(self, variant->consumer, CPUS, 64, tool_collect));
	while (!tool_load(&sh->detached)) {
		for (uint32_t i = 0; i < self->tool.count; i++, emitted++) {
			code = emit(self, i);
			ASSERT_TRUE(!code || code == -ENOSPC || code == -ENOENT) TH_LOG("%d", code);
			refused += code == -ENOSPC;
		}
	}
	EXPECT_EQ(0, sh->failed) TH_LOG("tool.c:%u", sh->failed);
	EXPECT_LT(0, self->accepted[0]);
	for (uint32_t i = 0; i < self->tool.count; i++) {
		EXPECT_EQ(self->accepted[i], sh->seen[i]) TH_LOG("CPU %u", i);
	}
	TH_LOG("%u emitted, %u refused by full rings, all others seen", emitted, refused);
}

TEST_F(patterns, killed_it_loses_less_than_a_threshold_a_CPU)
{
	struct shared *sh = self->tool.sh;
	int status;

	ASSERT_TRUE(start(self, variant->consumer, CPUS, 8, tool_run_for_ever));
	/* All that was announced comes out. */
	for (uint32_t n = 0; n < 5 * N; n++)
		for (uint32_t i = 0; i < self->tool.count; i++)
			ASSERT_EQ(0, emit(self, i));
	for (uint32_t i = 0; i < self->tool.count; i++)
		ASSERT_TRUE(tool_await(&sh->seen[i], 5 * N));
	/* What is not never does, however long the tool runs. */
	for (uint32_t n = 0; n < N - 1; n++)
		for (uint32_t i = 0; i < self->tool.count; i++)
			ASSERT_EQ(0, emit(self, i));
	ASSERT_TRUE(tool_await(&sh->polls, tool_load(&sh->polls) + (self->tool.count > 1 ? 10 : 0)));
	ASSERT_EQ(0, kill(self->pid, SIGKILL));
	ASSERT_EQ(self->pid, waitpid(self->pid, &status, 0));
	self->pid = -1;
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(0, sh->failed) TH_LOG("tool.c:%u", sh->failed);
	for (uint32_t i = 0; i < self->tool.count; i++) {
		EXPECT_EQ(5 * N, sh->seen[i]);
		EXPECT_EQ(N - 1, self->accepted[i] - sh->seen[i]);
		TH_LOG("CPU %u: %u accepted, %u died with the tool", self->tool.cpus[i],
		       self->accepted[i], self->accepted[i] - sh->seen[i]);
	}
}

TEST_F(patterns, callback_slower_than_the_producer)
{
	struct shared *sh = self->tool.sh;
	uint32_t refused = 0;

	ASSERT_TRUE(start(self, variant->consumer, 1, 1, tool_poll_slowly));
	for (uint32_t n = 0; n < N; n++)
		ASSERT_EQ(0, emit(self, 0));
	ASSERT_TRUE(tool_await(&sh->in_callback, 1));
	while (refused < 50) {
		int code = emit(self, 0);

		ASSERT_TRUE(!code || code == -ENOSPC);
		refused += code == -ENOSPC;
	}
	tool_store(&sh->go_on, 1);
	ASSERT_TRUE(tool_await(&sh->detached, 1));
	EXPECT_EQ(self->accepted[0], sh->seen[0]);
	EXPECT_EQ(0, sh->lost[0]) TH_LOG("no success behind the losses, so nothing tells of them");
	ASSERT_EQ(0, emit(self, 0));
	tool_store(&sh->go_on, 2);
	ASSERT_TRUE(tool_await(&sh->detached, 2));
	EXPECT_EQ(0, sh->failed) TH_LOG("tool.c:%u", sh->failed);
	EXPECT_EQ(self->accepted[0], sh->seen[0]);
	EXPECT_EQ(refused, sh->lost[0]);
}

TEST_F(patterns, signal_during_poll_loses_nothing)
{
	struct shared *sh = self->tool.sh;

	ASSERT_TRUE(start(self, variant->consumer, 1, 8, tool_poll_through_signal));
	for (uint32_t n = 0; n < N - 1; n++)
		ASSERT_EQ(0, emit(self, 0));
	ASSERT_TRUE(tool_await_asleep(sh, self->pid, 1));
	ASSERT_EQ(0, kill(self->pid, SIGUSR1));
	ASSERT_TRUE(tool_await(&sh->detached, 1));
	ASSERT_TRUE(tool_await_asleep(sh, self->pid, 2));
	EXPECT_EQ(-EINTR, sh->poll_ret);
	EXPECT_EQ(0, sh->seen[0]);
	ASSERT_EQ(0, emit(self, 0));
	ASSERT_TRUE(tool_await(&sh->detached, 2));
	EXPECT_LT(0, sh->poll_ret);
	EXPECT_EQ(0, sh->failed) TH_LOG("tool.c:%u", sh->failed);
	EXPECT_EQ(N, sh->seen[0]);
}

/*
 * Closing a reader that another thread waits in is no way to end it. The kernel wakes the waiter to
 * say HUP when the ring is unmapped, but if its descriptor is gone by then, it waits on, for ever;
 * and if not, libbpf's poll goes on to read memory that its free has given back (deviation
 * free-under-poll). All that holds is that nothing gets in any more. own_loop.c has the right way.
 */
TEST_F(patterns, closed_under_a_waiting_thread)
{
	struct shared *sh = self->tool.sh;
	time_t end = time(NULL) + DEADLINE_S;
	enum { NOT_YET, DIED, RETURNED, WAITS } outcome = NOT_YET;
	static const char *const words[] = {
		"", "the tool died", "its poll returned", "its poll waits for ever",
	};
	int status = 0;

	ASSERT_TRUE(start(self, variant->consumer, 1, 8, tool_close_under_waiter));
	while (!outcome && time(NULL) < end) {
		if (waitpid(self->pid, &status, WNOHANG) == self->pid)
			outcome = WIFSIGNALED(status) ? DIED : RETURNED;
		else if (tool_load(&sh->detached) && tool_asleep(sh, sh->waiter, 1))
			outcome = WAITS;
	}
	if (outcome == DIED || outcome == RETURNED)
		self->pid = -1;
	ASSERT_NE(NOT_YET, outcome);
	TH_LOG("%s", words[outcome]);
	if (variant->consumer == CONSUMER_RAW)
		EXPECT_NE(DIED, outcome);
	EXPECT_EQ(0, sh->failed) TH_LOG("tool.c:%u", sh->failed);
	for (uint32_t n = 0; n < 3 * N; n++)
		ASSERT_EQ(-ENOENT, emit(self, 0));
	EXPECT_EQ(0, sh->seen[0]);
	if (outcome == WAITS)
		EXPECT_TRUE(tool_asleep(sh, sh->waiter, 1));
}

TEST_HARNESS_MAIN
