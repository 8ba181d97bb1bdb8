// SPDX-License-Identifier: GPL-2.0
/*
 * The ring. Deliberately boring: one function for each rule, in the kernel's order and with the
 * kernel's names, one decision a line, so that every line can be made wrong on purpose
 * (tests/wrong-models).
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

/* The watermark in force: ring_buffer_init(). @bytes is the one asked for. */
static uint64_t watermark_in_force(uint64_t bytes, uint64_t size)
{
	if (bytes > size)
		bytes = size;
	if (!bytes)
		bytes = size / 2;
	return bytes;
}

void model_init(struct model *m, const struct wake_case *c, struct model_kernel kernel,
		struct model_record *records)
{
	m->kernel = kernel;
	m->number = 0;
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		const struct ring_spec *spec = &c->rings[id];

		m->events[id] = (struct model_event){ .output = MODEL_NO_RING };
		if (!spec->declared)
			continue;
		m->rings[id] = (struct model_ring){
			.size = ring_bytes(spec),
			.watermark = watermark_in_force(spec->by_watermark ? spec->threshold : 0,
							ring_bytes(spec)),
			.backward = spec->backward,
			.overwrite = spec->overwrite,
			.records = records,
			.capacity = ring_capacity(spec),
		};
		m->events[id] = (struct model_event){
			.cpu = spec->cpu,
			.wakeup_events = (int32_t)spec->threshold,
			.by_watermark = spec->by_watermark,
			.enabled = true,
			.in_slot = true,
			.output = MODEL_NO_RING,
		};
		model_map(m, id);
		records += ring_capacity(spec);
	}
}

struct model_ring *model_ring_of(struct model *m, uint32_t id)
{
	return m->events[id].output == MODEL_NO_RING ? NULL : &m->rings[m->events[id].output];
}

/* ring_buffer_has_space(): CIRC_SPACE() in the direction of writing; one byte always stays free. */
static bool has_space(const struct model_ring *r, uint32_t total)
{
	if (r->overwrite)
		return true;
	if (r->backward)
		return ((r->head - (r->tail + 1)) & (r->size - 1)) >= total;
	return ((r->tail - (r->head + 1)) & (r->size - 1)) >= total;
}

/* In overwrite mode records that do not lie whole within one ring's length are gone. */
static void drop_overwritten(struct model_ring *r)
{
	uint64_t bytes = 0;

	for (uint32_t kept = 0; kept < r->count; kept++) {
		bytes += r->records[(r->first + r->count - 1 - kept) & (r->capacity - 1)].bytes;
		if (bytes > r->size) {
			r->first += r->count - kept;
			r->count = kept;
			return;
		}
	}
}

static void put_record(struct model_ring *r, uint64_t value, uint32_t bytes, bool lost)
{
	if (r->count == r->capacity) {	/* overwrite mode only */
		r->first++;
		r->count--;
	}
	r->records[(r->first + r->count++) & (r->capacity - 1)] =
		(struct model_record){ value, bytes, lost };
}

/* The byte rule, in __perf_output_begin(): strictly more, one step a record at most. */
static void byte_rule(struct model_ring *r)
{
	uint64_t produced = r->backward ? -r->head : r->head;

	if (produced - r->wakeup > r->watermark) {
		r->wakeup += r->watermark;
		r->cause |= CAUSE_BYTES;
	}
}

/* The count rule, in perf_output_sample(): the event's threshold, the ring's counter. */
static void count_rule(struct model_ring *r, const struct model_event *e)
{
	if (e->by_watermark || !e->wakeup_events)
		return;
	r->events++;
	if ((int32_t)r->events >= e->wakeup_events) {
		r->events -= (uint32_t)e->wakeup_events;
		r->wakeup++;
		r->cause |= CAUSE_COUNT;
	}
}

/* The LOST record lies in front of its sample, which is behind it in reading order. */
static void put_records(struct model_ring *r, uint32_t number, uint32_t record)
{
	if (r->lost && !r->backward)
		put_record(r, r->lost, LOST_BYTES, true);
	put_record(r, number, record, false);
	if (r->lost && r->backward)
		put_record(r, r->lost, LOST_BYTES, true);
	r->lost = 0;
	if (r->overwrite)
		drop_overwritten(r);
}

