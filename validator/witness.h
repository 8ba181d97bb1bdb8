/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The second witness: how often the kernel itself called perf_event_wakeup() for a descriptor,
 * counted by a BPF program where the kernel has fentry or kprobes.
 */
#ifndef PERFWAKE_WITNESS_H
#define PERFWAKE_WITNESS_H

#include "emitter.h"

struct witness_bpf;

struct witness {
	struct witness_bpf *bpf;	/* NULL: there is none */
	const char *by;			/* "fentry" or "kprobe" */
	const char *missing;		/* why there is none */
};

/*
 * Load and attach, and see it count one wake raised by @e, in whose slot 0 nothing may lie. Returns 0,
 * or -errno with @w->missing saying why and nothing held; witness_close() accepts that.
 */
int witness_open(struct witness *w, struct emitter *e);
void witness_close(struct witness *w);

/* Count for descriptor @fd as @slot from now on; witness_forget() ends that. 0 or -errno. */
int witness_watch(struct witness *w, uint32_t slot, int fd);
void witness_forget(struct witness *w, int fd);

/* Calls counted for @slot since witness_open(). */
uint64_t witness_wakes(const struct witness *w, uint32_t slot);

#endif
