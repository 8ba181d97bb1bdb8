// SPDX-License-Identifier: GPL-2.0
/*
 * What whole tools do with a reader, as processes of their own: the test emits, the tool reads what its
 * library hands it and tells in shared memory. Whatever the timing, books have to balance, so nothing
 * here is decided by how long something took.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#include "consumer.h"
#include "kselftest_harness.h"
#include "subject.h"

#define DEADLINE_S	20
#define N		7u	/* wakeup_events */
#define CPUS		2u	/* at most; fewer where there are fewer */

/* What tool and test know of each other. Words that one side waits for are stored with release. */
struct shared {
	uint32_t opened;	/* by the tool: its rings are in their slots */
	uint32_t polls;		/* by the tool: it went to poll so often */
	uint32_t in_callback;	/* by the tool: it waits for @go_on there */
	uint32_t go_on;		/* by the test */
	uint32_t detached;	/* by the tool: nothing more can get in */
	uint32_t failed;	/* by the tool: a call failed, a number was out of order, content torn */
	int32_t poll_ret;	/* of the last poll that returned */
	pid_t waiter;		/* a thread of the tool's */
	uint32_t seen[CPUS];
	uint32_t next[CPUS];	/* the lowest number that may come next */
	uint64_t lost[CPUS];
};

struct tool {
	struct shared *sh;
	struct consumer consumer;
	struct ring rings[CPUS];
	uint32_t cpus[CPUS];
	uint32_t count;		/* rings */
	uint32_t size;		/* of the samples */
	uint32_t at;		/* the ring that is read */
	bool slow;		/* stop in the first callback until the test says so */
	int slots_fd;
};

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

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static bool await(const uint32_t *word, uint32_t value)
{
	time_t end = time(NULL) + DEADLINE_S;

	while (load(word) < value) {
		if (time(NULL) > end)
			return false;
		sched_yield();
	}
	return true;
}

/* True while thread @tid sleeps in its poll number @polls: not even on its way to run. */
static bool asleep(struct shared *sh, pid_t tid, uint32_t polls)
{
	char path[64], stat[256] = "";
	const char *state;
	FILE *f;

	if (load(&sh->polls) != polls)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(stat, sizeof(stat), f))
		stat[0] = 0;
	fclose(f);
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

static bool await_asleep(struct shared *sh, pid_t tid, uint32_t polls)
{
	time_t end = time(NULL) + DEADLINE_S;

	while (!asleep(sh, tid, polls)) {
		if (time(NULL) > end)
			return false;
		sched_yield();
	}
	return true;
}

/* --- the tool */

static void see(void *ctx, const struct raw_record *record)
{
	struct tool *t = ctx;
	struct shared *sh = t->sh;
	uint32_t number;

	if (record->is_lost) {
		sh->lost[t->at] += record->lost;
		return;
	}
	memcpy(&number, record->payload, sizeof(number));
	if (number < sh->next[t->at] ||
	    !emitter_sample_whole(record->payload, record->size, number, t->size, t->cpus[t->at],
				  t->at, SAMPLE_PROCESS))
		sh->failed = __LINE__;
	sh->next[t->at] = number + 1;
	store(&sh->seen[t->at], sh->seen[t->at] + 1);
	if (t->slow && !load(&sh->in_callback)) {
		store(&sh->in_callback, 1);
		if (!await(&sh->go_on, 1))
			sh->failed = __LINE__;
	}
}

static void poll_ring(struct tool *t, uint32_t i, int timeout_ms)
{
	bool ready;
	int ret;

	t->at = i;
	store(&t->sh->polls, t->sh->polls + 1);
	ret = consumer_poll(&t->consumer, i, &t->rings[i], timeout_ms, see, t, &ready);
	t->sh->poll_ret = ret;
	if (ret < 0 && ret != -EINTR)
		t->sh->failed = __LINE__;
}

static void drain(struct tool *t)
{
	for (t->at = 0; t->at < t->count; t->at++)
		if (consumer_consume(&t->consumer, t->at, &t->rings[t->at], 0, see, t) < 0)
			t->sh->failed = __LINE__;
}

