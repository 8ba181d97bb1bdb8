/* SPDX-License-Identifier: GPL-2.0 */
/* Performs a case on the running kernel and records what was seen. Never sees a prediction. */
#ifndef PERFWAKE_RUNNER_H
#define PERFWAKE_RUNNER_H

#include "consumer.h"
#include "emitter.h"
#include "injector.h"
#include "trace.h"
#include "witness.h"

/* Why a case could not be performed: a set-up matter, not a verdict. */
struct runner_error {
	uint32_t step;		/* index, or the number of steps for what is about the whole case */
	uint32_t visits;	/* of the place to interrupt at, interrupted or not */
	char reason[200];
};

/* What a case is performed with; the caller opens and closes them. */
struct instruments {
	struct emitter emitter;
	struct witness witness;		/* counts the kernel's own wakes, where it could be opened */
	int anchor;			/* of ring_open_anchor(), for speed alone, or negative */
	struct injector injector;	/* for cases that interrupt a sample; elsewhere it may be closed */
	struct consumers *consumers;	/* by whom rings are read; NULL: all by our own reader */
};

/*
 * Perform @c with @with and fill in @t, which has room for it. Returns 0; -EINTR when runner_stop()
 * was called, with all finished steps recorded. The thread stays on the CPU where it emitted last: going
 * home after each case costs more than the case. -ENXIO when a place to interrupt at was not reached,
 * or another -errno, with @err filled in.
 */
int runner_run(const struct wake_case *c, struct instruments *with, struct trace *t,
	       struct runner_error *err);

/*
 * The same for a case that is performed over and over, by one thread that does not leave its CPU: each
 * runner_again() maps the rings anew, clears the trace, and performs the case. Its rings must be our own
 * reader's, and it must change them by no other steps than pause and resume. runner_close()
 * accepts NULL.
 */
struct runner;
int runner_open(struct runner **r, const struct wake_case *c, struct instruments *with,
		struct trace *t, struct runner_error *err);
int runner_again(struct runner *r);

/*
 * The same up to the sample that the case interrupts, which is not: @passed says which of the addresses
 * that the injector watches it came by, from the lowest bit on. The trace is not whole then.
 */
int runner_scout(struct runner *r, uint32_t *passed);
void runner_close(struct runner *r);

/* End the running case in front of its next sample or step. May be called from a signal handler. */
void runner_stop(void);
bool runner_stopped(void);

#endif
