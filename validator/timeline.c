// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "timeline.h"
#include "trace_text.h"

/* What laying out works on. */
struct layout {
	struct timeline *l;
	const struct trace *t;
	struct verdict_workspace *w;
	const struct verdict *v;
	uint32_t step;
	bool differs;		/* in this step the verdict found its difference */
	uint32_t run, used;	/* of the step's codes that were seen: which, and how far into it */
	uint32_t ready;		/* of the ranges in which it was seen ready: the first not passed */
};

static const struct step *step_of(const struct layout *o)
{
	return &o->l->wcase->steps[o->step];
}

static const struct value *seen_of(const struct layout *o)
{
	return o->t ? &o->t->seen[o->step] : NULL;
}

static bool same(const struct column *a, const struct column *b)
{
	return a->step == b->step && a->sample != VALUE_NO_SAMPLE && b->sample != VALUE_NO_SAMPLE &&
	       a->sample + a->count == b->sample && !a->differs && !b->differs &&
	       a->crossing == b->crossing && a->owed == b->owed &&
	       !memcmp(a->by, b->by, sizeof(a->by));
}

/* Add a column; one that shows the same as the last joins it, so that millions of samples fit. */
static void push(struct timeline *l, const struct column *column)
{
	struct column *last = l->ncolumns ? &l->columns[l->ncolumns - 1] : NULL;

	if (last && !l->rest && same(last, column)) {
		last->count += column->count;
		return;
	}
	if (l->ncolumns == TIMELINE_COLUMNS) {
		l->rest++;
		return;
	}
	if (l->ncolumns == TIMELINE_HEAD + TIMELINE_BEFORE && !l->marked) {
		memmove(&l->columns[TIMELINE_HEAD], &l->columns[TIMELINE_HEAD + 1],
			(TIMELINE_BEFORE - 1) * sizeof(l->columns[0]));
		l->ncolumns--;
		l->left_out++;
	}
	l->columns[l->ncolumns++] = *column;
	l->marked |= column->differs;
}

/* A column of this step with nothing in it; all bytes count when two are compared. */
static void begin(const struct layout *o, struct column *column, uint32_t sample)
{
	memset(column, 0, sizeof(*column));
	column->step = o->step;
	column->sample = sample;
	column->count = 1;
}

/* The differing column is done: keep the ring as it is now. */
static void keep_after(struct layout *o)
{
	struct model_ring *r = model_ring_of(&o->w->model, step_of(o)->ring);

	o->l->has_after = r;
	if (r)
		o->l->after = *r;
}

static void write_text(struct sight *s, const struct step *step, const struct value_store *st,
		       const struct value *v, uint32_t parts)
{
	char text[256] = "";
	struct value part = *v;
	FILE *out = fmemopen(text, sizeof(text), "w");

	part.has &= parts;
	if (out) {
		trace_text_write_value(out, step, st, &part);
		fclose(out);
	}
	text[sizeof(text) - 1] = 0;
	if (strlen(text) >= sizeof(s->text))
		memcpy(text + sizeof(s->text) - 4, "...", 4);
	memcpy(s->text, text, strlen(text) + 1);
	s->said = true;
}

/* --- samples */

static enum code next_seen_code(struct layout *o, const struct value *seen)
{
	while (o->run < seen->codes.count) {
		const struct code_run *r = &o->t->store.codes[seen->codes.start + o->run];

		if (o->used++ < r->count)
			return r->code;
		o->run++;
		o->used = 0;
	}
	return CODE_OTHER;
}

static bool seen_ready(struct layout *o, const struct value *seen, uint32_t sample)
{
	while (o->ready < seen->ready_at.count) {
		const struct range *r = &o->t->store.ready_at[seen->ready_at.start + o->ready];

		if (sample <= r->last)
			return sample >= r->first;
		o->ready++;
	}
	return false;
}

static void set_ready(struct sight *s, const struct step *step, bool ready)
{
	s->looked = true;
	s->readiness = ready ? READINESS_READY : READINESS_QUIET;
	s->consumed = ready && step->every == EVERY_LOOK_CONSUME;
}

static void seen_sample(struct layout *o, struct column *column, bool looked)
{
	const struct value *seen = seen_of(o);
	struct sight *s = &column->by[SIDE_SEEN];

	if (!seen)
		return;
	s->said = seen->has & (VALUE_CODE | VALUE_READY_AT);
	if (seen->has & VALUE_CODE)
		s->code = next_seen_code(o, seen);
	if (seen->has & VALUE_READY_AT && looked)
		set_ready(s, step_of(o), seen_ready(o, seen, column->sample));
}

/* Is it at this sample? What is found in what was read belongs to no sample that is out of the step. */
static bool differs_at(const struct layout *o, uint32_t sample)
{
	return o->differs && o->v->sample == sample;
}

/* Rules that move the wake counter by @wakeup; of a lost wake nothing else tells. */
static uint32_t moved_by(uint64_t wakeup, uint64_t watermark)
{
	return (wakeup >= watermark ? CAUSE_BYTES : 0) | (wakeup % watermark ? CAUSE_COUNT : 0);
}

/*
 * The next @count samples as one step of the model: one by one, but those that interrupt another
 * together with it. Sets @found where the difference is at one of them. Returns the wakes.
 */
