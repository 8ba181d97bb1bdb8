// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "emitter.h"
#include "ring.h"
#include "settle.h"

/* A ring a CPU that wakes at every sample, by an emitter of its own: numbers elsewhere stay as they are. */
struct settle {
	struct emitter emitter;
	struct ring rings[CASE_MAX_RINGS];	/* by CPU, opened when first needed */
};

bool settle_needed(void)
{
	FILE *f = fopen("/sys/kernel/realtime", "r");
	bool needed = f && fgetc(f) == '1';

	if (f)
		fclose(f);
	return needed;
}

struct settle *settle_open(void)
{
	struct settle *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return NULL;
	for (uint32_t cpu = 0; cpu < CASE_MAX_RINGS; cpu++)
		s->rings[cpu] = ring_closed();
	ret = emitter_open_unsettled(&s->emitter, EMITTER_TEST_RUN);
	if (ret) {
		settle_close(s);
		errno = -ret;
		return NULL;
	}
	return s;
}

void settle_close(struct settle *s)
{
	if (!s)
		return;
	for (uint32_t cpu = 0; cpu < CASE_MAX_RINGS; cpu++)
		ring_close(&s->rings[cpu]);
	emitter_close(&s->emitter);
	free(s);
}

static int open_ring_of(struct settle *s, uint32_t cpu)
{
	const struct ring_spec spec = { .cpu = cpu, .pages = 1, .threshold = 1, .overwrite = true };
	int ret;

	if (cpu >= CASE_MAX_RINGS)
		return -ERANGE;
	if (s->rings[cpu].fd >= 0)
		return 0;
	ret = ring_open(&s->rings[cpu], &spec);
	/* Level-triggered, the item would stay on the list and the flag alone would end the wait. */
	if (!ret)
		ret = ring_watch(&s->rings[cpu], VIA_EDGE);
	return ret ? ret : emitter_set_slot(&s->emitter, cpu, s->rings[cpu].fd);
}

/* One sample that wakes. An event whose CPU was offline in between is dead, and opened anew. */
static int emit_here(struct settle *s, uint32_t cpu)
{
	int code = 0, ret = emitter_emit(&s->emitter, cpu, 8, &code);

	if (!ret && code == -EOPNOTSUPP) {
		ring_close(&s->rings[cpu]);
		ret = open_ring_of(s, cpu);
		if (!ret)
			ret = emitter_emit(&s->emitter, cpu, 8, &code);
	}
	return ret ? ret : code;
}

int settle(struct settle *s)
{
	int cpu = sched_getcpu(), ret;
	struct epoll_event ev;

	if (cpu < 0)
		return -errno;
	ret = open_ring_of(s, (uint32_t)cpu);
	/*
	 * The thread takes all that is queued at once, the newest first, and runs above us: once our own
	 * wake has come it is at work on the others, and with a second one it is done with them.
	 */
	for (int round = 0; !ret && round < 2; round++) {
		ret = emit_here(s, (uint32_t)cpu);
		if (!ret && epoll_wait(s->rings[cpu].epoll[VIA_EDGE], &ev, 1, SETTLE_DEADLINE_MS) != 1)
			ret = -ETIMEDOUT;
	}
	return ret;
}
