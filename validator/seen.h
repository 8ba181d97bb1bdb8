/* SPDX-License-Identifier: GPL-2.0 */
/* What a consumer handed over, held against what was emitted: numbers, losses, and what is torn. */
#ifndef PERFWAKE_SEEN_H
#define PERFWAKE_SEEN_H

#include "consumer_raw.h"
#include "payload.h"
#include "value.h"

/* One record. */
struct seen {
	uint32_t number;
	bool torn;		/* the content is not what was emitted as that number */
	bool is_lost;
	uint64_t lost;
};

/* Records that were read, but not yet asked for. Starts zeroed; seen_free() leaves it so. */
struct seen_list {
	struct seen *records;
	uint32_t count, room;
};

/* Read a record; @given numbers were given out, and @emitted has what they were. */
struct seen seen_read(const struct raw_record *record, const struct emitted *emitted, uint32_t given);

/* Add it to @v; @new_pass: it is the first sample of a consume, and is set to false behind one. */
void seen_add(struct value_store *st, struct value *v, const struct seen *seen, bool *new_pass);

/* Read and add all records of @run: the same, but what is whole and in order goes without a call each. */
void seen_add_run(struct value_store *st, struct value *v, const struct raw_run *run,
		  const struct emitted *emitted, uint32_t given, bool *new_pass);

/* Keep it. Without memory it is dropped, and will be missing. */
void seen_hold(struct seen_list *list, const struct seen *seen);
void seen_free(struct seen_list *list);

#endif
