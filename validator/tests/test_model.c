// SPDX-License-Identifier: GPL-2.0
/*
 * The model against tables worked out by hand: rows of steps for each rule (model_rows.h), and the
 * numbers that steps do not show. Each row is also falsified, one expectation at a time, so that
 * none of them is there without being looked at.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flip.h"
#include "model_rows.h"
#include "support.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void check_row(const struct row *row)
{
	struct trace_file f;
	struct verdict v;
	char text[2000];

	snprintf(text, sizeof(text), "name row\nring 0 %s\n%s", row->ring, row->steps);
	text_to_file(text, &f);
	v = judge_file(&f, true);
	if (!tap_check(v.kind == VERDICT_PROVED, "%s", row->name)) {
		char *why = difference_text(&f, true);

		fputs(why, stdout);
		free(why);
	}
	for (uint32_t i = 0; i < f.wcase.nsteps; i++) {
		const struct step *s = &f.wcase.steps[i];

		tap_check((s->kind != STEP_LOOK && s->kind != STEP_CONSUME) || s->expect.has,
			  "line %" PRIu32 " expects nothing", s->line);
	}
	trace_file_free(&f);
}

/* Each expectation, made wrong, has to be found at its step and sample. */
static void check_row_flipped(const struct row *row)
{
	struct trace_file f;
	char text[2000];
	uint32_t first = 0;

	snprintf(text, sizeof(text), "name row\nring 0 %s\n%s", row->ring, row->steps);
	text_to_file(text, &f);
	if (store_grow(&f.wcase.expected, trace_capacity(&f.wcase)))
		tap_bail_out("no memory");
	for (uint32_t i = 0; i < f.wcase.nsteps; i++) {
		struct step *s = &f.wcase.steps[i];
		struct value_store store = f.wcase.expected;
		struct value right = s->expect;

		for (uint32_t way = 0; way < flip_ways(&right); way++) {
			struct flip told;
			struct verdict v;

			if (flip_value(&f.wcase.expected, &right, s, first, way, &s->expect,
				       &told)) {
				v = judge_file(&f, true);
				tap_check(v.kind == VERDICT_EXPECTATION && v.step == i &&
					  v.part == told.part,
					  "%s: line %" PRIu32 ": %s: %s, step %" PRIu32 ", %s",
					  row->name, s->line, told.what, kind_name(v.kind), v.step,
					  part_name(v.part));
				tap_check(v.sample == told.sample,
					  "%s: line %" PRIu32 ": %s: sample %" PRIu32
					  ", not %" PRIu32,
					  row->name, s->line, told.what, v.sample, told.sample);
			}
			f.wcase.expected = store;
		}
		s->expect = right;
		first += s->kind == STEP_EMIT ? s->count : 0;
	}
	trace_file_free(&f);
}

/* A ring of the model alone. */
struct bench {
	struct wake_case wcase;
	struct model model;
	struct model_record *records;
	struct model_ring *ring;
};

static void bench_open(struct bench *b, struct ring_spec spec)
{
	*b = (struct bench){ 0 };
	spec.declared = true;
	b->wcase.rings[0] = spec;
	b->records = calloc(model_records(&b->wcase), sizeof(*b->records));
	if (!b->records)
		tap_bail_out("no memory");
	model_init(&b->model, &b->wcase, model_kernel(0), b->records);
	b->ring = &b->model.rings[0];
}

static void bench_close(struct bench *b)
{
	free(b->records);
}

