/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbered record, and what user space and the emitting BPF programs share. Includes nothing:
 * the includer brings the __u types (linux/types.h).
 */
#ifndef PERFWAKE_SAMPLE_H
#define PERFWAKE_SAMPLE_H

#define SAMPLE_SLOTS		64	/* entries of the perf event array, one a ring */
#define SAMPLE_BATCH		64	/* samples that one run of a program can emit */
#define SAMPLE_MAX_BYTES	65524	/* the largest payload that can be asked for */

/* Where an output was made; each can interrupt those in front of it. */
enum sample_context {
	SAMPLE_PROCESS,
	SAMPLE_SOFTIRQ,
	SAMPLE_HARDIRQ,
	SAMPLE_NMI,
	SAMPLE_CONTEXTS,
	SAMPLE_NESTED = SAMPLE_CONTEXTS,	/* wherever, within the output of another sample */
	SAMPLE_OVERFLOW,	/* process context, by another event: no struct sample, see overflow.h */
};

/*
 * The payload's front. The number comes first, so that even a payload of 4 bytes carries it; what is
 * behind sizeof(struct sample) user space fills in.
 */
struct sample {
	__u32 number;		/* counts outputs over all rings, refused ones included */
	__u16 cpu;		/* that emitted it */
	__u8 ring;
	__u8 context;		/* enum sample_context */
};

_Static_assert(sizeof(struct sample) == 8, "samples of 8 bytes have to carry all of it");

/* A variable of each emitting program: user space writes inputs, the program the rest. */
struct emit_io {
	/* inputs, for each run */
	__u64 flags;		/* of the helper: the slot, or BPF_F_CURRENT_CPU */
	__u32 size;		/* payload bytes, up to SAMPLE_MAX_BYTES */
	__u32 ring;
	__u32 count;		/* samples, up to SAMPLE_BATCH */
	/* outputs */
	__u32 runs;		/* samples tried since load */
	__u32 accepted;		/* how many of them were not refused */
	__s64 codes[SAMPLE_BATCH];	/* what the helper returned for each */
	/* state */
	__u32 number;		/* of the next sample */
	union {
		struct sample sample;
		__u8 payload[SAMPLE_MAX_BYTES + 4];
	};
};

#endif
