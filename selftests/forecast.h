/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which samples cross a threshold, where nobody knows which writer each is from: while none is refused, all
 * records have one length, and every order of them is the model's. Only how many there are counts.
 */
#ifndef PERFWAKE_FORECAST_H
#define PERFWAKE_FORECAST_H

#include "model.h"

struct forecast {
	struct model model;
	struct model_record *records;
	uint32_t size;		/* payload bytes of each sample */
	uint32_t samples;	/* so far, since the ring was mapped */
	uint32_t sure;		/* the last of them that crossed a threshold, from 1; 0: none */
	uint32_t may;		/* or may have done */
	uint32_t crossings;	/* over all mappings */
	bool near;		/* the sample before was near the byte rule's mark */
};

/* The ring, of one page and with that wakeup_events, is mapped anew. @p starts as zero, but for its size. */
void forecast_begin(struct forecast *p, uint32_t wakeup_events);

/* There are that many samples now. */
void forecast_to(struct forecast *p, uint32_t samples);

void forecast_end(struct forecast *p);

#endif
