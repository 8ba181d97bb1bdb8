/* SPDX-License-Identifier: GPL-2.0 */
/* What the two halves of the runner share: runner.c has a case's rings, runner_step.c its steps. */
#ifndef PERFWAKE_RUNNER_INNER_H
#define PERFWAKE_RUNNER_INNER_H

#include "ring.h"
#include "runner.h"
#include "seen.h"

struct runner {
	const struct wake_case *c;
	struct emitter *e;
	struct witness *w;		/* or NULL */
	struct injector *in;		/* or NULL */
	struct trace *t;
	struct runner_error *err;
	struct consumers *all;		/* that rings can be read by */
	struct consumers own;		/* where the caller gave none */
	struct ring rings[CASE_MAX_RINGS];
	struct consumer *consumers[CASE_MAX_RINGS];	/* that read them; NULL: not open */
	uint32_t slots[CASE_MAX_RINGS];	/* that they lie in */
	int overflows[CASE_MAX_RINGS];	/* events that write to them too, or -1 */
	struct emitted *emitted;	/* one for each number of the case */
	uint32_t number;		/* of the next sample */
	struct seen_list held;		/* by looks of consumers that cannot but read at once */
	uint32_t cpu;			/* that it is pinned to, CASE_MAX_CPUS: none */
	uint32_t *passed;		/* of runner_scout(), or NULL */
};

/* Say why in the caller's error. Returns @ret. */
int __attribute__((format(printf, 3, 4)))
runner_fail(struct runner *r, int ret, const char *fmt, ...);

/*
 * Perform step @s of an open runner and fill in @v. Returns 0, -EINTR when the runner was stopped, or
 * another -errno with the error said.
 */
int runner_perform(struct runner *r, const struct step *s, struct value *v);

#endif
