// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "defects.h"
#include "report_words.h"

#define SHOWN_AROUND	3u	/* ranges to each side of the one that differs; the trace has them all */

const char *rule_id(enum rule rule)
{
	switch (rule) {
	case RULE_NONE:
		return "-";
	case RULE_COUNT:
	case RULE_BYTES:
	case RULE_NO_CROSSING:
	case RULE_WITNESS:
		return "K1";
	case RULE_FLAG:
		return "K4";
	case RULE_SPACE:
	case RULE_LOST:
		return "K5";
	case RULE_CODES:
		return "K6";
	case RULE_CONTENT:
	case RULE_HEAD:
		return "K7";
	case RULE_HANG_UP:
		return "K10";
	case RULES:
		break;
	}
	return "?";
}

const char *rule_text(enum rule rule)
{
	switch (rule) {
	case RULE_NONE:
		return "no rule";
	case RULE_COUNT:
		return "every wakeup_events samples wake once, whatever was consumed in between";
	case RULE_BYTES:
		return "more bytes produced than the watermark (by default half the ring) wake once";
	case RULE_NO_CROSSING:
		return "without a crossing of count or watermark nothing wakes";
	case RULE_FLAG:
		return "readiness is one flag, and the first look takes it";
	case RULE_SPACE:
		return "an output is refused when its records do not fit or the ring is paused, and only then";
	case RULE_LOST:
		return "LOST records tell of every refused output, in front of the next sample that fits";
	case RULE_CODES:
		return "the helper and the calls return the code that their state asks for";
	case RULE_CONTENT:
		return "every sample that was not refused is read once, in order, whole";
	case RULE_HEAD:
		return "data_head moves by the length of the records written, and by nothing else";
	case RULE_WITNESS:
		return "the kernel calls perf_event_wakeup once a crossing: the second witness disagrees";
	case RULE_HANG_UP:
		return "a descriptor without a ring says hang-up, one with a ring does not";
	case RULES:
		break;
	}
	return "?";
}

const char *rule_title(const char *id)
{
	static const struct {
		const char *id, *title;
	} titles[] = {
		{ "K1", "count and bytes" },
		{ "K2", "only samples count" },
		{ "K3", "values at the edge" },
		{ "K4", "readiness is one flag" },
		{ "K5", "losses" },
		{ "K6", "return codes" },
		{ "K7", "sizes and content" },
		{ "K8", "nested writers" },
		{ "K9", "redirection, direction, overwrite" },
		{ "K10", "hang-ups and errors" },
		{ "tool", "about perfwake itself" },
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(titles[i].id, id))
			return titles[i].title;
	return "";
}

/* Ranges of @s around the one of index @at, with "..." for what is left out. */
static void write_window(FILE *out, const struct range *ranges, struct slice s, uint32_t at)
{
	uint32_t from = at > SHOWN_AROUND ? at - SHOWN_AROUND : 0;
	uint32_t to = s.count - from > 2 * SHOWN_AROUND + 1 ? from + 2 * SHOWN_AROUND + 1 : s.count;

	if (!s.count)
		fputs("none", out);
	if (from)
		fputs("... ", out);
	for (uint32_t i = from; i < to; i++) {
		const struct range *r = &ranges[s.start + i];

		fprintf(out, "%s%" PRIu32, i > from ? "," : "", r->first);
		if (r->last != r->first)
			fprintf(out, "..%" PRIu32, r->last);
	}
	if (to < s.count)
		fputs(" ...", out);
}

/* Index of the first range that differs; where none does, of the last. */
static uint32_t first_different(const struct range *a, uint32_t na, const struct range *b,
				uint32_t nb)
{
	uint32_t i = 0;

	while (i < na && i < nb && a[i].first == b[i].first && a[i].last == b[i].last)
		i++;
	return i && i == na && i == nb ? i - 1 : i;
}

/* What is read of @v, around where it differs from @w. */
static void write_numbers(FILE *out, const struct value_store *st, const struct value *v,
			  const struct value_store *ws, const struct value *w)
{
	const struct range *numbers = st->numbers + v->numbers.start;
	const struct range *torn = st->torn + v->torn.start;

	write_window(out, st->numbers, v->numbers,
		     first_different(numbers, v->numbers.count, ws->numbers + w->numbers.start,
				     w->numbers.count));
	fprintf(out, " lost %" PRIu64, v->lost);
	if (!v->torn.count)
		return;
	fputs(" torn ", out);
	write_window(out, st->torn, v->torn,
		     first_different(torn, v->torn.count, ws->torn + w->torn.start, w->torn.count));
}

