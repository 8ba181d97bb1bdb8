// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "trace_text.h"

static void write_ranges(FILE *out, const struct range *ranges, struct slice s)
{
	if (!s.count)
		fputs("none", out);
	for (uint32_t i = 0; i < s.count; i++) {
		const struct range *r = &ranges[s.start + i];

		fprintf(out, "%s%" PRIu32, i ? "," : "", r->first);
		if (r->last != r->first)
			fprintf(out, "..%" PRIu32, r->last);
	}
}

/* A run that covers the whole step, @samples, needs no count. */
static void write_codes(FILE *out, const struct code_run *codes, struct slice s, uint32_t samples)
{
	for (uint32_t i = 0; i < s.count; i++) {
		const struct code_run *r = &codes[s.start + i];

		fprintf(out, "%s%s", i ? " " : "", code_name(r->code));
		if (r->count != samples)
			fprintf(out, "*%" PRIu32, r->count);
	}
}

static void write_numbers(FILE *out, const struct step *s, const struct value_store *st,
			  const struct value *v)
{
	if (s->kind == STEP_EMIT)
		fputs("consumed ", out);
	write_ranges(out, st->numbers, v->numbers);
	fprintf(out, " lost %" PRIu64, v->lost);
	if (v->torn.count) {
		fputs(" torn ", out);
		write_ranges(out, st->torn, v->torn);
	}
}

void trace_text_write_value(FILE *out, const struct step *s, const struct value_store *st,
			    const struct value *v)
{
	const char *gap = "";

	if (v->has & VALUE_READINESS)
		gap = (fputs(readiness_name(v->readiness), out), " ");
	if ((v->has & VALUE_CODE) && s->kind != STEP_CONSUME) {
		write_codes(out, st->codes, v->codes, s->kind == STEP_EMIT ? s->count : 1);
		gap = " ";
	}
	if (v->has & VALUE_READY_AT) {
		fprintf(out, "%sready ", gap);
		write_ranges(out, st->ready_at, v->ready_at);
		gap = " ";
	}
	if (v->has & VALUE_NUMBERS) {
		fputs(gap, out);
		write_numbers(out, s, st, v);
		gap = " ";
	}
	if ((v->has & VALUE_CODE) && s->kind == STEP_CONSUME) {
		fputs(gap, out);
		write_codes(out, st->codes, v->codes, 1);
	}
	if (v->has & VALUE_LOST) {
		fprintf(out, "%slost %" PRIu64, gap, v->lost);
		gap = " ";
	}
	if (v->has & VALUE_WAKES) {
		fprintf(out, "%swakes %" PRIu64, gap, v->wakes);
		gap = " ";
	}
	if (v->has & VALUE_HEAD)
		fprintf(out, "%shead %" PRIu64, gap, v->head);
}

static void write_place(FILE *out, const struct wake_case *c, const struct step *s)
{
	fprintf(out, " at=%s+0x%" PRIx32, c->place.function, c->place.offset);
	if (c->place.visit)
		fprintf(out, " visit=%" PRIu32, c->place.visit);
	if (case_within(c))
		fprintf(out, " within=%s+0x%" PRIx32, c->within.function, c->within.offset);
	if (c->inner_size != s->size)
		fprintf(out, " inner=%" PRIu32, c->inner_size);
}

void trace_text_write_step(FILE *out, const struct wake_case *c, const struct step *s)
{
	static const char *const every[] = {
		[EVERY_NOTHING] = "",
		[EVERY_LOOK] = " every=look",
		[EVERY_LOOK_CONSUME] = " every=look-consume",
	};

	fprintf(out, "%s %" PRIu32, step_kind_name(s->kind), s->ring);
	if (s->kind == STEP_EMIT) {
		fprintf(out, " count=%" PRIu32 " size=%" PRIu32, s->count, s->size);
		if (s->cpu != c->rings[s->ring].cpu)
			fprintf(out, " cpu=%" PRIu32, s->cpu);
		if (s->has_index)
			fprintf(out, " index=%" PRIu32, s->index);
		if (s->contexts)
			fprintf(out, " from=%s", from_name(s->contexts));
		if (s->overflow)
			fprintf(out, " from=%s", from_names[FROM_OVERFLOW]);
		fputs(every[s->every], out);
		if (s->interrupted)
			write_place(out, c, s);
	}
	if (s->kind == STEP_LOOK && s->via != VIA_EPOLL)
		fprintf(out, " via=%s", look_via_names[s->via]);
	if (s->kind == STEP_REDIRECT)
		fprintf(out, " to=%" PRIu32, s->to);
	if (s->kind == STEP_CONSUME && s->count)
		fprintf(out, " records=%" PRIu32, s->count);
}

void trace_text_write(FILE *out, const struct wake_case *c, const struct trace *t)
{
	fprintf(out, "name %s\n", c->name);
	if (t && t->kernel)
		fprintf(out, "kernel %u.%u.%u\n", t->kernel >> 16, t->kernel >> 8 & 255,
			t->kernel & 255);
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		const struct ring_spec *r = &c->rings[id];

		if (r->declared)
			fprintf(out, "ring %" PRIu32 " cpu=%" PRIu32 " pages=%" PRIu32 " %s=%" PRIu32
				"%s%s%s%s\n", id, r->cpu, r->pages,
				r->by_watermark ? "watermark" : "wakeup_events", r->threshold,
				r->backward ? " backward" : "", r->overwrite ? " overwrite" : "",
				r->consumer ? " consumer=" : "", consumer_names[r->consumer]);
	}
	for (uint32_t i = 0; i < c->nsteps; i++) {
		const struct step *s = &c->steps[i];

		trace_text_write_step(out, c, s);
		if (s->expect.has) {
			fputs(" = ", out);
			trace_text_write_value(out, s, &c->expected, &s->expect);
		}
		if (t && t->seen[i].has) {
			fputs(" -> ", out);
			trace_text_write_value(out, s, &t->store, &t->seen[i]);
		}
		fputc('\n', out);
	}
}