/* K7: 8 bytes of header, 4 of size, the payload, padded to 8. */
static void check_record_bytes(void)
{
	static const struct {
		uint32_t size, bytes;
	} table[] = {
		{ 4, 16 },	  { 5, 24 },	    { 8, 24 },	      { 11, 24 },
		{ 12, 24 },	  { 13, 32 },	    { 19, 32 },	      { 20, 32 },
		{ 21, 40 },	  { 100, 112 },	    { 180, 192 },     { 500, 512 },
		{ 4076, 4088 },	  { 4077, 4096 },   { 65508, 65520 }, { 65509, 65528 },
		{ 65515, 65528 }, { 65516, 65528 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct model_record record = { 0 };
		struct bench b;

		bench_open(&b, (struct ring_spec){ .pages = 32, .threshold = 1 });
		tap_check(model_emit(&b.model, 0, 0, table[i].size) == CODE_OK,
			  "size %" PRIu32 " is refused", table[i].size);
		tap_check(b.ring->head == table[i].bytes,
			  "size %" PRIu32 ": %" PRIu64 " bytes, not %" PRIu32, table[i].size,
			  b.ring->head, table[i].bytes);
		tap_check(model_consume(b.ring, &record) && record.bytes == table[i].bytes &&
			  !record.lost && record.value == 0, "size %" PRIu32 ": record of %" PRIu32,
			  table[i].size, record.bytes);
		tap_check(b.ring->tail == table[i].bytes, "tail %" PRIu64, b.ring->tail);
		tap_check(!model_consume(b.ring, &record), "a record too many");
		bench_close(&b);
	}
}

/* K1, K3: the watermark in force. */
static void check_watermark(void)
{
	static const struct {
		struct ring_spec spec;
		uint64_t watermark;
	} table[] = {
		{ { .pages = 1, .threshold = 1 }, 2048 },
		{ { .pages = 8, .threshold = 100000 }, 16384 },
		{ { .pages = 4096, .threshold = 1 }, 8388608 },
		{ { .pages = 1, .by_watermark = true, .threshold = 0 }, 2048 },
		{ { .pages = 1, .by_watermark = true, .threshold = 1 }, 1 },
		{ { .pages = 1, .by_watermark = true, .threshold = 2049 }, 2049 },
		{ { .pages = 1, .by_watermark = true, .threshold = 4095 }, 4095 },
		{ { .pages = 1, .by_watermark = true, .threshold = 4096 }, 4096 },
		{ { .pages = 1, .by_watermark = true, .threshold = 4097 }, 4096 },
		{ { .pages = 2, .by_watermark = true, .threshold = 4294967295 }, 8192 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct bench b;

		bench_open(&b, table[i].spec);
		tap_check(b.ring->watermark == table[i].watermark,
			  "pages %" PRIu32 ", threshold %" PRIu32 ": %" PRIu64 ", not %" PRIu64,
			  table[i].spec.pages, table[i].spec.threshold, b.ring->watermark,
			  table[i].watermark);
		bench_close(&b);
	}
}

/* K1: head, wakeup, events and lost after each output; 192-byte records, N=4, 1 page. */
static void check_counters(void)
{
	static const struct {
		enum code code;
		uint64_t head, wakeup;
		int events;
		uint64_t lost;
		uint32_t cause;
	} table[] = {
		{ CODE_OK, 192, 0, 1, 0, 0 },
		{ CODE_OK, 384, 0, 2, 0, 0 },
		{ CODE_OK, 576, 0, 3, 0, 0 },
		{ CODE_OK, 768, 1, 0, 0, CAUSE_COUNT },
		{ CODE_OK, 960, 1, 1, 0, CAUSE_COUNT },
		{ CODE_OK, 1152, 1, 2, 0, CAUSE_COUNT },
		{ CODE_OK, 1344, 1, 3, 0, CAUSE_COUNT },
		{ CODE_OK, 1536, 2, 0, 0, CAUSE_COUNT },
		{ CODE_OK, 1728, 2, 1, 0, CAUSE_COUNT },
		{ CODE_OK, 1920, 2, 2, 0, CAUSE_COUNT },
		{ CODE_OK, 2112, 2050, 3, 0, CAUSE_COUNT | CAUSE_BYTES },
		{ CODE_OK, 2304, 2051, 0, 0, CAUSE_COUNT | CAUSE_BYTES },
	};
	struct bench b;

	bench_open(&b, (struct ring_spec){ .pages = 1, .threshold = 4 });
	for (uint32_t i = 0; i < ARRAY_SIZE(table); i++) {
		enum code code = model_emit(&b.model, 0, 0, 180);

		tap_check(code == table[i].code && b.ring->head == table[i].head &&
				  b.ring->wakeup == table[i].wakeup &&
				  (int)b.ring->events == table[i].events &&
				  b.ring->lost == table[i].lost && b.ring->cause == table[i].cause,
			  "sample %" PRIu32 ": head %" PRIu64 " wakeup %" PRIu64
			  " events %d lost %" PRIu64,
			  i, b.ring->head, b.ring->wakeup, (int)b.ring->events, b.ring->lost);
	}
	/* 9 more fit: 21 * 192 = 4032; 63 are left. */
	for (uint32_t i = 12; i < 21; i++)
		tap_check(model_emit(&b.model, 0, 0, 180) == CODE_OK, "sample %" PRIu32, i);
	for (uint64_t lost = 1; lost <= 3; lost++)
		tap_check(model_emit(&b.model, 0, 0, 180) == CODE_ENOSPC && b.ring->lost == lost &&
				  b.ring->head == 4032 && (int)b.ring->events == 1,
			  "refused: lost %" PRIu64, b.ring->lost);
	/* LOST and a sample of 8 bytes: 48 of the 63. */
	tap_check(model_emit(&b.model, 0, 0, 8) == CODE_OK && b.ring->head == 4080 &&
		  b.ring->lost == 0 && b.ring->count == 23, "head %" PRIu64, b.ring->head);
	bench_close(&b);
}

/* K10: since when a poller that asks for RDNORM alone is told. */
static void check_kernels(void)
{
	static const struct {
		uint32_t version;
		bool rdnorm;
	} table[] = {
		{ 0, true },
		{ TRACE_KERNEL(5, 10, 235), false }, { TRACE_KERNEL(5, 10, 236), true }, { TRACE_KERNEL(6, 1, 133), false },
		{ TRACE_KERNEL(6, 1, 134), true },   { TRACE_KERNEL(6, 1, 300), true },
		{ TRACE_KERNEL(6, 2, 200), false },  { TRACE_KERNEL(6, 12, 22), false },
		{ TRACE_KERNEL(6, 12, 23), true },   { TRACE_KERNEL(6, 13, 200), false },
		{ TRACE_KERNEL(6, 14, 255), false }, { TRACE_KERNEL(6, 15, 0), true },
		{ TRACE_KERNEL(7, 0, 0), true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		tap_check(model_kernel(table[i].version).rdnorm == table[i].rdnorm,
			  "version %#" PRIx32 ": not %d", table[i].version, table[i].rdnorm);
}

int main(void)
{
	const char *chapter = "";

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		tap_begin("%s %s", rows[i].rule, rows[i].name);
		check_row(&rows[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].rule, chapter))
			tap_begin("%s rows, one expectation wrong at a time", rows[i].rule);
		chapter = rows[i].rule;
		check_row_flipped(&rows[i]);
	}
	tap_begin("K10 kernels that tell of RDNORM");
	check_kernels();
	tap_begin("K7 bytes of a record");
	check_record_bytes();
	tap_begin("K3 watermark in force");
	check_watermark();
	tap_begin("K1 counters after each output");
	check_counters();
	return tap_done();
}
