// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "overflow.h"
#include "seen.h"

struct seen seen_read(const struct raw_record *record, const struct emitted *emitted, uint32_t given)
{
	struct seen seen = { .is_lost = record->is_lost, .lost = record->lost };
	const struct emitted *sent;

	if (record->is_lost)
		return seen;
	seen.number = UINT32_MAX;
	if (!overflow_number(record->payload, record->size, &seen.number) &&
	    record->size >= sizeof(seen.number))
		memcpy(&seen.number, record->payload, sizeof(seen.number));
	/* A number that was never given out is shown as the highest that the format can show. */
	if (seen.number >= given)
		seen.number = CASE_MAX_SAMPLES - 1;
	sent = seen.number < given ? &emitted[seen.number] : NULL;
	if (sent && sent->context == SAMPLE_OVERFLOW)
		seen.torn = !overflow_whole(record->payload, record->size, sent->ring);
	else
		seen.torn = !sent || !payload_whole(record->payload, record->size, seen.number,
						     sent->size, sent->cpu, sent->ring, sent->context);
	return seen;
}

void seen_add(struct value_store *st, struct value *v, const struct seen *seen, bool *new_pass)
{
	if (seen->is_lost) {
		v->lost += seen->lost;
		return;
	}
	value_add_number(st, v, seen->number, *new_pass);
	*new_pass = false;
	if (seen->torn)
		value_add_torn(st, v, seen->number);
}

/* How many samples in front of @run are whole, each with the next number; the first one's is *@number. */
static uint32_t whole_run(const struct raw_run *run, const struct emitted *emitted, uint32_t given,
			  uint32_t *number)
{
	if (run->record.is_lost || run->record.size < sizeof(*number))
		return 0;
	memcpy(number, run->record.payload, sizeof(*number));
	if (*number >= given)
		return 0;
	return payload_run(run, run->count < given - *number ? run->count : given - *number,
			   *number, emitted + *number);
}

void seen_add_run(struct value_store *st, struct value *v, const struct raw_run *run,
		  const struct emitted *emitted, uint32_t given, bool *new_pass)
{
	struct raw_run left = *run;
	uint32_t number, n;

	for (; left.count; left.count -= n, left.record.payload += (size_t)n * left.stride) {
		n = whole_run(&left, emitted, given, &number);
		if (n) {
			value_add_numbers(st, v, (struct range){ number, number + n - 1 }, *new_pass);
			*new_pass = false;
		} else {
			struct seen seen = seen_read(&left.record, emitted, given);

			seen_add(st, v, &seen, new_pass);
			n = 1;
		}
	}
}

void seen_hold(struct seen_list *list, const struct seen *seen)
{
	if (list->count == list->room) {
		uint32_t room = list->room + 1024;
		struct seen *more = realloc(list->records, room * sizeof(*more));

		if (!more)
			return;
		list->records = more;
		list->room = room;
	}
	list->records[list->count++] = *seen;
}

void seen_free(struct seen_list *list)
{
	free(list->records);
	*list = (struct seen_list){ 0 };
}
