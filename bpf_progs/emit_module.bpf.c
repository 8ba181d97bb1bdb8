// SPDX-License-Identifier: GPL-2.0
/*
 * Attached to the test module's tracepoint (selftests/kmod), which says in which context it fires: one
 * program and one variable for each, since an output may be interrupted by that of another context, and a
 * program does not run within itself.
 */
#include "emit.bpf.h"

struct emit_io io[SAMPLE_CONTEXTS];

static __always_inline int emit_from(struct bpf_raw_tracepoint_args *ctx, enum sample_context context)
{
	if (ctx->args[0] == context)
		emit_samples(ctx, &io[context], context);
	return 0;
}

SEC("raw_tp/perfwake_fire")
int emit_process(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_from(ctx, SAMPLE_PROCESS);
}

SEC("raw_tp/perfwake_fire")
int emit_softirq(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_from(ctx, SAMPLE_SOFTIRQ);
}

SEC("raw_tp/perfwake_fire")
int emit_hardirq(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_from(ctx, SAMPLE_HARDIRQ);
}

SEC("raw_tp/perfwake_fire")
int emit_nmi(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_from(ctx, SAMPLE_NMI);
}
