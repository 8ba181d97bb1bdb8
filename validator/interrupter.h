/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Real interrupts that emit into the ring that a busy writer is emitting to, wherever they meet it. They
 * come from the test module's timer, and are NMIs as well then, where the emitter is the module's; else from
 * a CPU clock event of the calling thread, which every kernel has.
 */
#ifndef PERFWAKE_INTERRUPTER_H
#define PERFWAKE_INTERRUPTER_H

#include "emitter.h"

struct emit_clock_bpf;

struct interrupter {
	struct emitter *e;		/* the writer's: EMITTER_MODULE or EMITTER_TEST_RUN, the caller's */
	struct emit_clock_bpf *clock;	/* without the module */
	int fd;				/* of the clock event, or -1 */
	volatile struct emit_io *io[SAMPLE_CONTEXTS];	/* NULL: nothing comes from there */
};

/*
 * From now on samples of sizeof(struct sample) bytes go to slot 0, with numbers of their own, from 0 in
 * each context. Returns 0 or -errno; interrupter_close() accepts what is left then, and does not close @e.
 */
int interrupter_open(struct interrupter *in, struct emitter *e);
void interrupter_close(struct interrupter *in);

/*
 * Interrupt this thread, which is pinned to @cpu, about every @interval_ns, from each of @contexts in turn.
 * @seed varies the module's intervals. Returns 0 or -errno: -EOPNOTSUPP for an NMI without the module.
 */
int interrupter_start(struct interrupter *in, uint32_t cpu, uint32_t contexts, uint32_t interval_ns,
		      uint32_t seed);
int interrupter_stop(struct interrupter *in);

/* Up to SAMPLE_BATCH outputs of process context, with nothing between them. 0 or -errno. */
int interrupter_burst(struct interrupter *in, uint32_t count);

/* What was output from @context so far, refused outputs included, and without them. */
uint32_t interrupter_outputs(const struct interrupter *in, enum sample_context context);
uint32_t interrupter_accepted(const struct interrupter *in, enum sample_context context);

#endif
