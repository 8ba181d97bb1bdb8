// SPDX-License-Identifier: GPL-2.0
/*
 * Run by BPF_PROG_TEST_RUN, which runs a raw tracepoint program on the calling CPU before it returns;
 * never attached.
 */
#include "emit.bpf.h"

struct emit_io io;

SEC("raw_tp/sys_enter")
int emit_test_run(void *ctx)
{
	emit_samples(ctx, &io, SAMPLE_PROCESS);
	return 0;
}
