/* SPDX-License-Identifier: GPL-2.0 */
/* Performs a case on the running kernel and records what was seen. Never sees a prediction. */
#ifndef PERFWAKE_RUNNER_H
#define PERFWAKE_RUNNER_H

#include "emitter.h"
#include "trace.h"
#include "witness.h"

/* Why a case could not be performed: a set-up matter, not a verdict. */
struct runner_error {
	uint32_t step;		/* index, or the number of steps for what is about the whole case */
	char reason[200];
};

/*
 * Perform @c with @e and fill in @t, which has room for it; @w counts the kernel's own wakes, where
 * it could be opened. Returns 0; -EINTR when runner_stop()
 * was called, with all finished steps recorded; another -errno with @err filled in.
 */
int runner_run(const struct wake_case *c, struct emitter *e, struct witness *w, struct trace *t,
	       struct runner_error *err);

/* End the running case in front of its next sample or step. May be called from a signal handler. */
void runner_stop(void);
bool runner_stopped(void);

#endif
