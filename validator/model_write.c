// SPDX-License-Identifier: GPL-2.0
/*
 * The writer's way: one output from bpf_perf_event_output() to the wake, in the order of the kernel's
 * source. Between any two of its steps another output may interrupt it (struct model_inner). That
 * the kernel then does not always end as if one came after the other is what defects.h lists; the
 * line that shows it marks it.
 */
#include "model.h"

#define HEADER_BYTES	8u	/* struct perf_event_header */
#define RAW_SIZE_BYTES	4u	/* the u32 in front of a raw payload */
#define LOST_BYTES	24u	/* a LOST record: header, id, count */
#define HELPER_LEVELS	3u	/* get_bpf_raw_tp_regs(): as many helpers within one another on a CPU */

/* An output under way: struct perf_output_handle, and what its functions keep in registers. */
struct writer {
	struct model_event *event;	/* of the ring */
	bool overflow;			/* and the output is another event's, with the same thresholds */
	struct model_ring *ring;
	uint32_t level;			/* 0: the outermost */
	uint32_t number;
	uint32_t record;		/* bytes of the sample's record */
	bool have_lost;
	uint64_t wakeup;		/* the snapshot: of ring->wakeup, when it began */
	uint64_t produced;		/* by the ring, up to and with this output */
	uint64_t held;			/* the loss, where it was taken before the space was */
	struct model_record *lost;	/* the LOST record in front of the sample */
};

static enum code output(struct model *m, struct writer w, uint32_t size);

/*
 * The inner outputs, when the one that they interrupt has come to where they do. One that is interrupted
 * in turn leaves none; one that never comes to where it would be is followed by the next.
 */
