// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "consumer_raw.h"

#define RECORD_MAX_BYTES 65536u	/* the header's length has 16 bits */

/* The layout that PERF_SAMPLE_RAW alone gives, and that of a LOST record. */
struct raw_sample {
	struct perf_event_header header;
	uint32_t size;
	uint8_t payload[];
};

struct raw_lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

int consumer_raw_open(struct consumer_raw *c)
{
	c->whole = malloc(RECORD_MAX_BYTES);
	return c->whole ? 0 : -ENOMEM;
}

void consumer_raw_close(struct consumer_raw *c)
{
	free(c->whole);
	c->whole = NULL;
}

/* @len bytes at position @at as one piece: in place, or copied when they lie across the end. */
static const void *contiguous(struct consumer_raw *c, const struct ring *r, uint64_t at,
			      uint32_t len)
{
	uint64_t offset = at & (r->bytes - 1);
	uint64_t front = r->bytes - offset;

	if (len <= front)
		return r->data + offset;
	memcpy(c->whole, r->data + offset, front);
	memcpy(c->whole + front, r->data, len - front);
	return c->whole;
}

bool raw_record_parse(const struct perf_event_header *header, struct raw_record *record)
{
	*record = (struct raw_record){ 0 };
	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(struct raw_lost)) {
		record->is_lost = true;
		record->lost = ((const struct raw_lost *)header)->lost;
		return true;
	}
	if (header->type == PERF_RECORD_SAMPLE && header->size >= sizeof(struct raw_sample)) {
		const struct raw_sample *sample = (const struct raw_sample *)header;

		record->payload = sample->payload;
		record->size = sample->size;
		return sample->size <= header->size - sizeof(*sample);
	}
	return false;
}

/* What lies at @at, of which @available bytes are published. Returns its length, or 0 for no record. */
static uint32_t read_record(struct consumer_raw *c, const struct ring *r, uint64_t at,
			    uint64_t available, struct raw_record *record)
{
	const struct perf_event_header *header;
	uint32_t len;

	if (available < sizeof(*header))
		return 0;
	/* Records' lengths are multiples of 8, so that a header never lies across the end. */
	header = (const void *)(r->data + (at & (r->bytes - 1)));
	len = header->size;
	if (len < sizeof(*header) || len % sizeof(*header) || len > available)
		return 0;
	return raw_record_parse(contiguous(c, r, at, len), record) ? len : 0;
}

/*
 * Where a pass begins and ends. A forward ring is read from tail to head, oldest first; a backward one
 * from head up, newest first, to where the last pass began or, in overwrite mode, as far as one
 * ring's length has not been written over.
 */
static void pass_bounds(const struct ring *r, uint64_t *at, uint64_t *end)
{
	/* Pairs with the kernel's write barrier in front of data_head: records first, then the head. */
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);

	if (!r->backward) {
		*at = r->page->data_tail;
		*end = head;
		return;
	}
	*at = head;
	*end = r->page->data_tail;
	if (r->overwrite)
		*end = -head > r->bytes ? head + r->bytes : 0;
}

/*
 * Records of one length mostly follow each other, and to wait for each one's length before the next
 * can be loaded is what reading costs: here the length is guessed to be that of the sound
 * sample in front, and checked beside. Returns how many samples like @like lie from @data on, of which
 * @limit bytes are published in one piece; @max at most.
 */
static uint32_t count_alike(const struct raw_sample *like, const uint8_t *data, uint64_t limit,
			    uint32_t max)
{
	uint32_t len = like->header.size, size = like->size, count = 0;

	if (max > limit / len)
		max = (uint32_t)(limit / len);
	/* misc differs with where the kernel was interrupted; it says nothing of the layout. */
	for (; count < max; count++, data += len) {
		const struct raw_sample *sample = (const void *)data;

		if (sample->header.size != len || sample->size != size ||
		    sample->header.type != PERF_RECORD_SAMPLE)
			break;
	}
	return count;
}

/*
 * What lies at @at, up to @max records or @end: one record, or samples of one length. Returns its
 * bytes, or 0 where there is no record.
 */
static uint64_t read_run(struct consumer_raw *c, const struct ring *r, uint64_t at, uint64_t end,
			 uint32_t max, struct raw_run *run)
{
	uint64_t offset = at & (r->bytes - 1), limit;
	uint32_t len = read_record(c, r, at, end - at, &run->record);

	run->count = 1;
	run->stride = len;
	/* What lies across the end was copied, and is no pattern for what is behind it. */
	if (!len || run->record.is_lost || offset + len > r->bytes)
		return len;
	limit = r->bytes - offset - len;
	if (limit > end - at - len)
		limit = end - at - len;
	run->count += count_alike((const void *)(r->data + offset), r->data + offset + len, limit,
				  max - 1);
	return (uint64_t)len * run->count;
}

int consumer_raw_runs(struct consumer_raw *c, const struct ring *r, uint32_t max, raw_run_fn fn,
		      void *ctx)
{
	uint64_t start, at, end, bytes;
	uint32_t records = 0;
	struct raw_run run;
	int ret = 0;

	pass_bounds(r, &start, &end);
	for (at = start; at != end && records < max; at += bytes) {
		bytes = read_run(c, r, at, end, max - records, &run);
		if (!bytes) {
			/* In overwrite mode the oldest record may lack its end, which is no fault. */
			ret = r->overwrite ? 0 : -EBADMSG;
			break;
		}
		fn(ctx, &run);
		records += run.count;
	}
	/* All reads are done before the room is given back. */
	if (!r->overwrite)
		__atomic_store_n(&r->page->data_tail, r->backward ? start : at, __ATOMIC_RELEASE);
	return ret ? ret : (int)records;
}

void raw_run_each(const struct raw_run *run, raw_record_fn fn, void *ctx)
{
	struct raw_record record = run->record;

	for (uint32_t i = 0; i < run->count; i++, record.payload += run->stride)
		fn(ctx, &record);
}

struct by_record {
	raw_record_fn fn;
	void *ctx;
};

static void each_record(void *ctx, const struct raw_run *run)
{
	const struct by_record *by = ctx;

	raw_run_each(run, by->fn, by->ctx);
}

int consumer_raw_pass(struct consumer_raw *c, const struct ring *r, uint32_t max,
		      raw_record_fn fn, void *ctx)
{
	struct by_record by = { .fn = fn, .ctx = ctx };

	return consumer_raw_runs(c, r, max ? max : UINT32_MAX, each_record, &by);
}

int consumer_raw_batch(struct consumer_raw *c, const struct ring *r, struct raw_batch *batch)
{
	uint64_t at, head, bytes;
	struct raw_run run;

	batch->count = 0;
	batch->lost = 0;
	pass_bounds(r, &at, &head);
	for (; at != head && batch->count != batch->capacity; at += bytes) {
		struct iovec *to = batch->samples + batch->count;
		const uint8_t *payload;

		batch->end = at;
		bytes = read_run(c, r, at, head, batch->capacity - batch->count, &run);
		if (!bytes)
			return -EBADMSG;
		if (run.record.is_lost) {
			batch->lost += run.record.lost;
			continue;
		}
		payload = run.record.payload;
		for (uint32_t i = 0; i < run.count; i++, payload += run.stride)
			to[i] = (struct iovec){ (void *)payload, run.record.size };
		batch->count += run.count;
	}
	batch->end = at;
	return (int)batch->count;
}

void consumer_raw_release(const struct ring *r, const struct raw_batch *batch)
{
	/* All reads are done before the room is given back. */
	__atomic_store_n(&r->page->data_tail, batch->end, __ATOMIC_RELEASE);
}
