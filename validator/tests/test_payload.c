// SPDX-License-Identifier: GPL-2.0
/*
 * Whole runs of samples against sample by sample, over made-up ones: the same verdict for each size,
 * number and bent byte. The memory is exactly as large as the samples are, so that the sanitizer sees a
 * byte too far.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "consumer_raw.h"
#include "payload.h"
#include "tap.h"

#define SEED	1u
#define MOST	300u	/* samples of a run: more than the fill has windows, and than a chunk holds */

static uint32_t state = SEED;

static uint32_t below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

struct made {
	uint8_t *bytes;
	struct raw_run run;
	uint32_t first;
	struct emitted sent[MOST];
};

static uint8_t *payload_of(struct made *m, uint32_t i)
{
	return m->bytes + (size_t)i * m->run.stride;
}

/* @count samples of @size bytes, as the kernel lays them out: record header and padding between them. */
static void make(struct made *m, uint32_t size, uint32_t count)
{
	uint32_t padded = (4 + size + 7) / 8 * 8 - 4, stride = 12 + padded;
	struct emitted sent = {
		size, (uint16_t)below(65536), (uint8_t)below(64), (uint8_t)below(2),
	};

	*m = (struct made){ .first = below(1000000) };
	m->bytes = malloc((size_t)(count - 1) * stride + padded);
	if (!m->bytes)
		tap_bail_out("no memory");
	memset(m->bytes, 0x5a, (size_t)(count - 1) * stride + padded);
	m->run.count = count;
	m->run.stride = stride;
	m->run.record = (struct raw_record){ .payload = m->bytes, .size = padded };
	for (uint32_t i = 0; i < count; i++) {
		struct sample front = { m->first + i, sent.cpu, sent.ring, sent.context };

		m->sent[i] = sent;
		memcpy(payload_of(m, i), &front, size < sizeof(front) ? size : sizeof(front));
		payload_fill(payload_of(m, i), size, m->first + i);
	}
}

/* How many are whole, asked one by one. */
static uint32_t one_by_one(struct made *m)
{
	for (uint32_t i = 0; i < m->run.count; i++) {
		const struct emitted *s = &m->sent[i];

		if (!payload_whole(payload_of(m, i), m->run.record.size, m->first + i, s->size,
				   s->cpu, s->ring, s->context))
			return i;
	}
	return m->run.count;
}

/* Both ways have to find @due. */
static void check(struct made *m, uint32_t due, const char *what)
{
	uint32_t run = payload_run(&m->run, m->run.count, m->first, m->sent), one = one_by_one(m);

	tap_check(run == due && one == due, "%s: size %" PRIu32 ", %" PRIu32 " from %" PRIu32 ": %"
		  PRIu32 " whole, one by one %" PRIu32 ", due %" PRIu32, what, m->sent[0].size,
		  m->run.count, m->first, run, one, due);
}

static void test_whole(void)
{
	struct made m;

	tap_begin("what is whole is found so (seed %u)", SEED);
	for (uint32_t size = 4; size <= 400; size++) {
		make(&m, size, 1 + below(MOST));
		check(&m, m.run.count, "whole");
		free(m.bytes);
	}
}

/* Each byte of each size, in any sample; what is padding may be anything. */
static void test_each_byte(void)
{
	struct made m;

	tap_begin("each byte counts, and no padding");
	for (uint32_t size = 4; size <= 300; size++) {
		make(&m, size, 1 + below(MOST));
		for (uint32_t byte = 0; byte < m.run.record.size; byte++) {
			uint32_t at = below(m.run.count);
			uint8_t mask = (uint8_t)(1 << below(8));

			payload_of(&m, at)[byte] ^= mask;
			check(&m, byte < size ? at : m.run.count, "bent");
			if (byte < size)
				payload_of(&m, at)[byte] ^= mask;
		}
		free(m.bytes);
	}
}

/* What was emitted otherwise than it is read: from that sample on nothing is whole. */
static void test_other(void)
{
	struct made m;

	tap_begin("another sample is not taken for it");
	for (uint32_t i = 0; i < 4000; i++) {
		uint32_t at;

		make(&m, 8 + below(200), 1 + below(MOST));
		at = below(m.run.count);
		switch (i % 6) {
		case 0: m.sent[at].size += 8; break;
		case 1: m.sent[at].cpu ^= 0x100; break;
		case 2: m.sent[at].ring ^= 1; break;
		case 3: m.sent[at].context ^= 1; break;
		case 4: m.first++; at = 0; break;
		case 5: m.run.record.size += 8; at = 0; break;
		}
		check(&m, at, "other");
		free(m.bytes);
	}
}

int main(void)
{
	test_whole();
	test_each_byte();
	test_other();
	return tap_done();
}
