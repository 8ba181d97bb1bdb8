/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict: replays a trace's steps on the model and finds the first difference. It finds; the
 * reports word.
 */
#ifndef PERFWAKE_VERDICT_H
#define PERFWAKE_VERDICT_H

#include "model.h"
#include "trace.h"

enum verdict_kind {
	VERDICT_UNJUDGED,	/* nothing was compared: a failure */
	VERDICT_PROVED,
	VERDICT_KERNEL,		/* the kernel did not do what the model says */
	VERDICT_EXPECTATION,	/* the model does not say what the person expects */
	VERDICT_DEFECT,		/* the kernel did what its known defects do, and nothing worse */
	VERDICT_MISSING,	/* the trace does not say what this step showed */
};

/* The rule that a difference breaks: chapters of KERNEL_RULES. */
enum rule {
	RULE_NONE,
	RULE_COUNT,		/* K1: a wake for wakeup_events samples */
	RULE_BYTES,		/* K1: a wake for more than the watermark produced */
	RULE_NO_CROSSING,	/* K1, K2: no wake without a crossing */
	RULE_FLAG,		/* K4: one flag, taken by the first look */
	RULE_SPACE,		/* K1, K5: refused when, and only when, there is no room */
	RULE_LOST,		/* K5: LOST records tell of every refused sample */
	RULE_CODES,		/* K6: return codes */
	RULE_CONTENT,		/* K7: every number once, in order, whole */
	RULE_HEAD,		/* K7: the head moves by the records' lengths */
	RULE_WITNESS,		/* K1: the kernel's own count of wakes, where the reader saw nothing wrong */
	RULE_HANG_UP,		/* K10: hang-up while, and only while, there is no ring */
	RULES
};

struct verdict {
	enum verdict_kind kind;
	enum rule rule;
	uint32_t step;		/* index of the step that differs */
	uint32_t part;		/* enum value_part that differs; 0 where a part is missing */
	uint32_t sample;	/* number of the sample, or VALUE_NO_SAMPLE */
	struct value predicted;	/* of that step, in the workspace's store */
	struct model_event before;	/* the model's event in front of that sample or step */
	struct model_ring before_ring;	/* and the ring that it writes to, if before.output says one */
	uint32_t moment;	/* enum moment: the guess that explains most, where a sample was interrupted */
	uint32_t defects;	/* VERDICT_DEFECT: enum model_defect bits */
	uint64_t judged;	/* outputs, looks, consumes and changes compared until then */
};

/* Memory of the caller's that a verdict works in. */
struct verdict_workspace {
	struct model model;
	struct model_record *records;	/* model_records() of them */
	struct value_store store;	/* trace_capacity() entries: one step's prediction */
};

/* Judge a recorded trace: every step of a valid case, against model and expectations. */
void verdict_trace(const struct trace *t, struct verdict_workspace *w, struct verdict *v);

/* Judge the expectations of a valid case alone, as can be done without a kernel. */
void verdict_expectations(const struct wake_case *c, struct verdict_workspace *w,
			  struct verdict *v);

#endif
