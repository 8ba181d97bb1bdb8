/* SPDX-License-Identifier: GPL-2.0 */
/* What selftests/inside and its BPF programs share. The includer brings the __u types. */
#ifndef PERFWAKE_INSIDE_H
#define PERFWAKE_INSIDE_H

#define INSIDE_WAKES 8

struct inside_io {
	/* inputs */
	__u64 head;		/* where the emitting task has data_head mapped; 0: nobody looks there */
	__u32 count;		/* samples that one run of the first program emits */
	__u32 nested;		/* once in each run, as soon as a record has its space, emit another one */
	__u32 from_timer;	/* within the first program's outputs, emit from the timer's interrupt */
	/* outputs */
	__u32 refused;		/* outputs of the first program, and the last code among them */
	__s32 code;
	__u64 at_sample, at_end;	/* data_head before content is written, and before it is published */
	__u32 samples, ends;		/* how often that was looked at */
	__u64 at_wake[INSIDE_WAKES];	/* data_head when pollers are called */
	__u32 wakes, elsewhere;		/* calls in the emitting task's context, and others */
	__u32 nested_done;
	__s32 nested_code;
	__u32 seconds, thirds;		/* outputs two and three levels deep */
	__s32 second_code, third_code;	/* the last that was not 0 */
	/* state */
	__u32 in_first, in_second;
	__u64 work;			/* of the event whose pollers are called; 0: the next one is it */
};

#endif