static uint64_t push_samples(struct layout *o, uint32_t count, bool *found)
{
	struct model *m = &o->w->model;
	struct step part = *step_of(o);
	struct model_ring *r = model_ring_of(m, part.ring);
	uint32_t first = m->number, defects = m->defects, crossing;
	uint64_t wakeup = r ? r->wakeup : 0;
	struct value predicted;
	bool owed;

	part.count = count;
	value_store_clear(&o->w->store);
	if (r)
		r->cause = 0;	/* so that it tells of these samples alone; only reports read it */
	model_step(m, &part, VALUE_NO_SAMPLE, &o->w->store, &predicted);
	owed = m->defects & ~defects & DEFECT_LOST_WAKE;
	crossing = !r ? 0 : owed ? moved_by(r->wakeup - wakeup, r->watermark) : r->cause;
	for (uint32_t i = 0; i < count; i++) {
		struct column column;

		begin(o, &column, first + i);
		column.by[SIDE_MODEL].said = true;
		column.by[SIDE_MODEL].code = value_code_at(&o->w->store, &predicted, i);
		/* A look follows behind those that are emitted at once. */
		if (part.every != EVERY_NOTHING && i == count - 1)
			set_ready(&column.by[SIDE_MODEL], &part, predicted.ready_at.count);
		if (i == count - 1) {
			column.crossing = crossing;
			column.owed = owed;
		}
		seen_sample(o, &column, i == count - 1);
		column.differs = differs_at(o, column.sample);
		*found |= column.differs;
		if (column.differs)
			keep_after(o);
		push(o->l, &column);
	}
	return predicted.wakes;
}

/* Behind the samples: how often the kernel woke where nobody looked, and what differs as a whole. */
static void push_summary(struct layout *o, uint64_t wakes, bool found)
{
	const struct step *s = step_of(o);
	const struct value *seen = seen_of(o);
	struct model *m = &o->w->model;
	struct value whole = {
		.has = VALUE_WAKES | (m->events[s->ring].mapped ? VALUE_HEAD : 0),
		.wakes = wakes,
		.head = m->rings[s->ring].head,
	};
	uint32_t parts = s->every == EVERY_NOTHING ? VALUE_WAKES : 0;
	struct column column;

	begin(o, &column, VALUE_NO_SAMPLE);
	column.differs = o->differs && !found;
	if (column.differs) {
		parts = o->v->part;
		keep_after(o);
	}
	if (whole.has & parts)
		write_text(&column.by[SIDE_MODEL], s, &o->w->store, &whole, parts);
	if (seen && seen->has & parts)
		write_text(&column.by[SIDE_SEEN], s, &o->t->store, seen, parts);
	if (column.differs || wakes || (seen && seen->has & parts & VALUE_WAKES && seen->wakes))
		if (column.differs || parts)
			push(o->l, &column);
}

static void push_emit(struct layout *o)
{
	const struct step *s = step_of(o);
	uint64_t wakes = 0;
	bool found = false;

	o->run = o->used = o->ready = 0;
	if (s->interrupted)
		wakes = push_samples(o, s->count, &found);
	for (uint32_t i = 0; !s->interrupted && i < s->count; i += step_outputs(s))
		wakes += push_samples(o, step_outputs(s), &found);
	push_summary(o, wakes, found);
}

/* --- other steps */

static void fill_step(struct sight *sight, const struct layout *o, const struct value_store *st,
		      const struct value *v)
{
	uint32_t parts = VALUE_CODE | VALUE_NUMBERS | VALUE_LOST;

	if (o->differs)
		parts |= o->v->part & ~(uint32_t)VALUE_READINESS;
	if (v->has & VALUE_READINESS) {
		sight->looked = true;
		sight->readiness = v->readiness;
	}
	sight->consumed = v->has & VALUE_NUMBERS;
	write_text(sight, step_of(o), st, v, parts);
}

static void push_step(struct layout *o)
{
	const struct value *seen = seen_of(o);
	struct value predicted;
	struct column column;

	begin(o, &column, VALUE_NO_SAMPLE);
	value_store_clear(&o->w->store);
	model_step(&o->w->model, step_of(o), VALUE_NO_SAMPLE, &o->w->store, &predicted);
	fill_step(&column.by[SIDE_MODEL], o, &o->w->store, &predicted);
	if (seen && seen->has)
		fill_step(&column.by[SIDE_SEEN], o, &o->t->store, seen);
	column.differs = o->differs;
	if (o->differs)
		keep_after(o);
	push(o->l, &column);
}

void timeline_make(struct timeline *l, const struct wake_case *c, const struct trace *t,
		   struct verdict_workspace *w, const struct verdict *v)
{
	struct layout o = { .l = l, .t = t, .w = w, .v = v };
	/* The guess at an interruption that explains the trace best is the verdict's last. */
	enum moment moment = w->model.inner.moments[0], within = w->model.inner.moments[1];
	bool differs = v->kind == VERDICT_KERNEL || v->kind == VERDICT_EXPECTATION ||
		       v->kind == VERDICT_MISSING;

	memset(l, 0, sizeof(*l));
	l->wcase = c;
	for (uint32_t i = 0; t && i < c->nsteps; i++)
		l->seen |= t->seen[i].has != 0;
	model_init(&w->model, c, w->model.kernel, w->records);
	w->model.inner.moments[0] = moment;
	w->model.inner.moments[1] = within;
	for (o.step = 0; o.step < c->nsteps; o.step++) {
		o.differs = differs && o.step == v->step;
		if (c->steps[o.step].kind == STEP_EMIT)
			push_emit(&o);
		else
			push_step(&o);
	}
}
