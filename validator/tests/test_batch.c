// SPDX-License-Identifier: GPL-2.0
/*
 * The reader, record by record and in batches, against one that copies byte by byte and guesses nothing,
 * over made-up rings: the same samples, bytes and losses, whatever lengths, positions and table
 * sizes; nothing is copied but what lies across the end; and nonsense is refused at the same
 * record. The ring's memory is exactly as large as it says, so that the sanitizer sees a byte too far.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "consumer_raw.h"
#include "tap.h"

#define SEED	1u
#define RINGS	3000
#define BYTES	4096u
#define MOST	(BYTES / 16)

static uint32_t state = SEED;

static uint32_t below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

struct made {
	struct perf_event_mmap_page page;
	struct ring ring;
	uint8_t *data;
	uint32_t records;
};

static void put(struct made *m, uint64_t at, const void *bytes, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		m->data[(at + i) & (BYTES - 1)] = ((const uint8_t *)bytes)[i];
}

/* One record behind the head; returns false when it does not fit. @like: its raw size, 0: any. */
static bool add(struct made *m, uint32_t like)
{
	uint64_t record[BYTES / 8] = { 0 };
	struct perf_event_header *h = (void *)record;
	uint32_t len = 24, size;

	if (!like && !below(5)) {
		*h = (struct perf_event_header){ .type = PERF_RECORD_LOST, .size = 24 };
		record[2] = 1 + below(9);
	} else {
		size = like ? like : 4 + 8 * below(below(4) ? 3 : 60);
		len = 12 + size;
		*h = (struct perf_event_header){
			.type = PERF_RECORD_SAMPLE, .misc = (uint16_t)below(3),
			.size = (uint16_t)len,
		};
		memcpy((uint8_t *)record + 8, &size, 4);
		for (uint32_t i = 12; i < len; i++)
			((uint8_t *)record)[i] = (uint8_t)below(256);
	}
	if (m->page.data_head - m->page.data_tail + len > BYTES - 8)
		return false;
	put(m, m->page.data_head, record, len);
	m->page.data_head += len;
	m->records++;
	return true;
}

static void make(struct made *m)
{
	uint64_t start = (uint64_t)below(1000) * 8;
	uint32_t like = below(2) ? 4 + 8 * below(8) : 0, most = below(MOST), stale = below(2);

	*m = (struct made){ .page = { .data_head = start, .data_tail = start } };
	m->data = malloc(BYTES);
	if (!m->data)
		tap_bail_out("no memory");
	memset(m->data, 0xa5, BYTES);
	m->ring = (struct ring){ .page = &m->page, .data = m->data, .bytes = BYTES };
	/* In every second ring there are records from before, which look as sound as those that count. */
	while (stale && add(m, like))
		;
	m->page.data_tail = m->page.data_head;
	m->records = 0;
	while (m->records < most && add(m, below(20) ? like : 0))
		;
}

/* What either reader gave: the samples one behind the other, and where each ends. */
struct got {
	uint8_t bytes[BYTES];
	uint32_t used, samples;
	uint32_t ends[MOST];
	uint64_t lost;
	int ret;
};

static void take(struct got *g, const void *payload, size_t size)
{
	memcpy(g->bytes + g->used, payload, size);
	g->used += (uint32_t)size;
	g->ends[g->samples++] = g->used;
}

static void take_record(void *ctx, const struct raw_record *record)
{
	struct got *g = ctx;

	if (record->is_lost)
		g->lost += record->lost;
	else
		take(g, record->payload, record->size);
}

/* As slowly as can be. */
static void read_plainly(struct made *m, struct got *g)
{
	uint64_t at = m->page.data_tail, head = m->page.data_head;

	*g = (struct got){ 0 };
	for (; at != head && !g->ret; m->page.data_tail = at) {
		uint64_t record[BYTES / 8];
		const struct perf_event_header *h = (const void *)record;
		struct raw_record r;

		for (uint32_t i = 0; i < BYTES; i++)
			((uint8_t *)record)[i] = m->data[(at + i) % BYTES];
		if (h->size < 8 || h->size % 8 || h->size > head - at || !raw_record_parse(h, &r)) {
			g->ret = -EBADMSG;
			continue;
		}
		take_record(g, &r);
		at += h->size;
	}
}

static void read_passes(struct made *m, struct got *g)
{
	struct consumer_raw c;

	*g = (struct got){ 0 };
	if (consumer_raw_open(&c))
		tap_bail_out("no memory");
	g->ret = consumer_raw_pass(&c, &m->ring, 0, take_record, g);
	g->ret = g->ret < 0 ? g->ret : 0;
	consumer_raw_close(&c);
}

