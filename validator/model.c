// SPDX-License-Identifier: GPL-2.0
/*
 * What a ring and its events are, and what changes them. Deliberately boring, as all of the model: one
 * function for each rule, in the kernel's order and with the kernel's names, one decision a line, so
 * that every line can be made wrong on purpose (tests/wrong-models).
 */
#include "model.h"

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
	m->inner = (struct model_inner){ .size = c->inner_size };
	for (uint32_t level = 0; level < CONTEXTS; level++)
		m->inner.moments[level] = MOMENTS;
	m->defects = 0;
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
	r->nest = 0;
	r->owed = false;
	r->claims = 0;
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
