// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

bool tool_await(const uint32_t *word, uint32_t value)
{
	time_t end = time(NULL) + DEADLINE_S;

	while (tool_load(word) < value) {
		if (time(NULL) > end)
			return false;
		sched_yield();
	}
	return true;
}

bool tool_asleep(struct shared *sh, pid_t tid, uint32_t polls)
{
	char path[64], stat[256] = "";
	const char *state;
	FILE *f;

	if (tool_load(&sh->polls) != polls)
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

bool tool_await_asleep(struct shared *sh, pid_t tid, uint32_t polls)
{
	time_t end = time(NULL) + DEADLINE_S;

	while (!tool_asleep(sh, tid, polls)) {
		if (time(NULL) > end)
			return false;
		sched_yield();
	}
	return true;
}

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
	    !payload_whole(record->payload, record->size, number, t->size, t->cpus[t->at],
			   t->at, SAMPLE_PROCESS))
		sh->failed = __LINE__;
	sh->next[t->at] = number + 1;
	tool_store(&sh->seen[t->at], sh->seen[t->at] + 1);
	if (t->slow && !tool_load(&sh->in_callback)) {
		tool_store(&sh->in_callback, 1);
		if (!tool_await(&sh->go_on, 1))
			sh->failed = __LINE__;
	}
}

static void see_run(void *ctx, const struct raw_run *run)
{
	raw_run_each(run, see, ctx);
}

static void poll_ring(struct tool *t, uint32_t i, int timeout_ms)
{
	bool ready;
	int ret;

	t->at = i;
	tool_store(&t->sh->polls, t->sh->polls + 1);
	ret = consumer_poll(&t->consumer, i, &t->rings[i], timeout_ms, see_run, t, &ready);
	t->sh->poll_ret = ret;
	if (ret < 0 && ret != -EINTR)
		t->sh->failed = __LINE__;
}

static void drain(struct tool *t)
{
	for (t->at = 0; t->at < t->count; t->at++)
		if (consumer_consume(&t->consumer, t->at, &t->rings[t->at], 0, see_run, t) < 0)
			t->sh->failed = __LINE__;
}

int tool_open_rings(struct tool *t, enum consumer_kind kind, uint32_t pages)
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

void tool_collect(struct tool *t)
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
	tool_store(&t->sh->detached, 1);
}

void tool_run_for_ever(struct tool *t)
{
	for (;;)
		for (uint32_t i = 0; i < t->count; i++)
			poll_ring(t, i, t->count == 1 ? -1 : 1);
}

void tool_poll_slowly(struct tool *t)
{
	t->slow = true;
	poll_ring(t, 0, -1);
	drain(t);
	tool_store(&t->sh->detached, 1);
	/* What comes now brings the rest of the losses. */
	if (!tool_await(&t->sh->go_on, 2))
		t->sh->failed = __LINE__;
	drain(t);
	tool_store(&t->sh->detached, 2);
}

static void on_signal(int sig)
{
	(void)sig;
}

void tool_poll_through_signal(struct tool *t)
{
	struct sigaction sa = { .sa_handler = on_signal };	/* without SA_RESTART, as tools have it */

	sigaction(SIGUSR1, &sa, NULL);
	poll_ring(t, 0, -1);
	tool_store(&t->sh->detached, 1);
	poll_ring(t, 0, -1);
	tool_store(&t->sh->detached, 2);
}

static void *wait_for_ring(void *arg)
{
	struct tool *t = arg;

	t->sh->waiter = (pid_t)syscall(SYS_gettid);
	poll_ring(t, 0, -1);
	tool_store(&t->sh->in_callback, 1);
	return NULL;
}

void tool_close_under_waiter(struct tool *t)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ring, t) || !tool_await(&t->sh->polls, 1) ||
	    !tool_await_asleep(t->sh, t->sh->waiter, 1))
		t->sh->failed = __LINE__;
	consumer_close_ring(&t->consumer, 0, &t->rings[0]);
	tool_store(&t->sh->detached, 1);
	pthread_join(thread, NULL);
}
