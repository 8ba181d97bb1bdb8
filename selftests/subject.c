// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "subject.h"

int subject_open(struct subject *s, enum emitter_kind kind, const struct ring_spec *spec)
{
	cpu_set_t set;
	int ret;

	*s = (struct subject){ .ring = ring_closed() };
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return -errno;
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

int subject_emit(struct subject *s, uint32_t size)
{
	int code, ret = emitter_emit(&s->emitter, 0, size, &code);

	s->size = size;
	return ret ? ret : code;
}

int subject_emit_many(struct subject *s, uint32_t count, uint32_t size)
{
	int code = 0;

	while (!code && count--)
		code = subject_emit(s, size);
	return code;
}

bool subject_ready(struct subject *s)
{
	enum readiness readiness;

	/* What is neither is no wake, and fails where one is expected. */
	return !ring_look(&s->ring, VIA_EPOLL, &readiness) && readiness == READINESS_READY;
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
	if (!emitter_sample_whole(record->payload, record->size, number, s->size, 0, 0))
		s->torn++;
	if (s->count < SUBJECT_MAX_SAMPLES)
		s->numbers[s->count] = number;
	s->count++;
}

int subject_consume(struct subject *s, uint32_t max)
{
	int ret;

	s->count = s->lost_records = s->torn = 0;
	s->lost = 0;
	ret = consumer_raw_pass(&s->consumer, &s->ring, max, see_record, s);
	return ret < 0 ? ret : (int)s->count;
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
