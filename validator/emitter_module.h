/* SPDX-License-Identifier: GPL-2.0 */
/* The part of the emitter that works through the test module (selftests/kmod); see emitter.h. */
#ifndef PERFWAKE_EMITTER_MODULE_H
#define PERFWAKE_EMITTER_MODULE_H

#include "emitter.h"

#define EMITTER_MODULE_DEVICE "/dev/perfwake_test"

/* For emitter_open() and emitter_close(). 0, or -errno with @e->failed saying at what. */
int emitter_module_open(struct emitter *e, uint32_t slots);
void emitter_module_close(struct emitter *e);

/*
 * Make the programs of @contexts run once each, within one another, on the CPU that the thread is on; their
 * variables are prepared. 0 or -errno, -EIO when a context or a nesting was not what was asked for.
 */
int emitter_module_fire(struct emitter *e, uint32_t contexts);

/* emitter_emit_from(), but for late wakes. */
int emitter_module_emit(struct emitter *e, uint32_t contexts, uint64_t flags, uint32_t ring,
			uint32_t size, int codes[SAMPLE_CONTEXTS]);

/* Fire @count times from process context on this CPU. 0 or -errno. */
int emitter_module_burst(struct emitter *e, uint32_t count);

/*
 * Fire from a timer's interrupt and from NMIs in turn (@contexts) on @cpu about every @interval_ns; 0 stops
 * it. @seed varies the intervals. Returns 0 or -errno.
 */
int emitter_module_timer(struct emitter *e, uint32_t cpu, uint32_t contexts, uint32_t interval_ns,
			 uint32_t seed);

#endif
