/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: what kernel/events/ring_buffer.c and its callers do with one sample at a time. It sees
 * the steps of a case and never an observation. KERNEL_RULES K1 to K7 in executable form.
 */
#ifndef PERFWAKE_MODEL_H
#define PERFWAKE_MODEL_H

#include "case.h"

/* What lies in a ring between data_tail and data_head. */
struct model_record {
	uint64_t value;		/* the sample's number, or how many a LOST record tells of */
	uint32_t bytes;		/* length in the ring, header and padding included */
	bool lost;		/* a LOST record */
};

/* Which rule raised a wake last, for the report; bits. */
enum model_cause {
	CAUSE_COUNT = 1 << 0,	/* wakeup_events samples */
	CAUSE_BYTES = 1 << 1,	/* more than the watermark produced */
};

/* One event descriptor and its ring; the names are those of struct perf_event and struct perf_buffer. */
struct model_ring {
	uint32_t cpu;
	int32_t wakeup_events;	/* a C int in the kernel too: from 2^31 up it is negative */
	bool by_watermark;
	bool enabled;
	bool in_slot;		/* of the perf event array */

	uint64_t size;		/* bytes of the data area */
	uint64_t watermark;	/* bytes, the one in force */
	uint64_t head;		/* bytes produced since mmap */
	uint64_t tail;		/* bytes consumed since mmap */
	uint64_t wakeup;
	uint32_t events;	/* as a C int for the comparison, as the kernel has it */
	uint64_t lost;		/* refused since the last LOST record */
	bool paused;
	bool poll;		/* the readiness flag */
	uint32_t cause;		/* enum model_cause bits of the wake that set @poll */

	struct model_record *records;	/* circular, @capacity entries */
	uint32_t capacity;		/* a power of two */
	uint32_t first;			/* free-running index of the oldest record */
	uint32_t count;
};

struct model {
	struct model_ring rings[CASE_MAX_RINGS];
	uint32_t number;	/* the next sample's */
};

/* Records that the rings of @c can hold at most, over all rings. */
uint32_t model_records(const struct wake_case *c);

/* Set up for @c, which must be valid; @records has room for model_records(@c) and stays the caller's. */
void model_init(struct model *m, const struct wake_case *c, struct model_record *records);

/*
 * One sample number @m->number of @size bytes, emitted on @cpu to ring @id; the number is used up
 * whatever comes back. Mirrors bpf_perf_event_output().
 */
enum code model_emit(struct model *m, uint32_t id, uint32_t cpu, uint32_t size);

/* One look: reads the flag and takes it. Mirrors perf_poll(). */
bool model_look(struct model_ring *r);

/* The oldest record is read and its room given back. Returns false for an empty ring. */
bool model_consume(struct model_ring *r, struct model_record *record);

/*
 * Perform step @s and add what it should show to @predicted, begun in @st. Stops before sample
 * @until (VALUE_NO_SAMPLE: never), so that a caller can ask for the state at a difference.
 */
void model_step(struct model *m, const struct step *s, uint32_t until,
		struct value_store *st, struct value *predicted);

#endif
