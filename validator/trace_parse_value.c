// SPDX-License-Identifier: GPL-2.0
/* Values: expectations and observations. */
#include <string.h>

#include "trace_lex.h"

/* "0..9,12,14..20" or "none" into an array of ranges; @join: ranges that touch are one. */
static bool parse_ranges(struct parser *p, struct word w, struct range *ranges, uint32_t *used,
			 struct slice *slice, bool join)
{
	const char *at = w.text, *end = w.text + w.len;

	if (!w.len)
		return lex_refuse(p, w.text, "sample numbers are missing: FIRST..LAST,... or none");
	if (lex_is(w, "none"))
		return true;
	for (;;) {
		const char *number = at;
		uint64_t first, last;

		if (!lex_take_number(&at, end, CASE_MAX_SAMPLES - 1, &first))
			return lex_refuse(p, at, "a sample number from 0 to %u is expected",
				      CASE_MAX_SAMPLES - 1);
		last = first;
		if (end - at >= 2 && at[0] == '.' && at[1] == '.') {
			at += 2;
			if (!lex_take_number(&at, end, CASE_MAX_SAMPLES - 1, &last))
				return lex_refuse(p, at, "a sample number from 0 to %u is expected",
					      CASE_MAX_SAMPLES - 1);
		}
		if (last < first)
			return lex_refuse(p, number, "a range runs upwards: FIRST..LAST");
		if (join && slice->count && ranges[*used - 1].last + 1 == first) {
			ranges[*used - 1].last = (uint32_t)last;
		} else {
			ranges[(*used)++] = (struct range){ (uint32_t)first, (uint32_t)last };
			slice->count++;
		}
		if (at == end)
			return true;
		if (*at++ != ',')
			return lex_refuse(p, at - 1, "',' or '..' is expected between sample numbers");
	}
}

/* "ok", "ENOSPC*29": a code, and for how many samples. */
static bool parse_code(struct parser *p, struct word w, const struct step *s,
		       struct value_store *st, struct value *v)
{
	const char *star = memchr(w.text, '*', w.len);
	struct word name = { w.text, star ? (size_t)(star - w.text) : w.len };
	uint64_t count = s->kind == STEP_EMIT ? s->count : 1;

	if (star) {
		struct word n = { star + 1, w.len - name.len - 1 };

		if (!lex_number(p, n, "the count behind '*'", 1, CASE_MAX_SAMPLES, &count))
			return false;
	}
	for (enum code code = CODE_OK; code < CODES; code++) {
		if (lex_is(name, code_name(code))) {
			value_add_code(st, v, code, (uint32_t)count);
			return true;
		}
	}
	return lex_refuse(p, w.text, "'%s' is no value of '%s'", lex_shown(w), step_kind_name(s->kind));
}

static bool parse_readiness(struct parser *p, struct word w, struct value *v)
{
	for (enum readiness r = READINESS_QUIET; r <= READINESS_ERR; r++) {
		if (lex_is(w, readiness_name(r))) {
			v->has |= VALUE_READINESS;
			v->readiness = r;
			return true;
		}
	}
	return lex_refuse(p, w.text, "'%s' is no value of 'look': quiet, ready, hup or err",
			  lex_shown(w));
}

/* Numbers, "lost N" and "torn NUMBERS"; the numbers' own word is @w. */
static bool parse_numbers(struct parser *p, struct word w, const struct step *s,
			  struct value_store *st, struct value *v)
{
	v->has |= VALUE_NUMBERS;
	if (!parse_ranges(p, w, st->numbers, &st->nnumbers, &v->numbers, s->kind == STEP_CONSUME))
		return false;
	if (lex_is(lex_peek(p), "lost")) {
		lex_next(p);
		if (!lex_number(p, lex_next(p), "the count behind 'lost'", 0, UINT64_MAX,
				 &v->lost))
			return false;
	} else if (v->numbers.count) {
		return lex_refuse(p, lex_peek(p).text, "'lost N' is missing behind the sample numbers");
	}
	if (!lex_is(lex_peek(p), "torn"))
		return true;
	lex_next(p);
	return parse_ranges(p, lex_next(p), st->torn, &st->ntorn, &v->torn, true);
}

/* One word of a value, and those that belong to it. */
static bool parse_part(struct parser *p, struct word w, const struct step *s,
		       struct value_store *st, struct value *v)
{
	if (s->kind == STEP_EMIT && lex_is(w, "wakes")) {
		v->has |= VALUE_WAKES;
		return lex_number(p, lex_next(p), "the count behind 'wakes'", 0, UINT64_MAX, &v->wakes);
	}
	if (lex_is(w, "head")) {
		v->has |= VALUE_HEAD;
		return lex_number(p, lex_next(p), "the position behind 'head'", 0, UINT64_MAX, &v->head);
	}
	if (s->kind == STEP_LOOK)
		return parse_readiness(p, w, v);
	if (s->kind == STEP_READ_LOST && lex_is(w, "lost")) {
		v->has |= VALUE_LOST;
		return lex_number(p, lex_next(p), "the count behind 'lost'", 0, UINT64_MAX, &v->lost);
	}
	if (s->kind == STEP_EMIT && lex_is(w, "ready")) {
		v->has |= VALUE_READY_AT;
		return parse_ranges(p, lex_next(p), st->ready_at, &st->nready_at, &v->ready_at,
				    true);
	}
	if (s->kind == STEP_EMIT && lex_is(w, "consumed"))
		return parse_numbers(p, lex_next(p), s, st, v);
	if (s->kind == STEP_CONSUME && !(v->has & VALUE_NUMBERS))
		return parse_numbers(p, w, s, st, v);
	return parse_code(p, w, s, st, v);
}

/* What stands behind "=" or "->", up to "->" or the end of the line. */
bool parse_value(struct parser *p, const struct step *s, struct value_store *st,
			struct value *v)
{
	struct word first = lex_peek(p);

	if (!first.len || lex_is(first, "->"))
		return lex_refuse(p, first.text, "a value is missing");
	value_begin(st, v);
	for (;;) {
		struct word w = lex_peek(p);
		uint32_t had = v->has, codes = st->ncodes;
		uint32_t added;

		if (!w.len || lex_is(w, "->"))
			return true;
		lex_next(p);
		if (!parse_part(p, w, s, st, v))
			return false;
		/* Codes come in several words, one behind the other; all else once. */
		added = v->has & ~had;
		if (!added && (st->ncodes == codes || s->kind != STEP_EMIT || v->has != VALUE_CODE))
			return lex_refuse(p, w.text, "'%s' is one word too many", lex_shown(w));
	}
}
