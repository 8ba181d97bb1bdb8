// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_words.h"

#define SHOWN_CHARS 160	/* of a value; the trace has all of it */

const char *rule_id(enum rule rule)
{
	switch (rule) {
	case RULE_NONE:
		return "-";
	case RULE_COUNT:
	case RULE_BYTES:
	case RULE_NO_CROSSING:
		return "K1";
	case RULE_FLAG:
		return "K4";
	case RULE_SPACE:
	case RULE_LOST:
		return "K5";
	case RULE_CODES:
		return "K6";
	case RULE_CONTENT:
		return "K7";
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
	case RULES:
		break;
	}
	return "?";
}

/* @v as text, cut to a line's length. */
static void write_value_cut(FILE *out, const struct step *s, const struct value_store *st,
			    const struct value *v)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	if (mem) {
		trace_text_write_value(mem, s, st, v);
		fclose(mem);
	}
	if (len > SHOWN_CHARS)
		fprintf(out, "%.*s ...", SHOWN_CHARS, text);
	else
		fputs(len ? text : "nothing", out);
	free(text);
}

static enum code code_at(const struct value_store *st, const struct value *v, uint32_t index)
{
	for (uint32_t i = 0; i < v->codes.count; i++) {
		const struct code_run *r = &st->codes[v->codes.start + i];

		if (index < r->count)
			return r->code;
		index -= r->count;
	}
	return CODE_OTHER;
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

/* What @v says about the one sample that differs, or all of it. */
static void write_at(FILE *out, const struct step *s, const struct value_store *st,
		     const struct value *v, const struct verdict *verdict, uint32_t first)
{
	if (verdict->sample != VALUE_NO_SAMPLE && verdict->part == VALUE_CODE)
		fputs(code_name(code_at(st, v, verdict->sample - first)), out);
	else if (verdict->part == VALUE_READY_AT)
		fputs(ready_at(st, v, verdict->sample) ? "ready" : "quiet", out);
	else
		write_value_cut(out, s, st, v);
}

static uint32_t first_sample(const struct wake_case *c, uint32_t step)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < step; i++)
		if (c->steps[i].kind == STEP_EMIT)
			first += c->steps[i].count;
	return first;
}

static void write_state(FILE *out, const struct model_ring *r)
{
	fprintf(out, "head=%" PRIu64 " tail=%" PRIu64 " wakeup=%" PRIu64 " watermark=%" PRIu64
		" events=%" PRIu32 " wakeup_events=%" PRIu32 " lost=%" PRIu64 "%s%s",
		r->head, r->tail, r->wakeup, r->watermark, r->events, (uint32_t)r->wakeup_events,
		r->lost, r->poll ? " ready" : " quiet", r->paused ? " paused" : "");
}

void report_difference(FILE *out, const char *prefix, const char *file, const struct wake_case *c,
		       const struct trace *t, const struct value_store *store,
		       const struct verdict *v)
{
	const struct step *s = &c->steps[v->step];
	uint32_t first = first_sample(c, v->step);

	fprintf(out, "%s%s:%" PRIu32 ": ", prefix, file, s->line);
	trace_text_write_step(out, c, s);
	if (v->sample != VALUE_NO_SAMPLE)
		fprintf(out, ", sample %" PRIu32, v->sample);
	if (v->kind == VERDICT_MISSING) {
		fprintf(out, "\n%snot judged: the trace does not say what this step showed\n",
			prefix);
		return;
	}
	fprintf(out, "\n%smodel    ", prefix);
	write_at(out, s, store, &v->predicted, v, first);
	if (s->expect.has & v->part) {
		fprintf(out, "\n%sexpected ", prefix);
		write_at(out, s, &c->expected, &s->expect, v, first);
	}
	if (t && t->seen[v->step].has & v->part) {
		fprintf(out, "\n%sseen     ", prefix);
		write_at(out, s, &t->store, &t->seen[v->step], v, first);
	}
	fprintf(out, "\n%srule     %s: %s\n%sbefore   ", prefix, rule_id(v->rule),
		rule_text(v->rule), prefix);
	write_state(out, &v->before);
	fputc('\n', out);
}