/* perf_output_begin(), perf_output_sample() and perf_output_end() of one sample. */
static enum code output(struct model *m, struct model_event *e, uint32_t number, uint32_t size)
{
	struct model_ring *r = &m->rings[e->output];
	uint32_t record = HEADER_BYTES + ((RAW_SIZE_BYTES + size + 7) & ~7u);
	uint32_t total = record;
	uint64_t before = r->wakeup;

	if (r->lost)
		total += LOST_BYTES;
	if (r->paused || !has_space(r, total)) {
		r->lost++;
		e->refused++;
		return CODE_ENOSPC;
	}
	if (!r->poll)
		r->cause = 0;
	r->head += r->backward ? -(uint64_t)total : total;
	byte_rule(r);
	put_records(r, number, record);
	count_rule(r, e);
	if (r->wakeup != before) {
		r->poll = true;
		e->wakes++;
		model_wake(m, e->output);
	}
	return CODE_OK;
}

enum code model_emit(struct model *m, uint32_t slot, uint32_t cpu, uint32_t size)
{
	uint32_t number = m->number++;

	/* __bpf_perf_event_output() */
	if (slot >= CASE_MAX_RINGS)
		return CODE_E2BIG;
	if (!m->events[slot].in_slot)
		return CODE_ENOENT;
	if (!m->events[slot].enabled || m->events[slot].cpu != cpu)
		return CODE_EOPNOTSUPP;
	if (m->events[slot].output == MODEL_NO_RING)
		return CODE_ENOSPC;
	return output(m, &m->events[slot], number, size);
}

bool model_consume(struct model_ring *r, struct model_record *record)
{
	if (!r->count)
		return false;
	if (r->backward) {
		*record = r->records[(r->first + r->count - 1) & (r->capacity - 1)];
	} else {
		*record = r->records[r->first++ & (r->capacity - 1)];
		r->tail += record->bytes;
	}
	r->count--;
	return true;
}

/* A fresh mapping: rb_alloc(), ring_buffer_init(). The descriptor's own state stays. */
enum code model_map(struct model *m, uint32_t id)
{
	struct model_event *e = &m->events[id];
	struct model_ring *r = &m->rings[id];

	if (e->mapped)
		return CODE_EBUSY;	/* the runner maps no ring twice */
	if (e->output != MODEL_NO_RING)
		return CODE_OTHER;	/* a mapping of another's ring: not modelled */
	r->head = r->tail = r->wakeup = r->lost = 0;
	r->events = 0;
	r->paused = r->poll = false;
	r->cause = 0;
	r->first = r->count = 0;
	e->mapped = true;
	e->output = id;
	return CODE_OK;
}

/* perf_mmap_close(): whoever writes to the ring loses it, and its pollers are woken to see that. */
enum code model_unmap(struct model *m, uint32_t id)
{
	if (!m->events[id].mapped)
		return CODE_EINVAL;
	m->events[id].mapped = false;
	model_wake(m, id);
	for (uint32_t i = 0; i < CASE_MAX_RINGS; i++)
		if (m->events[i].output == id)
			m->events[i].output = MODEL_NO_RING;
	return CODE_OK;
}

/* perf_event_set_output() */
enum code model_redirect(struct model *m, uint32_t id, uint32_t to)
{
	struct model_event *e = &m->events[id];

	if (id == to || m->events[to].cpu != e->cpu)
		return CODE_EINVAL;
	if (m->rings[to].backward != m->rings[id].backward)
		return CODE_EINVAL;
	if (e->mapped || m->events[to].output == MODEL_NO_RING)
		return CODE_EINVAL;
	if (e->output != MODEL_NO_RING)	/* ring_buffer_attach() away from another ring */
		for (int via = 0; via < VIAS; via++)
			e->listed[via] = true;
	e->output = m->events[to].output;
	return CODE_OK;
}

/* PERF_EVENT_IOC_PAUSE_OUTPUT */
enum code model_pause(struct model *m, uint32_t id, bool pause)
{
	struct model_ring *r = model_ring_of(m, id);

	if (!r)
		return CODE_EINVAL;
	r->paused = pause;
	return CODE_OK;
}

/* bpf_map_delete_elem() of the event's slot. */
enum code model_drop_slot(struct model *m, uint32_t id)
{
	if (!m->events[id].in_slot)
		return CODE_ENOENT;
	m->events[id].in_slot = false;
	return CODE_OK;
}