/* In batches of @capacity. Returns how many samples did not lie in the ring. */
static uint32_t read_batches(struct made *m, uint32_t capacity, struct got *g)
{
	struct iovec *table = malloc(capacity * sizeof(*table));
	struct raw_batch batch = { .samples = table, .capacity = capacity };
	struct consumer_raw c;
	uint32_t copied = 0;
	int n;

	*g = (struct got){ 0 };
	if (!table || consumer_raw_open(&c))
		tap_bail_out("no memory");
	do {
		n = consumer_raw_batch(&c, &m->ring, &batch);
		g->lost += batch.lost;
		for (uint32_t i = 0; i < batch.count; i++) {
			const uint8_t *at = table[i].iov_base;

			copied += at < m->data || at >= m->data + BYTES;
			take(g, at, table[i].iov_len);
		}
		consumer_raw_release(&m->ring, &batch);
	} while (n > 0);
	g->ret = n;
	consumer_raw_close(&c);
	free(table);
	return copied;
}

static bool same(const struct got *a, const struct got *b)
{
	return a->ret == b->ret && a->lost == b->lost && a->samples == b->samples &&
	       a->used == b->used && !memcmp(a->bytes, b->bytes, a->used) &&
	       !memcmp(a->ends, b->ends, a->samples * sizeof(a->ends[0]));
}

/* All ways over one ring; the tail ends at the same place. */
static void compare(struct made *m, const char *what, uint32_t ring)
{
	static struct got plain, by_record, by_batch;
	uint64_t tail = m->page.data_tail, end;
	uint32_t capacity = below(3) ? MOST : 1 + below(7), copied;

	read_plainly(m, &plain);
	end = m->page.data_tail;
	m->page.data_tail = tail;
	read_passes(m, &by_record);
	tap_check(same(&plain, &by_record), "%s %" PRIu32 ": %" PRIu32 " and %" PRIu32
		  " samples, lost %" PRIu64 " and %" PRIu64 ", %d and %d", what, ring,
		  plain.samples, by_record.samples, plain.lost, by_record.lost, plain.ret,
		  by_record.ret);
	tap_check(m->page.data_tail == end, "%s %" PRIu32 ": the tail is elsewhere", what, ring);
	m->page.data_tail = tail;
	copied = read_batches(m, capacity, &by_batch);
	tap_check(same(&by_record, &by_batch), "%s %" PRIu32 ": %" PRIu32 " and %" PRIu32
		  " samples, lost %" PRIu64 " and %" PRIu64 ", %d and %d", what, ring,
		  by_record.samples, by_batch.samples, by_record.lost, by_batch.lost,
		  by_record.ret, by_batch.ret);
	tap_check(m->page.data_tail == end, "%s %" PRIu32 ": the tail is elsewhere", what, ring);
	tap_check(copied <= 1, "%s %" PRIu32 ": %" PRIu32 " samples copied", what, ring, copied);
}

static void test_sound(void)
{
	uint32_t samples = 0;
	struct made m;

	tap_begin("the same as record by record (seed %u)", SEED);
	for (uint32_t i = 0; i < RINGS; i++) {
		make(&m);
		samples += m.records;
		compare(&m, "ring", i);
		free(m.data);
	}
	tap_check(samples > RINGS, "only %" PRIu32 " records", samples);
}

/* One byte of a header or of a raw size is anything. */
static void test_nonsense(void)
{
	uint32_t refused = 0;
	struct made m;

	tap_begin("nonsense is refused at the same record");
	for (uint32_t i = 0; i < RINGS; i++) {
		static struct got g;
		uint64_t tail;

		do {
			make(&m);
			if (!m.records)
				free(m.data);
		} while (!m.records);
		tail = m.page.data_tail;
		m.data[(tail + 8 * below((uint32_t)(m.page.data_head - tail) / 8) + below(8)) &
		       (BYTES - 1)] = (uint8_t)below(256);
		compare(&m, "bent ring", i);
		m.page.data_tail = tail;
		read_passes(&m, &g);
		refused += g.ret == -EBADMSG;
		free(m.data);
	}
	tap_check(refused > RINGS / 20, "only %" PRIu32 " of %u were refused", refused, RINGS);
}

int main(void)
{
	test_sound();
	test_nonsense();
	return tap_done();
}
