// SPDX-License-Identifier: GPL-2.0
/*
 * Deliberately boring: one function for each rule, in the kernel's order and with the kernel's names,
 * one decision a line, so that every line can be made wrong on purpose (tests/wrong-models).
 */
#include "model.h"

#define HEADER_BYTES	8u	/* struct perf_event_header */
#define RAW_SIZE_BYTES	4u	/* the u32 in front of a raw payload */
#define LOST_BYTES	24u	/* a LOST record: header, id, count */
#define MIN_RECORD_BYTES 16u

/* Each ring's queue has room for as many of the smallest records as its data area. */
static uint32_t ring_capacity(const struct ring_spec *spec)
{
	return (uint32_t)(ring_bytes(spec) / MIN_RECORD_BYTES);
}

uint32_t model_records(const struct wake_case *c)
{
	uint32_t records = 0;

	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		if (c->rings[id].declared)
			records += ring_capacity(&c->rings[id]);
	return records;
}

/* A fresh mapping: rb_alloc() and ring_buffer_init(). The descriptor's own state stays. */
static void ring_map(struct model_ring *r)
{
	r->head = r->tail = r->wakeup = r->lost = 0;
	r->events = 0;
	r->paused = r->poll = false;
	r->cause = 0;
	r->first = r->count = 0;
}

/* The watermark in force: ring_buffer_init(). @bytes is the one asked for. */
static uint64_t watermark_in_force(uint64_t bytes, uint64_t size)
{
	if (bytes > size)
		bytes = size;
	if (!bytes)
		bytes = size / 2;
	return bytes;
}

void model_init(struct model *m, const struct wake_case *c, struct model_record *records)
{
	m->number = 0;
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		const struct ring_spec *spec = &c->rings[id];
		struct model_ring *r = &m->rings[id];

		if (!spec->declared)
			continue;
		*r = (struct model_ring){
			.cpu = spec->cpu,
			.wakeup_events = (int32_t)spec->threshold,
			.by_watermark = spec->by_watermark,
			.enabled = true,
			.in_slot = true,
			.size = ring_bytes(spec),
			.watermark = watermark_in_force(spec->by_watermark ? spec->threshold : 0,
							ring_bytes(spec)),
			.records = records,
			.capacity = ring_capacity(spec),
		};
		ring_map(r);
		records += r->capacity;
	}
}

/* CIRC_SPACE() in __perf_output_begin(): one byte always stays free. */
static uint64_t free_bytes(const struct model_ring *r)
{
	return (r->tail - (r->head + 1)) & (r->size - 1);
}

static void put_record(struct model_ring *r, uint64_t value, uint32_t bytes, bool lost)
{
	r->records[(r->first + r->count++) & (r->capacity - 1)] =
		(struct model_record){ value, bytes, lost };
}

/* The byte rule, in __perf_output_begin(): strictly more, one step a record at most. */
static void byte_rule(struct model_ring *r)
{
	if (r->head - r->wakeup > r->watermark) {
		r->wakeup += r->watermark;
		r->cause |= CAUSE_BYTES;
	}
}

/* The count rule, in perf_output_sample(). */
static void count_rule(struct model_ring *r)
{
	if (r->by_watermark || !r->wakeup_events)
		return;
	r->events++;
	if ((int32_t)r->events >= r->wakeup_events) {
		r->events -= (uint32_t)r->wakeup_events;
		r->wakeup++;
		r->cause |= CAUSE_COUNT;
	}
}

/* perf_output_begin(), perf_output_sample() and perf_output_end() of one sample. */
static enum code output(struct model_ring *r, uint32_t number, uint32_t size)
{
	uint32_t record = HEADER_BYTES + ((RAW_SIZE_BYTES + size + 7) & ~7u);
	uint32_t total = record;
	uint64_t before = r->wakeup;

