// SPDX-License-Identifier: GPL-2.0
#include "value.h"

void value_begin(struct value_store *st, struct value *v)
{
	*v = (struct value){
		.codes.start = st->ncodes,
		.ready_at.start = st->nready_at,
		.numbers.start = st->nnumbers,
		.torn.start = st->ntorn,
	};
}

void value_store_clear(struct value_store *st)
{
	st->ncodes = st->nready_at = st->nnumbers = st->ntorn = 0;
	st->full = false;
}

/* The next free entry of an array that has @used of them, or the last one again when it is full. */
static uint32_t store_take(struct value_store *st, uint32_t *used, struct slice *slice)
{
	if (*used == st->capacity) {
		st->full = true;
		return st->capacity - 1;
	}
	slice->count++;
	return (*used)++;
}

void value_add_code(struct value_store *st, struct value *v, enum code code, uint32_t count)
{
	v->has |= VALUE_CODE;
	if (!count)
		return;
	if (v->codes.count && st->codes[st->ncodes - 1].code == code) {
		st->codes[st->ncodes - 1].count += count;
		return;
	}
	st->codes[store_take(st, &st->ncodes, &v->codes)] = (struct code_run){ code, count };
}

static void add_range(struct value_store *st, struct range *ranges, uint32_t *used,
		      struct slice *slice, struct range add, bool join)
{
	if (join && slice->count && ranges[*used - 1].last + 1 == add.first) {
		ranges[*used - 1].last = add.last;
		return;
	}
	ranges[store_take(st, used, slice)] = add;
}

void value_add_ready(struct value_store *st, struct value *v, uint32_t number)
{
	v->has |= VALUE_READY_AT;
	add_range(st, st->ready_at, &st->nready_at, &v->ready_at,
		  (struct range){ number, number }, true);
}

void value_add_numbers(struct value_store *st, struct value *v, struct range numbers, bool new_pass)
{
	v->has |= VALUE_NUMBERS;
	add_range(st, st->numbers, &st->nnumbers, &v->numbers, numbers, !new_pass);
}

void value_add_number(struct value_store *st, struct value *v, uint32_t number, bool new_pass)
{
	value_add_numbers(st, v, (struct range){ number, number }, new_pass);
}

void value_add_torn(struct value_store *st, struct value *v, uint32_t number)
{
	v->has |= VALUE_NUMBERS;
	add_range(st, st->torn, &st->ntorn, &v->torn, (struct range){ number, number }, true);
}

static bool codes_differ(const struct value_store *as, struct slice a,
			 const struct value_store *bs, struct slice b, uint32_t *at)
{
	*at = 0;
	for (uint32_t i = 0; i < a.count || i < b.count; i++) {
		struct code_run ra = i < a.count ? as->codes[a.start + i] : (struct code_run){ 0 };
		struct code_run rb = i < b.count ? bs->codes[b.start + i] : (struct code_run){ 0 };

		if (ra.count && rb.count && ra.code != rb.code)
			return true;
		*at += ra.count < rb.count ? ra.count : rb.count;
		if (ra.count != rb.count)
			return true;
	}
	return false;
}

static bool ranges_differ(const struct range *a, uint32_t na, const struct range *b, uint32_t nb,
			  uint32_t *at)
{
	for (uint32_t i = 0; i < na || i < nb; i++) {
		if (i >= na || i >= nb) {
			*at = i < na ? a[i].first : b[i].first;
			return true;
		}
		if (a[i].first != b[i].first) {
			*at = a[i].first < b[i].first ? a[i].first : b[i].first;
			return true;
		}
		if (a[i].last != b[i].last) {
			*at = (a[i].last < b[i].last ? a[i].last : b[i].last) + 1;
			return true;
		}
	}
	return false;
}

static bool part_differs(uint32_t part, const struct value_store *as, const struct value *a,
			 const struct value_store *bs, const struct value *b, uint32_t first,
			 uint32_t *at)
{
	*at = VALUE_NO_SAMPLE;
	if (!(b->has & part))
		return true;
	switch ((enum value_part)part) {
	case VALUE_CODE:
		if (!codes_differ(as, a->codes, bs, b->codes, at))
			return false;
		*at += first;
		return true;
	case VALUE_READINESS:
		return a->readiness != b->readiness;
	case VALUE_READY_AT:
		return ranges_differ(as->ready_at + a->ready_at.start, a->ready_at.count,
				     bs->ready_at + b->ready_at.start, b->ready_at.count, at);
	case VALUE_NUMBERS:
		return ranges_differ(as->numbers + a->numbers.start, a->numbers.count,
				     bs->numbers + b->numbers.start, b->numbers.count, at) ||
		       ranges_differ(as->torn + a->torn.start, a->torn.count,
				     bs->torn + b->torn.start, b->torn.count, at) ||
		       a->lost != b->lost;
	case VALUE_LOST:
		return a->lost != b->lost;
	case VALUE_WAKES:
		return a->wakes != b->wakes;
	case VALUE_HEAD:
		return a->head != b->head;
	}
	return true;
}

uint32_t value_compare(const struct value_store *as, const struct value *a,
		       const struct value_store *bs, const struct value *b,
		       uint32_t first, uint32_t *sample)
{
	uint32_t worst = 0;

	*sample = VALUE_NO_SAMPLE;
	for (uint32_t part = VALUE_CODE; part <= VALUE_HEAD; part <<= 1) {
		uint32_t at;

		if (!(a->has & part) || !part_differs(part, as, a, bs, b, first, &at))
			continue;
		if (!worst || at < *sample) {
			worst = part;
			*sample = at;
		}
	}
	return worst;
}

enum code value_code_at(const struct value_store *st, const struct value *v, uint32_t index)
{
	for (uint32_t i = 0; i < v->codes.count; i++) {
		const struct code_run *r = &st->codes[v->codes.start + i];

		if (index < r->count)
			return r->code;
		index -= r->count;
	}
	return CODE_OTHER;
}
