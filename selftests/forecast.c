// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "forecast.h"

/*
 * A wake of the count moves the byte rule's mark by one byte. Of samples within one another, of which the
 * outer one is counted last, so many may be counted sooner or later than one after the other; then
 * the byte rule's step is taken one sample sooner or later as well, and that is no defect.
 */
#define NEAR_BYTES 3

void forecast_begin(struct forecast *p, uint32_t wakeup_events)
{
	struct wake_case c = {
		.rings[0] = { .pages = 1, .threshold = wakeup_events, .declared = true },
	};

	if (!p->records)
		p->records = calloc(model_records(&c), sizeof(*p->records));
	model_init(&p->model, &c, model_kernel(0), p->records);
	p->samples = p->sure = p->may = 0;
	p->near = false;
}

static void forecast_one(struct forecast *p)
{
	struct model_ring *r = &p->model.rings[0];
	uint64_t wakes = p->model.events[0].wakes, wakeup = r->wakeup;
	struct model_record record;
	bool near_mark, in_doubt;
	int64_t above;

	model_emit(&p->model, 0, 0, p->size);
	while (model_consume(r, &record))
		;
	p->samples++;
	above = (int64_t)(r->head - wakeup - r->watermark);
	near_mark = above > -NEAR_BYTES && above <= NEAR_BYTES;
	in_doubt = near_mark || p->near;
	p->near = near_mark;
	if (in_doubt)
		p->may = p->samples;
	if (p->model.events[0].wakes == wakes)
		return;
	p->crossings++;
	p->may = p->samples;
	/* The count has just begun anew: that crossing is sure, whatever the other rule does. */
	if (!r->events || !in_doubt)
		p->sure = p->samples;
}

void forecast_to(struct forecast *p, uint32_t samples)
{
	while (p->samples < samples)
		forecast_one(p);
}

void forecast_end(struct forecast *p)
{
	free(p->records);
	p->records = NULL;
}