	if (r->lost)
		total += LOST_BYTES;
	if (r->paused || free_bytes(r) < total) {
		r->lost++;
		return CODE_ENOSPC;
	}
	if (!r->poll)
		r->cause = 0;
	r->head += total;
	byte_rule(r);
	if (r->lost)
		put_record(r, r->lost, LOST_BYTES, true);
	r->lost = 0;
	put_record(r, number, record, false);
	count_rule(r);
	if (r->wakeup != before)
		r->poll = true;
	return CODE_OK;
}

enum code model_emit(struct model *m, uint32_t id, uint32_t cpu, uint32_t size)
{
	struct model_ring *r = &m->rings[id];
	uint32_t number = m->number++;

	/* __bpf_perf_event_output() */
	if (!r->in_slot)
		return CODE_ENOENT;
	if (!r->enabled || r->cpu != cpu)
		return CODE_EOPNOTSUPP;
	return output(r, number, size);
}

bool model_look(struct model_ring *r)
{
	bool ready = r->poll;

	r->poll = false;
	return ready;
}

bool model_consume(struct model_ring *r, struct model_record *record)
{
	if (!r->count)
		return false;
	*record = r->records[r->first++ & (r->capacity - 1)];
	r->count--;
	r->tail += record->bytes;
	return true;
}

/* bpf_map_delete_elem() of the ring's slot. */
static enum code drop_slot(struct model_ring *r)
{
	if (!r->in_slot)
		return CODE_ENOENT;
	r->in_slot = false;
	return CODE_OK;
}

/* Up to @max records (0: all that lie there) into @out. */
static void consume_into(struct model_ring *r, uint32_t max, struct value_store *st,
			 struct value *out)
{
	struct model_record record;
	bool new_pass = true;

	out->has |= VALUE_NUMBERS;
	for (uint32_t n = 0; (!max || n < max) && model_consume(r, &record); n++) {
		if (record.lost) {
			out->lost += record.value;
			continue;
		}
		value_add_number(st, out, (uint32_t)record.value, new_pass);
		new_pass = false;
	}
}

static void emit_step(struct model *m, const struct step *s, uint32_t until,
		      struct value_store *st, struct value *out)
{
	struct model_ring *r = &m->rings[s->ring];

	out->has |= case_step_parts(s);
	for (uint32_t i = 0; i < s->count && m->number != until; i++) {
		uint32_t number = m->number;

		value_add_code(st, out, model_emit(m, s->ring, s->cpu, s->size), 1);
		if (s->every == EVERY_NOTHING || !model_look(r))
			continue;
		value_add_ready(st, out, number);
		if (s->every == EVERY_LOOK_CONSUME)
			consume_into(r, 0, st, out);
	}
}

/* Steps that change one thing of a ring and end with a code. */
static enum code change_step(struct model_ring *r, enum step_kind kind)
{
	switch (kind) {
	case STEP_PAUSE:
	case STEP_RESUME:
		r->paused = kind == STEP_PAUSE;
		return CODE_OK;
	case STEP_DISABLE:
	case STEP_ENABLE:
		r->enabled = kind == STEP_ENABLE;
		return CODE_OK;
	case STEP_REMAP:
		ring_map(r);
		return CODE_OK;
	case STEP_DROP_SLOT:
		return drop_slot(r);
	case STEP_EMIT:
	case STEP_LOOK:
	case STEP_CONSUME:
	case STEP_KINDS:
		break;
	}
	return CODE_OTHER;
}

void model_step(struct model *m, const struct step *s, uint32_t until,
		struct value_store *st, struct value *predicted)
{
	struct model_ring *r = &m->rings[s->ring];

	value_begin(st, predicted);
	if (s->kind == STEP_EMIT) {
		emit_step(m, s, until, st, predicted);
	} else if (s->kind == STEP_LOOK) {
		predicted->has = VALUE_READINESS;
		predicted->readiness = model_look(r) ? READINESS_READY : READINESS_QUIET;
	} else if (s->kind == STEP_CONSUME) {
		consume_into(r, s->count, st, predicted);
	} else {
		value_add_code(st, predicted, change_step(r, s->kind), 1);
	}
}
