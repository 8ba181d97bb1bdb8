// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts a writer: one program, run when an instruction of the kernel is reached, either by a
 * hardware breakpoint there or by a kprobe. It emits into the ring that is being written to.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "inject.h"

char LICENSE[] SEC("license") = "GPL";

/* The emitter's own array: the loader puts it in the place of this one. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, SAMPLE_SLOTS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} slots SEC(".maps");

struct inject_io inject;

/* @i is a constant at each call, so that the verifier of 5.10 sees what is written where. */
static __always_inline void interrupt_once(void *ctx, __u32 i)
{
	__u64 size = inject.size;

	if (i >= inject.count || size > INJECT_MAX_BYTES)
		return;
	inject.samples[i].sample.number = inject.number + i;
	inject.samples[i].sample.cpu = bpf_get_smp_processor_id();
	inject.samples[i].sample.ring = inject.ring;
	inject.samples[i].sample.context = SAMPLE_NESTED;
	inject.codes[i] = bpf_perf_event_output(ctx, &slots, inject.flags, &inject.samples[i], size);
}

static __always_inline void passed(__u64 ip)
{
	__u64 i = ip - inject.address;

	if (inject.watching && i < INJECT_WATCHED)
		inject.watched[i]++;
}

static __always_inline int reached(void *ctx)
{
	if (!inject.armed)
		return 0;
	if (inject.visits++ != inject.skip)
		return 0;
	inject.fired++;
	inject.within = inject.twice;
	interrupt_once(ctx, 0);
	inject.within = 0;
	if (inject.twice)
		return 0;
	interrupt_once(ctx, 1);
	interrupt_once(ctx, 2);
	return 0;
}

/* Run by BPF_PROG_TEST_RUN: the kernel's text at an address. */
SEC("raw_tp/sys_enter")
int inject_peek(void *ctx)
{
	inject.peeked = bpf_probe_read_kernel(inject.bytes, sizeof(inject.bytes),
					      (const void *)inject.peek);
	return 0;
}

SEC("perf_event")
int inject_breakpoint(struct bpf_perf_event_data *ctx)
{
	passed(PT_REGS_IP(&ctx->regs));
	return inject.twice ? 0 : reached(ctx);
}

/* Of the breakpoints that only watch. */
SEC("perf_event")
int inject_watch(struct bpf_perf_event_data *ctx)
{
	passed(PT_REGS_IP(&ctx->regs));
	return 0;
}

SEC("kprobe")
int inject_kprobe(struct pt_regs *ctx)
{
	/* There is one, and where the registers say it is differs between kernels. */
	passed(inject.address);
	return reached(ctx);
}

/*
 * A breakpoint that interrupts the sample of a kprobe: its own program does not run within another one
 * of such a kind, but one that is attached to the function that breakpoints come to does.
 */
SEC("fentry/perf_bp_event")
int inject_within(void *ctx)
{
	if (!inject.within)
		return 0;
	inject.within = 0;
	inject.fired_within++;
	interrupt_once(ctx, 1);
	return 0;
}
