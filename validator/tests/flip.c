// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "flip.h"
#include "trace_file.h"

#define NOWHERE UINT32_MAX

/* Ways for each entry of a list; an empty list has those of one entry, but only adding applies. */
enum { CODE_ALL, CODE_LAST, CODE_WAYS };
enum { READY_NOT_FIRST, READY_NOT_LAST, READY_ONE_BEFORE, READY_ONE_BEHIND, READY_WAYS };
enum { NUMBERS_NOT_FIRST, NUMBERS_NOT_LAST, NUMBERS_TWICE, NUMBERS_SWAPPED, NUMBERS_SPLIT,
       NUMBERS_MOVED, NUMBERS_TORN, NUMBERS_WAYS };
enum { LOST_MORE, LOST_FEWER, LOST_WAYS };
#define WAKES_WAYS 1
#define HEAD_WAYS 1

/* One change, to entry @entry of its list. */
struct change {
	uint32_t part;
	uint32_t way;
	uint32_t entry;
	bool lost;
};

static uint32_t entries(struct slice s)
{
	return s.count ? s.count : 1;
}

uint32_t flip_ways(const struct value *v)
{
	uint32_t ways = 0;

	if (v->has & VALUE_CODE)
		ways += v->codes.count * CODE_WAYS;
	if (v->has & VALUE_READINESS)
		ways += 3;
	if (v->has & VALUE_READY_AT)
		ways += entries(v->ready_at) * READY_WAYS;
	if (v->has & VALUE_NUMBERS)
		ways += entries(v->numbers) * NUMBERS_WAYS + LOST_WAYS;
	if (v->has & VALUE_LOST)
		ways += LOST_WAYS;
	if (v->has & VALUE_WAKES)
		ways += WAKES_WAYS;
	if (v->has & VALUE_HEAD)
		ways += HEAD_WAYS;
	return ways;
}

/* The change that number @way stands for; the lists in the order of flip_ways(). */
static struct change change_of(const struct value *v, uint32_t way)
{
	uint32_t n;

	if (v->has & VALUE_CODE) {
		n = v->codes.count * CODE_WAYS;
		if (way < n)
			return (struct change){ VALUE_CODE, way % CODE_WAYS, way / CODE_WAYS,
						false };
		way -= n;
	}
	if (v->has & VALUE_READINESS) {
		if (way < 3)
			return (struct change){ VALUE_READINESS, way, 0, false };
		way -= 3;
	}
	if (v->has & VALUE_READY_AT) {
		n = entries(v->ready_at) * READY_WAYS;
		if (way < n)
			return (struct change){ VALUE_READY_AT, way % READY_WAYS, way / READY_WAYS,
						false };
		way -= n;
	}
	if (v->has & VALUE_NUMBERS) {
		n = entries(v->numbers) * NUMBERS_WAYS;
		if (way < n)
			return (struct change){ VALUE_NUMBERS, way % NUMBERS_WAYS,
						way / NUMBERS_WAYS, false };
		way -= n;
		if (way < LOST_WAYS)
			return (struct change){ VALUE_NUMBERS, way, NOWHERE, true };
		way -= LOST_WAYS;
	}
	if (v->has & VALUE_LOST) {
		if (way < LOST_WAYS)
			return (struct change){ VALUE_LOST, way, NOWHERE, true };
		way -= LOST_WAYS;
	}
	if (v->has & VALUE_WAKES && way < WAKES_WAYS)
		return (struct change){ VALUE_WAKES, 0, NOWHERE, false };
	return (struct change){ VALUE_HEAD, 0, NOWHERE, false };
}

static bool copy_codes(struct value_store *st, const struct value *from, struct change change,
		       uint32_t first, struct value *to, struct flip *told)
{
	for (uint32_t i = 0; i < from->codes.count; i++) {
		struct code_run run = st->codes[from->codes.start + i];
		enum code other = run.code == CODE_EPERM ? CODE_EIO : CODE_EPERM;
		uint32_t wrong = i != change.entry ? 0 : change.way == CODE_ALL ? run.count : 1;

		if (i == change.entry) {
			told->what = change.way == CODE_ALL ? "another code" : "another last code";
			told->sample = first + run.count - wrong;
			if (change.way == CODE_LAST && run.count == 1)
				return false;
		}
		value_add_code(st, to, run.code, run.count - wrong);
		value_add_code(st, to, other, wrong);
		first += run.count;
	}
	return true;
}

