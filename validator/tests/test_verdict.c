// SPDX-License-Identifier: GPL-2.0
/*
 * A pass has to be proved, and each falsified observation is rejected at its step and sample: a
 * table by hand (verdict_rows.h), and for each case file given, every entry of every observation.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flip.h"
#include "report_words.h"
#include "support.h"
#include "tap.h"
#include "verdict_rows.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* @text with @was, which is there exactly once, replaced. */
static char *replaced(const char *text, const char *was, const char *is)
{
	const char *at = strstr(text, was);
	size_t len = strlen(text) + strlen(is) + 1;
	char *out = malloc(len);

	if (!out || !at || strstr(at + 1, was))
		tap_bail_out("'%s' is not there exactly once", was);
	snprintf(out, len, "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
	return out;
}

static void check_falsified(const struct falsified *row)
{
	char *text = replaced(row->trace, row->was, row->is);
	struct trace_file f;
	struct verdict v;

	text_to_file(text, &f);
	v = judge_file(&f, false);
	tap_check(v.kind == row->kind && v.step == row->step && v.sample == row->sample &&
			  v.part == row->part,
		  "'%s' for '%s': %s, step %" PRIu32 ", sample %" PRIu32 ", %s", row->is, row->was,
		  kind_name(v.kind), v.step, v.sample, part_name(v.part));
	tap_check(v.rule == row->rule, "'%s' for '%s': %s: %s", row->is, row->was, rule_id(v.rule),
		  rule_text(v.rule));
	trace_file_free(&f);
	free(text);
}

static void check_proved(const char *text, uint64_t judged)
{
	struct trace_file f;
	struct verdict v;

	text_to_file(text, &f);
	v = judge_file(&f, false);
	tap_check(v.kind == VERDICT_PROVED && v.step == f.wcase.nsteps && v.judged == judged,
		  "%s, step %" PRIu32 ", judged %" PRIu64 ", not %" PRIu64, kind_name(v.kind),
		  v.step, v.judged, judged);
	trace_file_free(&f);
}

/* Whatever step the trace stops at, that is the one missing. */
static void check_cut(const char *text)
{
	struct trace_file f;

	text_to_file(text, &f);
	for (uint32_t step = f.wcase.nsteps; step-- > 0;) {
		struct verdict v;

		f.trace.seen[step].has = 0;
		v = judge_file(&f, false);
		tap_check(v.kind == VERDICT_MISSING && v.step == step && v.sample == NO && !v.part,
			  "cut at %" PRIu32 ": %s at %" PRIu32, step, kind_name(v.kind), v.step);
	}
	trace_file_free(&f);
}

/* What is not a pass: nothing judged, nothing seen, more seen than fits. */
static void check_no_pass(void)
{
	static struct wake_case empty = { .name = "empty" };
	struct trace_file f;
	struct trace_file none = { .wcase = empty };
	struct verdict v = { 0 };

	tap_check(v.kind != VERDICT_PROVED, "a zeroed verdict");
	none.trace.wcase = &none.wcase;
	v = judge_file(&none, false);
	tap_check(v.kind == VERDICT_UNJUDGED && !v.judged, "no steps: %s", kind_name(v.kind));

	text_to_file(count_trace, &f);
	f.trace.store.full = true;
	v = judge_file(&f, false);
	tap_check(v.kind == VERDICT_UNJUDGED, "a full store: %s", kind_name(v.kind));
	f.trace.seen[3].readiness = READINESS_QUIET;
	v = judge_file(&f, false);
	tap_check(v.kind == VERDICT_KERNEL && v.step == 3, "a full store with a difference: %s",
		  kind_name(v.kind));
	trace_file_free(&f);
}

/* The store drops what does not fit, says so, and stays inside its arrays. */
static void check_full_store(void)
{
	struct value_store st;
	struct value v;

	if (value_store_alloc(&st, 3))
		tap_bail_out("no memory");
	value_begin(&st, &v);
	for (uint32_t i = 0; i < 6; i += 2)
		value_add_ready(&st, &v, i);
	tap_check(!st.full && v.ready_at.count == 3, "three fit: %" PRIu32, v.ready_at.count);
	value_add_ready(&st, &v, 5);
	tap_check(!st.full && st.ready_at[2].last == 5, "one that joins fits too");
	value_add_ready(&st, &v, 9);
	tap_check(st.full && v.ready_at.count == 3, "a fourth: %" PRIu32, v.ready_at.count);
	value_store_clear(&st);
	value_begin(&st, &v);
	for (uint32_t i = 0; i < 4; i++)
		value_add_number(&st, &v, i, true);
	tap_check(st.full && v.numbers.count == 3, "batches: %" PRIu32, v.numbers.count);
	value_store_clear(&st);
	value_begin(&st, &v);
	for (uint32_t i = 0; i < 4; i++)
		value_add_code(&st, &v, i % 2 ? CODE_OK : CODE_ENOSPC, 1);
	tap_check(st.full && v.codes.count == 3, "codes: %" PRIu32, v.codes.count);
	value_store_free(&st);
}

/* Falsify observation @step of @f in every way; each has to be found there. */
static uint32_t check_step_flipped(struct trace_file *f, uint32_t step, uint32_t first)
{
	const struct step *s = &f->wcase.steps[step];
	struct value *seen = &f->trace.seen[step];
	struct value_store store = f->trace.store;
	struct value right = *seen;
	uint32_t flips = 0;

	for (uint32_t way = 0; way < flip_ways(&right); way++) {
		struct flip told;
		struct verdict v;

		if (flip_value(&f->trace.store, &right, s, first, way, seen, &told)) {
			v = judge_file(f, false);
			tap_check(v.kind == VERDICT_KERNEL && v.step == step &&
				  v.part == told.part && v.sample == told.sample,
				  "line %" PRIu32 ": %s: %s, step %" PRIu32 ", %s, sample %" PRIu32
				  ", not %" PRIu32, s->line, told.what, kind_name(v.kind), v.step,
				  part_name(v.part), v.sample, told.sample);
			tap_check(v.rule != RULE_NONE, "line %" PRIu32 ": %s: no rule", s->line,
				  told.what);
			flips++;
		}
		f->trace.store = store;
	}
	*seen = right;
	return flips;
}

static void check_file_flipped(const char *path)
{
	struct trace_file f;
	struct verdict v;
	uint32_t first = 0, flips = 0;

	path_to_file(path, &f);
	tap_begin("%s: each observation falsified", f.wcase.name);
	observe_model(&f);
	v = judge_file(&f, false);
	tap_check(v.kind == VERDICT_PROVED, "the correct trace: %s", kind_name(v.kind));
	if (store_grow(&f.trace.store, trace_capacity(&f.wcase)))
		tap_bail_out("no memory");
	for (uint32_t i = 0; i < f.wcase.nsteps; i++) {
		flips += check_step_flipped(&f, i, first);
		first += f.wcase.steps[i].kind == STEP_EMIT ? f.wcase.steps[i].count : 0;
	}
	tap_check(flips >= f.wcase.nsteps, "%" PRIu32 " falsified", flips);
	printf("# %s: %" PRIu32 " falsified observations\n", f.wcase.name, flips);
	trace_file_free(&f);
}

int main(int argc, char **argv)
{
	tap_begin("traces as they are");
	/* Emissions, twice where each is looked at, and the other steps. */
	check_proved(count_trace, 2 + 1 + 2 + 1 + 1 + 2 * 8 + 2 * 5 + 1 + 12);
	check_proved(bytes_trace, 9 + 2 * 8 + 3);
	check_proved(shared_trace, 17);
	tap_begin("traces falsified by hand, %zu ways", ARRAY_SIZE(falsified));
	for (size_t i = 0; i < ARRAY_SIZE(falsified); i++)
		check_falsified(&falsified[i]);
	tap_begin("traces cut short");
	check_cut(count_trace);
	check_cut(bytes_trace);
	check_cut(shared_trace);
	tap_begin("what is no pass");
	check_no_pass();
	tap_begin("a store that is full");
	check_full_store();
	for (int i = 1; i < argc; i++)
		if (!strstr(argv[i], "pages-not-power-of-two"))
			check_file_flipped(argv[i]);
	return tap_done();
}