static int open_rings(struct tool *t, enum consumer_kind kind, uint32_t pages)
{
	int ret;

	consumer_init(&t->consumer, kind);
	ret = consumer_start(&t->consumer, t->slots_fd);
	for (uint32_t i = 0; !ret && i < t->count; i++) {
		const struct ring_spec spec = {
			.cpu = t->cpus[i], .pages = pages, .threshold = N, .declared = true,
		};

		ret = consumer_open_ring(&t->consumer, i, &spec, &t->rings[i]);
	}
	return ret;
}

/* Collects for a while, but until there was something to collect; detaches, and drains. */
static void collect(struct tool *t)
{
	const struct itimerspec when = { .it_value = { .tv_nsec = 30 * 1000 * 1000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	uint64_t expired;

	if (fd < 0 || timerfd_settime(fd, 0, &when, NULL))
		t->sh->failed = __LINE__;
	while (t->sh->seen[0] < 3 * N || read(fd, &expired, sizeof(expired)) < 0)
		for (uint32_t i = 0; i < t->count; i++)
			poll_ring(t, i, 1);
	close(fd);
	for (uint32_t i = 0; i < t->count; i++)
		if (bpf_map_delete_elem(t->slots_fd, &i))
			t->sh->failed = __LINE__;
	/* An output that found its slot before may still be under way on its CPU: wait as a detached link would. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		t->sh->failed = __LINE__;
	drain(t);
	store(&t->sh->detached, 1);
}

/* Polls until it is killed. */
static void run_for_ever(struct tool *t)
{
	for (;;)
		for (uint32_t i = 0; i < t->count; i++)
			poll_ring(t, i, t->count == 1 ? -1 : 1);
}

static void poll_slowly(struct tool *t)
{
	t->slow = true;
	poll_ring(t, 0, -1);
	drain(t);
	store(&t->sh->detached, 1);
	/* What comes now brings the rest of the losses. */
	if (!await(&t->sh->go_on, 2))
		t->sh->failed = __LINE__;
	drain(t);
	store(&t->sh->detached, 2);
}

static void on_signal(int sig)
{
	(void)sig;
}

static void poll_through_signal(struct tool *t)
{
	struct sigaction sa = { .sa_handler = on_signal };	/* without SA_RESTART, as tools have it */

	sigaction(SIGUSR1, &sa, NULL);
	poll_ring(t, 0, -1);
	store(&t->sh->detached, 1);
	poll_ring(t, 0, -1);
	store(&t->sh->detached, 2);
}

static void *wait_for_ring(void *arg)
{
	struct tool *t = arg;

	t->sh->waiter = (pid_t)syscall(SYS_gettid);
	poll_ring(t, 0, -1);
	store(&t->sh->in_callback, 1);
	return NULL;
}

static void close_under_waiter(struct tool *t)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ring, t) || !await(&t->sh->polls, 1) ||
	    !await_asleep(t->sh, t->sh->waiter, 1))
		t->sh->failed = __LINE__;
	consumer_close_ring(&t->consumer, 0, &t->rings[0]);
	store(&t->sh->detached, 1);
	pthread_join(thread, NULL);
}

