/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tool, as a process of its own: it reads what its library hands it, and tells of it in shared memory.
 * Each function that patterns.c starts it with is what whole tools do with their reader.
 */
#ifndef PERFWAKE_SELFTEST_TOOL_H
#define PERFWAKE_SELFTEST_TOOL_H

#include <sys/types.h>

#include "consumer.h"
#include "payload.h"

#define N		7u	/* wakeup_events */
#define CPUS		2u	/* at most; fewer where there are fewer */
#define DEADLINE_S	20	/* for what has to come */

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

static inline uint32_t tool_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void tool_store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Wait until *@word is @value or more. False: that took too long. */
bool tool_await(const uint32_t *word, uint32_t value);

/* True while thread @tid sleeps in its poll number @polls: not even on its way to run. */
bool tool_asleep(struct shared *sh, pid_t tid, uint32_t polls);
bool tool_await_asleep(struct shared *sh, pid_t tid, uint32_t polls);

/* Open @t->count rings of @pages by @kind. 0 or -errno. */
int tool_open_rings(struct tool *t, enum consumer_kind kind, uint32_t pages);

/* Collects for a while, but until there was something to collect; detaches, and drains. */
void tool_collect(struct tool *t);

/* Polls until it is killed. */
void tool_run_for_ever(struct tool *t);

/* Is stopped in its first callback, and drains behind it. */
void tool_poll_slowly(struct tool *t);

/* Polls twice, the first time until a signal comes. */
void tool_poll_through_signal(struct tool *t);

/* Closes a ring that another of its threads polls. */
void tool_close_under_waiter(struct tool *t);

#endif