static void reach(struct model *m, const struct writer *w, enum moment moment)
{
	struct model_inner *inner = &m->inner;
	struct writer next = { .event = w->event, .level = w->level + 1 };

	if (moment != inner->moments[w->level])
		return;
	while (inner->entered < inner->count) {
		enum code *code = &inner->codes[inner->entered++];

		next.number = m->number++;
		*code = next.level == HELPER_LEVELS ? CODE_EBUSY : output(m, next, inner->size);
	}
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

static struct model_record *put_record(struct model_ring *r, uint64_t value, uint32_t bytes, bool lost)
{
	struct model_record *record;

	if (r->count == r->capacity) {	/* overwrite mode only */
		r->first++;
		r->count--;
	}
	record = &r->records[(r->first + r->count++) & (r->capacity - 1)];
	*record = (struct model_record){ value, bytes, lost };
	return record;
}

/* perf_output_get_handle(): only the outermost writer, which raises nest from 0, publishes and wakes. */
static void get_handle(struct model *m, struct writer *w)
{
	w->ring->nest++;
	reach(m, w, MOMENT_NEST_RAISED);
	w->wakeup = w->ring->wakeup;
	reach(m, w, MOMENT_SNAPSHOT);
}

/* perf_output_put_handle(): publishes data_head, and wakes if the counter moved since the snapshot. */
static void put_handle(struct model *m, struct writer *w)
{
	struct model_ring *r = w->ring;

	if (r->nest > 1) {
		r->nest--;
		r->owed |= r->wakeup != w->wakeup;
		return;
	}
	r->nest = 0;
	reach(m, w, MOMENT_PUBLISHED);
	if (r->wakeup != w->wakeup) {
		r->poll = true;
		w->event->wakes += !w->overflow;
		model_wake(m, w->event->output);
	} else if (r->owed) {
		m->defects |= DEFECT_LOST_WAKE;
	}
	r->owed = false;
}

/* The byte rule, in __perf_output_begin(): strictly more, one step a record at most. */
static void byte_rule(struct model *m, struct writer *w)
{
	struct model_ring *r = w->ring;

	if (w->produced - r->wakeup > r->watermark) {
		reach(m, w, MOMENT_BYTES_TESTED);
		if ((int64_t)(w->produced - r->wakeup) <= (int64_t)r->watermark)
			m->defects |= DEFECT_WAKE_STORM;
		r->wakeup += r->watermark;
		r->cause |= CAUSE_BYTES;
	}
}

/* The count rule, in perf_output_sample(): the event's threshold, the ring's counter. */
static void count_rule(struct model *m, struct writer *w)
{
	struct model_ring *r = w->ring;
	int32_t n = w->event->wakeup_events, events;

	if (w->event->by_watermark || !n)
		return;
	events = (int32_t)++r->events;
	reach(m, w, MOMENT_COUNTED);
	if (events >= n) {
		r->events -= (uint32_t)n;
		if (n > 0 && (int32_t)r->events < 0)
			m->defects |= DEFECT_COUNT_TWICE;
		reach(m, w, MOMENT_COUNT_REDUCED);
		r->wakeup++;
		r->cause |= CAUSE_COUNT;
	}
}

/* The LOST record lies in front of its sample, which is behind it in reading order. */
static void reserve(struct writer *w, uint32_t total)
{
	struct model_ring *r = w->ring;

	r->head += r->backward ? -(uint64_t)total : total;
	w->produced = r->backward ? -r->head : r->head;
	if (w->have_lost && !r->backward)
		w->lost = put_record(r, 0, LOST_BYTES, true);
	put_record(r, w->number, w->record, false);
	if (w->have_lost && r->backward)
		w->lost = put_record(r, 0, LOST_BYTES, true);
	if (r->overwrite)
		drop_overwritten(r);
}

static enum code refuse(struct model *m, struct writer *w)
{
	w->ring->lost += w->held;
	w->ring->lost++;
	w->event->refused += !w->overflow;
	reach(m, w, MOMENT_LOSS_COUNTED);
	return CODE_ENOSPC;
}

/*
 * Stock kernels look at the loss, and take it when they write it. One that takes it at once, behind
 * get_handle(), lets an inner writer go in front without a word of it: sound, the books balance.
 */
static void see_lost(struct model *m, struct writer *w)
{
	w->have_lost = w->ring->lost;
	if (m->kernel.lost_at_once) {
		w->held = w->ring->lost;
		w->ring->lost = 0;
	}
}

/* What was refused is told of, in the record that has room for it. */
static void take_lost(struct model *m, struct writer *w)
{
	struct model_ring *r = w->ring;

	if (w->held) {
		w->lost->value = w->held;
		return;
	}
	w->lost->value = r->lost;
	if (!r->lost)
		m->defects |= DEFECT_EMPTY_LOSS;
	r->lost = 0;
	r->claims--;
}

/* Refused for the room of a LOST record, though it is another writer that tells of the loss? */
static void pays_for_nothing(struct model *m, const struct writer *w)
{
	struct model_ring *r = w->ring;

	if (w->have_lost && !w->held && (!r->lost || r->claims) && has_space(r, w->record))
		m->defects |= DEFECT_EMPTY_LOSS;
}

/* The part of __perf_output_begin() behind the space test, and perf_output_sample(). */
static void write_records(struct model *m, struct writer *w, uint32_t total)
{
	struct model_ring *r = w->ring;

	if (!r->poll)
		r->cause = 0;
	r->claims += w->have_lost && !w->held;
	reserve(w, total);
	reach(m, w, MOMENT_RESERVED);
	byte_rule(m, w);
	reach(m, w, MOMENT_BYTES_DONE);
	if (w->have_lost)
		take_lost(m, w);
	reach(m, w, MOMENT_LOST_TAKEN);
	count_rule(m, w);
	reach(m, w, MOMENT_WRITTEN);
}

/* perf_output_begin(), perf_output_sample() and perf_output_end() of one sample. */
static enum code output(struct model *m, struct writer w, uint32_t size)
{
	struct model_ring *r = w.ring = &m->rings[w.event->output];
	uint32_t total = w.record = HEADER_BYTES + ((RAW_SIZE_BYTES + size + 7) & ~7u);
	enum code code = CODE_OK;

	reach(m, &w, MOMENT_ENTERED);
	if (r->paused)
		return refuse(m, &w);
	if (!m->kernel.lost_at_once)
		see_lost(m, &w);
	reach(m, &w, MOMENT_LOST_READ);
	get_handle(m, &w);
	if (m->kernel.lost_at_once)
		see_lost(m, &w);
	reach(m, &w, MOMENT_LOST_HELD);
	if (w.have_lost)
		total += LOST_BYTES;
	if (has_space(r, total)) {
		write_records(m, &w, total);
	} else {
		pays_for_nothing(m, &w);
		reach(m, &w, MOMENT_REFUSED);
		code = refuse(m, &w);
	}
	put_handle(m, &w);
	return code;
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
	return output(m, (struct writer){ .event = &m->events[slot], .number = number }, size);
}

void model_overflow(struct model *m, uint32_t id, uint32_t size)
{
	struct writer w = { .event = &m->events[id], .overflow = true, .number = m->number++ };

	if (w.event->output != MODEL_NO_RING)
		output(m, w, size);
}

enum code model_emit_first(struct model *m, const struct step *s)
{
	if (!s->overflow)
		return model_emit(m, s->has_index ? s->index : s->ring, s->cpu, s->size);
	model_overflow(m, s->ring, s->size);
	return CODE_OK;
}

void model_emit_within(struct model *m, const struct step *s, enum code codes[CONTEXTS])
{
	struct model_inner *inner = &m->inner, others = *inner;

	*inner = (struct model_inner){ .count = step_outputs(s), .size = s->size };
	for (uint32_t level = 0; level < CONTEXTS; level++)
		inner->moments[level] = MOMENT_LOST_TAKEN;
	/* More than once only where what came before was refused, and entered nothing. */
	while (inner->entered < inner->count) {
		uint32_t level = inner->entered++;

		inner->codes[level] = model_emit_first(m, s);
	}
	for (uint32_t level = 0; level < inner->count; level++)
		codes[level] = inner->codes[level];
	*inner = others;
}
