/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A case laid out in time, for reports that draw: column by column what the model says and what was
 * seen. It decides nothing: where the first difference lies it is told by the verdict.
 */
#ifndef PERFWAKE_TIMELINE_H
#define PERFWAKE_TIMELINE_H

#include "trace_file.h"

/* Of a long case the beginning is kept, and what lies around the difference (or the end). */
#define TIMELINE_HEAD		24u
#define TIMELINE_BEFORE		24u
#define TIMELINE_AFTER		16u
#define TIMELINE_COLUMNS	(TIMELINE_HEAD + TIMELINE_BEFORE + TIMELINE_AFTER)
#define TIMELINE_TEXT		44	/* bytes, with the closing zero */

enum side {
	SIDE_MODEL,
	SIDE_SEEN,
	SIDES
};

/* What one side says of one column. */
struct sight {
	bool said;		/* anything at all */
	bool looked;		/* and found @readiness */
	bool consumed;
	enum code code;		/* of an output */
	enum readiness readiness;
	char text[TIMELINE_TEXT];	/* what was consumed, what a call returned, or "" */
};

/* Samples one after the other that show the same, or one other step. */
struct column {
	uint32_t step;
	uint32_t sample;	/* number of the first, or VALUE_NO_SAMPLE */
	uint32_t count;		/* of samples */
	struct sight by[SIDES];
	uint32_t crossing;	/* by the model: enum model_cause bits of the rules that this sample met */
	bool owed;		/* a crossing of which no wake came (K8a) */
	bool differs;		/* the first difference */
};

struct timeline {
	const struct wake_case *wcase;
	bool seen;		/* anything was: a trace, not a case */
	struct column columns[TIMELINE_COLUMNS];
	uint32_t ncolumns;
	uint32_t left_out;	/* columns between the head and what follows */
	uint32_t rest;		/* columns behind the last */
	bool marked;		/* one of them differs */
	/* The model's ring behind the difference, as verdict.before_ring is in front of it. */
	bool has_after;
	struct model_ring after;
};

/*
 * Lay out @c with what was seen in @t (NULL: nothing). @v is what the verdict in @w found; the
 * store of @w, which v->predicted points into, is used up.
 */
void timeline_make(struct timeline *l, const struct wake_case *c, const struct trace *t,
		   struct verdict_workspace *w, const struct verdict *v);

#endif