static bool copy_ready(struct value_store *st, const struct value *from, struct change change,
		       uint32_t first, struct value *to, struct flip *told)
{
	uint32_t before = UINT32_MAX;

	if (!from->ready_at.count && change.entry == 0) {
		told->what = "ready where all was quiet";
		told->sample = first;
		value_add_ready(st, to, first);
		return change.way == READY_ONE_BEHIND;
	}
	for (uint32_t i = 0; i < from->ready_at.count; i++) {
		struct range r = st->ready_at[from->ready_at.start + i];
		uint32_t way = i == change.entry ? change.way : READY_WAYS;

		if (way == READY_NOT_FIRST || way == READY_NOT_LAST) {
			told->what = way == READY_NOT_FIRST ? "first ready missing"
							    : "last ready missing";
			told->sample = way == READY_NOT_FIRST ? r.first : r.last;
		} else if (way == READY_ONE_BEFORE) {
			told->what = "ready one sample early";
			told->sample = r.first - 1;
			if (!r.first || r.first - 1 == before)
				return false;
			value_add_ready(st, to, r.first - 1);
		} else if (way == READY_ONE_BEHIND) {
			told->what = "ready once more";
			told->sample = r.last + 1;
		}
		for (uint32_t n = r.first; n <= r.last; n++)
			if (!(way == READY_NOT_FIRST && n == r.first) &&
			    !(way == READY_NOT_LAST && n == r.last))
				value_add_ready(st, to, n);
		if (way == READY_ONE_BEHIND)
			value_add_ready(st, to, r.last + 1);
		before = r.last;
	}
	return true;
}

/* One range of numbers, changed in way @way. Returns false when that does not apply. */
static bool copy_range(struct value_store *st, struct range r, uint32_t way, struct value *to,
		       struct flip *told)
{
	uint32_t middle = r.first + (r.last - r.first) / 2;
	bool long_enough = r.last > r.first;

	switch (way) {
	case NUMBERS_NOT_FIRST:
		*told = (struct flip){ "first number missing", VALUE_NUMBERS, r.first };
		break;
	case NUMBERS_NOT_LAST:
		*told = (struct flip){ "last number missing", VALUE_NUMBERS, r.last };
		break;
	case NUMBERS_TWICE:
		*told = (struct flip){ "last number twice", VALUE_NUMBERS, r.last };
		break;
	case NUMBERS_SWAPPED:
		*told = (struct flip){ "first two swapped", VALUE_NUMBERS, r.first };
		if (!long_enough)
			return false;
		value_add_number(st, to, r.first + 1, true);
		value_add_number(st, to, r.first, false);
		r.first += 2;
		break;
	case NUMBERS_SPLIT:
		*told = (struct flip){ "one batch read as two", VALUE_NUMBERS, middle + 1 };
		if (!long_enough)
			return false;
		break;
	case NUMBERS_TORN:
		*told = (struct flip){ "torn", VALUE_NUMBERS, r.first };
		value_add_torn(st, to, r.first);
		break;
	}
	for (uint32_t n = r.first; n <= r.last; n++) {
		if ((way == NUMBERS_NOT_FIRST && n == r.first) ||
		    (way == NUMBERS_NOT_LAST && n == r.last))
			continue;
		value_add_number(st, to, n,
				 n == r.first || (way == NUMBERS_SPLIT && n == middle + 1));
	}
	if (way == NUMBERS_TWICE)
		value_add_number(st, to, r.last, false);
	return true;
}

static bool copy_numbers(struct value_store *st, const struct value *from, const struct step *s,
			 struct change change, struct value *to, struct flip *told)
{
	const struct slice *numbers = &from->numbers;
	bool moved = change.way == NUMBERS_MOVED, split = change.way == NUMBERS_SPLIT;

