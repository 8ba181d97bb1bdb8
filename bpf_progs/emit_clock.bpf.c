// SPDX-License-Identifier: GPL-2.0
/*
 * Run by the interrupt of a CPU clock event: emits one sample each time, wherever that interrupts the
 * thread that the event belongs to, also in the output of the program that emits from process context.
 */
#include <linux/bpf_perf_event.h>

#include "emit.bpf.h"

struct emit_io io;

SEC("perf_event")
int emit_clock(struct bpf_perf_event_data *ctx)
{
	emit_samples(ctx, &io, SAMPLE_HARDIRQ);
	return 0;
}
