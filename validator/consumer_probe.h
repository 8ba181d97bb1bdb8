/* SPDX-License-Identifier: GPL-2.0 */
/* What consumers do that no case can express: one probe for each question, through their interface. */
#ifndef PERFWAKE_CONSUMER_PROBE_H
#define PERFWAKE_CONSUMER_PROBE_H

#include "consumer.h"
#include "emitter.h"

enum answer {
	ANSWER_NONE,		/* the probe did not work: a failure */
	ANSWER_YES,
	ANSWER_NO,		/* not offered */
	ANSWER_ELSE,		/* offered, and done otherwise: has to be a known deviation */
	ANSWER_NOT_ASKED,	/* the question makes no sense for this consumer */
};

struct probe {
	const char *id;
	const char *text;	/* the behaviour, as a row of a table */
	enum answer (*ask)(struct consumer *c, struct emitter *e);
};

/* All of them; ends with a NULL id. */
extern const struct probe probes[];

#endif
