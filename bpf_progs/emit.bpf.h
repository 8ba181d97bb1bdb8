/* SPDX-License-Identifier: GPL-2.0 */
/* What every emitting program does; the .bpf.c files differ in how they are run. */
#ifndef PERFWAKE_EMIT_BPF_H
#define PERFWAKE_EMIT_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "sample.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, SAMPLE_SLOTS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} slots SEC(".maps");

/* One sample. A plain increment numbers it: one thread emits, and 5.10 has no fetch-and-add. */
static __always_inline void emit_sample(void *ctx, struct emit_io *io, enum sample_context context,
					__u32 i)
{
	__u64 size = io->size;

	io->runs++;
	io->sample.number = io->number++;
	io->sample.cpu = bpf_get_smp_processor_id();
	io->sample.ring = io->ring;
	io->sample.context = context;
	if (size > SAMPLE_MAX_BYTES) /* for the verifier; user space asks for no more */
		return;
	io->codes[i] = bpf_perf_event_output(ctx, &slots, io->flags, io->payload, size);
	if (!io->codes[i])
		io->accepted++;
}

static __always_inline void emit_samples(void *ctx, struct emit_io *io, enum sample_context context)
{
	for (__u32 i = 0; i < SAMPLE_BATCH; i++) {
		if (i >= io->count)
			break;
		emit_sample(ctx, io, context, i);
	}
}

#endif
