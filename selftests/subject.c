// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "subject.h"

int pin_to(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/* What the thread may run on says nothing of CPUs outside its cpuset, but those are not ours either. */
uint32_t online_cpus(uint32_t cpus[SAMPLE_SLOTS])
{
	uint32_t count = 0;
	cpu_set_t before;

	if (sched_getaffinity(0, sizeof(before), &before))
		return 0;
	for (uint32_t cpu = 0; cpu < SAMPLE_SLOTS; cpu++)
		if (!pin_to(cpu))
			cpus[count++] = cpu;
	sched_setaffinity(0, sizeof(before), &before);
	return count;
}

bool kernel_at_least(unsigned int major, unsigned int minor)
{
	unsigned int has_major, has_minor;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &has_major, &has_minor) != 2)
		return false;
	return has_major > major || (has_major == major && has_minor >= minor);
}

int subject_open(struct subject *s, enum emitter_kind kind, const struct ring_spec *spec)
{
	int ret;

	*s = (struct subject){ .ring = ring_closed() };
	ret = pin_to(0);
	if (!ret)
		ret = consumer_raw_open(&s->consumer);
	if (!ret)
		ret = emitter_open(&s->emitter, kind);
	if (!ret)
		ret = ring_open(&s->ring, spec);
	if (!ret)
		ret = emitter_set_slot(&s->emitter, 0, s->ring.fd);
	if (ret)
		subject_close(s);
	return ret;
}

void subject_close(struct subject *s)
{
	ring_close(&s->ring);
	emitter_close(&s->emitter);
	consumer_raw_close(&s->consumer);
}

int subject_emit_to(struct subject *s, uint32_t slot, uint32_t size)
{
	int code, ret;

	s->size = size;	/* first: a reader on another CPU may see the sample before this returns */
	ret = emitter_emit(&s->emitter, slot, size, &code);
	return ret ? ret : code;
}

int subject_emit(struct subject *s, uint32_t size)
{
	return subject_emit_to(s, 0, size);
}

int subject_emit_many(struct subject *s, uint32_t count, uint32_t size)
{
	int code = 0;

	while (!code && count--)
		code = subject_emit(s, size);
	return code;
}

enum readiness look(const struct ring *ring, enum look_via via)
{
	enum readiness readiness;

	return ring_look(ring, via, &readiness) ? READINESS_ERR : readiness;
}

/* What is neither ready nor quiet is no wake, and fails where one is expected. */
bool subject_ready(struct subject *s)
{
	return look(&s->ring, VIA_EPOLL) == READINESS_READY;
}

static void see_record(void *ctx, const struct raw_record *record)
{
	struct subject *s = ctx;
	uint32_t number;

	if (record->is_lost) {
		s->lost += record->lost;
		s->lost_records++;
		return;
	}
	memcpy(&number, record->payload, sizeof(number));
	if (!payload_whole(record->payload, record->size, number, s->size, s->cpu,
			   s->slot, SAMPLE_PROCESS))
		s->torn++;
	if (s->count < SUBJECT_MAX_SAMPLES)
		s->numbers[s->count] = number;
	s->count++;
}

static int consume(struct subject *s, const struct ring *ring, uint32_t max)
{
	int ret;

	s->count = s->lost_records = s->torn = 0;
	s->lost = 0;
	ret = consumer_raw_pass(&s->consumer, ring, max, see_record, s);
	return ret < 0 ? ret : (int)s->count;
}

int subject_consume(struct subject *s, uint32_t max)
{
	return consume(s, &s->ring, max);
}

int subject_consume_from(struct subject *s, const struct ring *ring, uint32_t cpu, uint32_t slot)
{
	int ret;

	s->cpu = cpu;
	s->slot = slot;
	ret = consume(s, ring, 0);
	s->cpu = s->slot = 0;
	return ret;
}

bool subject_got(const struct subject *s, uint32_t first, uint32_t last)
{
	if (s->count != last - first + 1 || s->count > SUBJECT_MAX_SAMPLES || s->torn)
		return false;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->numbers[i] != first + i)
			return false;
	return true;
}