/* --- the test */

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
		if (open_rings(t, kind, pages))
			_exit(1);
		store(&t->sh->opened, 1);
		run(t);
		_exit(0);
	}
	return self->pid > 0 && await(&t->sh->opened, 1);
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

	ASSERT_TRUE(start(self, variant->consumer, CPUS, 64, collect));
	while (!load(&sh->detached)) {
		for (uint32_t i = 0; i < self->tool.count; i++, emitted++) {
			code = emit(self, i);
			ASSERT_TRUE(!code || code == -ENOSPC || code == -ENOENT) TH_LOG("%d", code);
			refused += code == -ENOSPC;
		}
	}
	EXPECT_EQ(0, sh->failed) TH_LOG("patterns.c:%u", sh->failed);
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

	ASSERT_TRUE(start(self, variant->consumer, CPUS, 8, run_for_ever));
	/* All that was announced comes out. */
	for (uint32_t n = 0; n < 5 * N; n++)
		for (uint32_t i = 0; i < self->tool.count; i++)
			ASSERT_EQ(0, emit(self, i));
	for (uint32_t i = 0; i < self->tool.count; i++)
		ASSERT_TRUE(await(&sh->seen[i], 5 * N));
	/* What is not never does, however long the tool runs. */
	for (uint32_t n = 0; n < N - 1; n++)
		for (uint32_t i = 0; i < self->tool.count; i++)
			ASSERT_EQ(0, emit(self, i));
	ASSERT_TRUE(await(&sh->polls, load(&sh->polls) + (self->tool.count > 1 ? 10 : 0)));
	ASSERT_EQ(0, kill(self->pid, SIGKILL));
	ASSERT_EQ(self->pid, waitpid(self->pid, &status, 0));
	self->pid = -1;
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(0, sh->failed) TH_LOG("patterns.c:%u", sh->failed);
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

	ASSERT_TRUE(start(self, variant->consumer, 1, 1, poll_slowly));
	for (uint32_t n = 0; n < N; n++)
		ASSERT_EQ(0, emit(self, 0));
	ASSERT_TRUE(await(&sh->in_callback, 1));
	while (refused < 50) {
		int code = emit(self, 0);

		ASSERT_TRUE(!code || code == -ENOSPC);
		refused += code == -ENOSPC;
	}
	store(&sh->go_on, 1);
	ASSERT_TRUE(await(&sh->detached, 1));
	EXPECT_EQ(self->accepted[0], sh->seen[0]);
	EXPECT_EQ(0, sh->lost[0]) TH_LOG("no success behind the losses, so nothing tells of them");
	ASSERT_EQ(0, emit(self, 0));
	store(&sh->go_on, 2);
	ASSERT_TRUE(await(&sh->detached, 2));
	EXPECT_EQ(0, sh->failed) TH_LOG("patterns.c:%u", sh->failed);
	EXPECT_EQ(self->accepted[0], sh->seen[0]);
	EXPECT_EQ(refused, sh->lost[0]);
}

TEST_F(patterns, signal_during_poll_loses_nothing)
{
	struct shared *sh = self->tool.sh;

	ASSERT_TRUE(start(self, variant->consumer, 1, 8, poll_through_signal));
	for (uint32_t n = 0; n < N - 1; n++)
		ASSERT_EQ(0, emit(self, 0));
	ASSERT_TRUE(await_asleep(sh, self->pid, 1));
	ASSERT_EQ(0, kill(self->pid, SIGUSR1));
	ASSERT_TRUE(await(&sh->detached, 1));
	ASSERT_TRUE(await_asleep(sh, self->pid, 2));
	EXPECT_EQ(-EINTR, sh->poll_ret);
	EXPECT_EQ(0, sh->seen[0]);
	ASSERT_EQ(0, emit(self, 0));
	ASSERT_TRUE(await(&sh->detached, 2));
	EXPECT_EQ(1, sh->poll_ret < 0 ? 0 : 1);
	EXPECT_EQ(0, sh->failed) TH_LOG("patterns.c:%u", sh->failed);
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

	ASSERT_TRUE(start(self, variant->consumer, 1, 8, close_under_waiter));
	while (!outcome && time(NULL) < end) {
		if (waitpid(self->pid, &status, WNOHANG) == self->pid)
			outcome = WIFSIGNALED(status) ? DIED : RETURNED;
		else if (load(&sh->detached) && asleep(sh, sh->waiter, 1))
			outcome = WAITS;
	}
	if (outcome == DIED || outcome == RETURNED)
		self->pid = -1;
	ASSERT_NE(NOT_YET, outcome);
	TH_LOG("%s", words[outcome]);
	if (variant->consumer == CONSUMER_RAW)
		EXPECT_NE(DIED, outcome);
	EXPECT_EQ(0, sh->failed) TH_LOG("patterns.c:%u", sh->failed);
	for (uint32_t n = 0; n < 3 * N; n++)
		ASSERT_EQ(-ENOENT, emit(self, 0));
	EXPECT_EQ(0, sh->seen[0]);
	if (outcome == WAITS)
		EXPECT_TRUE(asleep(sh, sh->waiter, 1));
}

TEST_HARNESS_MAIN