static bool ready_at(const struct value_store *st, const struct value *v, uint32_t sample)
{
	for (uint32_t i = 0; i < v->ready_at.count; i++) {
		const struct range *r = &st->ready_at[v->ready_at.start + i];

		if (sample >= r->first && sample <= r->last)
			return true;
	}
	return false;
}

/* What a report of a difference works on. */
struct difference {
	const struct wake_case *c;
	const struct step *s;
	const struct verdict *v;
	uint32_t first;			/* number of the step's first sample */
	/* The three witnesses; of the last two NULL who says nothing of the part that differs. */
	const struct value_store *store;
	const struct value *expected;
	const struct trace *t;
	const struct value *seen;
};

/* What @v says about the part that differs, or about the one sample where it does. */
static void write_witness(FILE *out, const struct difference *d, const struct value_store *st,
			  const struct value *v)
{
	/* The other one that the difference lies between. */
	bool by_person = d->v->kind == VERDICT_EXPECTATION;
	const struct value_store *other = v != &d->v->predicted ? d->store :
					  by_person ? &d->c->expected : &d->t->store;
	const struct value *w = v != &d->v->predicted ? &d->v->predicted :
				by_person ? d->expected : d->seen;

	if (d->v->part == VALUE_CODE && d->s->kind == STEP_EMIT) {
		fputs(code_name(value_code_at(st, v, d->v->sample - d->first)), out);
	} else if (d->v->part == VALUE_READY_AT) {
		fputs(ready_at(st, v, d->v->sample) ? "ready" : "quiet", out);
	} else if (v->has & VALUE_NUMBERS && d->v->part & (VALUE_NUMBERS | VALUE_CODE)) {
		write_numbers(out, st, v, other, w);
		if (d->s->kind == STEP_CONSUME && v->codes.count)
			fprintf(out, " %s", code_name(value_code_at(st, v, 0)));
	} else {
		struct value part = *v;

		part.has &= d->v->part;
		if (part.has)
			trace_text_write_value(out, d->s, st, &part);
		else
			fputs("nothing", out);
	}
}

/* Do the two agree in the part, or at the sample, that the report is about? */
static bool agree(const struct difference *d, const struct value_store *as, const struct value *a,
		  const struct value_store *bs, const struct value *b)
{
	struct value part = *a;
	uint32_t at;

	if (d->v->part == VALUE_CODE && d->s->kind == STEP_EMIT)
		return value_code_at(as, a, d->v->sample - d->first) ==
		       value_code_at(bs, b, d->v->sample - d->first);
	if (d->v->part == VALUE_READY_AT)
		return ready_at(as, a, d->v->sample) == ready_at(bs, b, d->v->sample);
	part.has &= d->v->part;
	return !value_compare(as, &part, bs, b, d->first, &at);
}

/* Where all three witnesses speak: which one stands alone. */
static void write_alone(FILE *out, const char *prefix, const struct difference *d)
{
	const struct value_store *expected = &d->c->expected, *seen = d->t ? &d->t->store : NULL;
	const char *who;

	if (!d->expected || !d->seen)
		return;
	if (d->v->kind == VERDICT_KERNEL)
		who = "the kernel: model and person agree";
	else if (agree(d, expected, d->expected, seen, d->seen))
		who = "the model: person and kernel agree";
	else if (agree(d, d->store, &d->v->predicted, seen, d->seen))
		who = "the person: model and kernel agree";
	else
		who = "each of them";
	fprintf(out, "%salone    %s\n", prefix, who);
}

/* Of a step that was seen in part: what of it was not. */
static void write_missing(FILE *out, uint32_t missing, uint32_t seen)
{
	static const struct {
		enum value_part part;
		const char *text;
	} parts[] = {
		{ VALUE_CODE, "which codes came back" },
		{ VALUE_READINESS, "what the look found" },
		{ VALUE_READY_AT, "after which samples it was ready" },
		{ VALUE_NUMBERS, "which samples were consumed" },
		{ VALUE_LOST, "how many read() counts as lost" },
	};
	const char *gap = "";

	fputs("not judged: the trace does not say ", out);
	if (!seen)
		fputs("what this step showed", out);
	for (size_t i = 0; seen && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (missing & parts[i].part) {
			fprintf(out, "%s%s", gap, parts[i].text);
			gap = ", nor ";
		}
}

static uint32_t first_sample(const struct wake_case *c, uint32_t step)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < step; i++)
		if (c->steps[i].kind == STEP_EMIT)
			first += c->steps[i].count;
	return first;
}

