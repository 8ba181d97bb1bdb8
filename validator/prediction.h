/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an author of a tracing tool wants to know of a threshold: where it wakes a reader that drains
 * the ring at every wake and only then, and what can sit unseen.
 */
#ifndef PERFWAKE_PREDICTION_H
#define PERFWAKE_PREDICTION_H

#include <stdio.h>

#include "case.h"

#define PREDICTION_SHOWN 16	/* wakes that are listed one by one */

struct prediction_input {
	struct ring_spec ring;
	uint32_t size;		/* payload bytes of each sample */
	uint32_t samples;	/* to emit */
};

struct prediction {
	uint32_t record_bytes;	/* a sample in the ring */
	uint32_t fits;		/* samples that an empty ring takes */
	uint64_t watermark;	/* bytes, the one in force */
	uint32_t wakes;		/* in all */
	uint32_t by_count;	/* of them, raised by the count rule */
	uint32_t by_bytes;	/* raised by the byte rule; both can raise one wake */
	uint32_t at[PREDICTION_SHOWN];	/* the first wakes' samples, numbered from 0 */
	uint32_t unseen;	/* most samples that lie in the ring while no wake tells of them */
	uint32_t refused;
	bool stuck;		/* full with no wake: nothing will wake this reader any more */
};

/* Returns 0 or -ENOMEM. */
int prediction_make(const struct prediction_input *in, struct prediction *p);

void prediction_write(FILE *out, const struct prediction_input *in, const struct prediction *p);

#endif
