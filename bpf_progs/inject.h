/* SPDX-License-Identifier: GPL-2.0 */
/* What user space and the interrupting BPF programs share. Includes nothing, as sample.h. */
#ifndef PERFWAKE_INJECT_H
#define PERFWAKE_INJECT_H

#include "sample.h"

#define INJECT_MAX		3	/* samples of one interruption */
#define INJECT_PEEK_BYTES	16
#define INJECT_WATCHED		4	/* addresses in a row, as many as a CPU has debug registers */
#define INJECT_MAX_BYTES	4096	/* payload of each */

struct inject_io {
	/* inputs, for each interruption; @armed last */
	__u64 flags;		/* of the helper: the slot */
	__u32 size;		/* payload bytes, up to INJECT_MAX_BYTES */
	__u32 count;		/* samples, up to INJECT_MAX */
	__u32 number;		/* of the first */
	__u32 ring;
	__u32 skip;		/* visits of the place to let pass */
	__u32 armed;
	__u32 twice;		/* the second sample interrupts the first one, at a breakpoint */
	__u32 watching;		/* instead: who comes by is counted, and not interrupted */
	__u64 address;		/* of the place, the first that is watched */
	__u64 peek;		/* an address of the kernel */
	/* outputs; user space clears the counts */
	__u32 visits;		/* of the place, since then */
	__u32 fired;		/* interruptions, since then */
	__u32 fired_within;	/* of the first sample */
	/* state */
	__u32 within;		/* the first sample is under way */
	__u32 watched[INJECT_WATCHED];	/* visits of each address */
	__s64 codes[INJECT_MAX];
	__s64 peeked;		/* what reading it returned */
	__u8 bytes[INJECT_PEEK_BYTES];
	union {
		struct sample sample;
		__u8 payload[INJECT_MAX_BYTES];
	} samples[INJECT_MAX];
};

#endif