	/* A consume step is one batch; only an emit step shows several, and where each begins. */
	if (change.entry != NOWHERE && s->kind != STEP_EMIT && (moved || split))
		return false;
	if (!numbers->count && change.entry == 0) {
		*told = (struct flip){ "a number out of nothing", VALUE_NUMBERS, 0 };
		value_add_number(st, to, 0, true);
		return change.way == NUMBERS_NOT_FIRST;
	}
	for (uint32_t i = 0; i < numbers->count; i++) {
		struct range r = st->numbers[numbers->start + i];

		if (i == change.entry && moved) {
			*told = (struct flip){ "one batch too short", VALUE_NUMBERS, r.last };
			if (r.last == r.first || i + 1 == numbers->count ||
			    st->numbers[numbers->start + i + 1].first != r.last + 1)
				return false;
			r.last--;
		} else if (i && i - 1 == change.entry && moved) {
			r.first--;
		}
		if (!copy_range(st, r, i == change.entry ? change.way : NUMBERS_WAYS, to, told))
			return false;
		/* Of a backward ring, newest first: the lower of the two that differ is the next one. */
		if (i == change.entry && change.way <= NUMBERS_TWICE && i + 1 < numbers->count &&
		    st->numbers[numbers->start + i + 1].first < r.first)
			told->sample = st->numbers[numbers->start + i + 1].first;
	}
	return true;
}

static bool copy_lost(const struct value *from, struct change change, struct value *to,
		      struct flip *told)
{
	to->lost = from->lost;
	if (!change.lost)
		return true;
	*told = (struct flip){ "lost off by one", change.part, VALUE_NO_SAMPLE };
	to->lost += change.way == LOST_MORE ? 1 : -1;
	return change.way == LOST_MORE || from->lost;
}

bool flip_value(struct value_store *st, const struct value *from, const struct step *s,
		uint32_t first, uint32_t way, struct value *to, struct flip *told)
{
	struct change change = change_of(from, way), none = { .entry = NOWHERE };
	bool good = true;

	*told = (struct flip){ "", change.part, VALUE_NO_SAMPLE };
	value_begin(st, to);
	if (from->has & VALUE_CODE)
		good &= copy_codes(st, from, change.part == VALUE_CODE ? change : none, first, to,
				   told);
	if (from->has & VALUE_READY_AT)
		good &= copy_ready(st, from, change.part == VALUE_READY_AT ? change : none, first,
				   to, told);
	if (from->has & VALUE_NUMBERS) {
		good &= copy_numbers(st, from, s, change.part == VALUE_NUMBERS && !change.lost ?
				     change : none, to, told);
		good &= copy_lost(from, change, to, told);
	}
	if (from->has & VALUE_LOST)
		good &= copy_lost(from, change, to, told);
	to->wakes = from->wakes + (change.part == VALUE_WAKES);
	if (change.part == VALUE_WAKES)
		told->what = "one wake more";
	to->head = from->head;
	if (change.part == VALUE_HEAD) {
		told->what = "head 8 bytes off";
		to->head += 8;
	}
	to->readiness = from->readiness;
	if (change.part == VALUE_READINESS) {
		told->what = "another readiness";
		to->readiness = (enum readiness)((from->readiness + 1 + change.way) % 4);
	}
	/* A step's code belongs to no sample. */
	if (change.part == VALUE_CODE && s->kind != STEP_EMIT)
		told->sample = VALUE_NO_SAMPLE;
	to->has = from->has;
	return good;
}

int store_grow(struct value_store *st, uint32_t extra)
{
	struct value_store more;

	if (value_store_alloc(&more, st->capacity + extra))
		return -ENOMEM;
	memcpy(more.codes, st->codes, st->ncodes * sizeof(*st->codes));
	memcpy(more.ready_at, st->ready_at, st->nready_at * sizeof(*st->ready_at));
	memcpy(more.numbers, st->numbers, st->nnumbers * sizeof(*st->numbers));
	memcpy(more.torn, st->torn, st->ntorn * sizeof(*st->torn));
	more.ncodes = st->ncodes;
	more.nready_at = st->nready_at;
	more.nnumbers = st->nnumbers;
	more.ntorn = st->ntorn;
	value_store_free(st);
	*st = more;
	return 0;
}