static void write_state(FILE *out, const struct verdict *v)
{
	const struct model_ring *r = &v->before_ring;

	if (v->before.output == MODEL_NO_RING) {
		fputs("no ring\n", out);
		return;
	}
	fprintf(out, "head=%" PRIu64 " tail=%" PRIu64 " wakeup=%" PRIu64 " watermark=%" PRIu64
		" events=%" PRIu32 " wakeup_events=%" PRIu32 " lost=%" PRIu64 "%s%s\n",
		r->head, r->tail, r->wakeup, r->watermark, r->events,
		(uint32_t)v->before.wakeup_events, r->lost, r->poll ? " ready" : " quiet",
		r->paused ? " paused" : "");
}

void report_defects(FILE *out, const char *prefix, uint32_t bits)
{
	for (int i = 0; i < DEFECTS; i++)
		if (bits & defects[i].bit)
			fprintf(out, "%s%s %s: %s\n%s    so %s; seen in %s\n", prefix, defects[i].id,
				defects[i].what, defects[i].why, prefix, defects[i].meaning,
				defects[i].seen);
}

static struct difference difference_of(const struct wake_case *c, const struct trace *t,
				       const struct value_store *store, const struct verdict *v)
{
	const struct step *s = &c->steps[v->step];
	const struct value *seen = t ? &t->seen[v->step] : NULL;

	return (struct difference){
		.c = c, .s = s, .v = v, .store = store, .t = t,
		.first = first_sample(c, v->step),
		.expected = s->expect.has & v->part ? &s->expect : NULL,
		.seen = seen && seen->has & v->part ? seen : NULL,
	};
}

void report_witnesses(FILE *out[WITNESSES], const struct wake_case *c, const struct trace *t,
		      const struct value_store *store, const struct verdict *v)
{
	struct difference d = difference_of(c, t, store, v);

	write_witness(out[WITNESS_MODEL], &d, store, &v->predicted);
	if (d.expected)
		write_witness(out[WITNESS_PERSON], &d, &c->expected, d.expected);
	if (d.seen)
		write_witness(out[WITNESS_SEEN], &d, &t->store, d.seen);
}

/* What was expected, by whom, and what was seen. */
static void write_witnesses(FILE *out, const struct difference *d)
{
	if (d->v->kind == VERDICT_EXPECTATION) {
		fputs("the case expects ", out);
		write_witness(out, d, &d->c->expected, d->expected);
		fputs(", the model says ", out);
	} else {
		fputs("expected ", out);
	}
	write_witness(out, d, d->store, &d->v->predicted);
	if (d->seen) {
		fputs(", seen ", out);
		write_witness(out, d, &d->t->store, d->seen);
	}
}

static void write_again(FILE *out, const char *prefix, const char *command, const char *file)
{
	if (command)
		fprintf(out, "%sagain    perfwake %s %s\n", prefix, command, file);
}

void report_difference(FILE *out, const char *prefix, const char *file, const char *command,
		       const struct wake_case *c, const struct trace *t,
		       const struct value_store *store, const struct verdict *v)
{
	struct difference d = difference_of(c, t, store, v);

	fprintf(out, "%s%s:%" PRIu32 ": ", prefix, file, d.s->line);
	trace_text_write_step(out, c, d.s);
	if (v->sample != VALUE_NO_SAMPLE)
		fprintf(out, ", sample %" PRIu32, v->sample);
	fputs(": ", out);
	if (v->kind == VERDICT_MISSING) {
		const struct value *seen = &t->seen[v->step];

		write_missing(out, case_step_parts(d.s) & ~seen->has, seen->has);
		fputc('\n', out);
		write_again(out, prefix, command, file);
		return;
	}
	write_witnesses(out, &d);
	fprintf(out, "\n%srule     %s: %s\n", prefix, rule_id(v->rule), rule_text(v->rule));
	write_again(out, prefix, command, file);
	write_alone(out, prefix, &d);
	fprintf(out, "%sbefore   ", prefix);
	write_state(out, v);
}

void report_verdict(FILE *out, const char *prefix, const char *file, const char *command,
		    const struct wake_case *c, const struct trace *t,
		    const struct value_store *store, const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_PROVED:
		fprintf(out, "%s%s\n", prefix, t ? "proved: all that was seen is what the model says" :
			"not performed: what the model says");
		return;
	case VERDICT_DEFECT:
		report_defects(out, prefix, v->defects);
		return;
	case VERDICT_KERNEL:
	case VERDICT_EXPECTATION:
	case VERDICT_MISSING:
		report_difference(out, prefix, file, command, c, t, store, v);
		return;
	case VERDICT_UNJUDGED:
		break;
	}
	fprintf(out, "%s%s: not judged: no step was compared, or more was seen than fits\n", prefix, file);
	write_again(out, prefix, command, file);
}
