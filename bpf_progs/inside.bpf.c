// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at a ring while an output to it is under way, as a reader would: through the mapping of the
 * task that emits. And nests outputs three deep: in a task, in the timer's interrupt, in a kprobe.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "inside.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} slots SEC(".maps");

struct inside_io io;
__u64 payload;

static __always_inline int emit(void *ctx)
{
	return bpf_perf_event_output(ctx, &slots, 0, &payload, sizeof(payload));
}

static __always_inline int read_head(__u64 *head)
{
	return bpf_probe_read_user(head, sizeof(*head), (const void *)io.head);
}

/* Run by BPF_PROG_TEST_RUN. */
SEC("raw_tp/sys_enter")
int inside_first(void *ctx)
{
	for (__u32 i = 0; i < 64; i++) {
		int code;

		if (i >= io.count)
			break;
		io.in_first = 1;
		code = emit(ctx);
		io.in_first = 0;
		if (code) {
			io.refused++;
			io.code = code;
		}
	}
	return 0;
}

SEC("raw_tp/hrtimer_expire_entry")
int inside_second(void *ctx)
{
	int code;

	/* Everything is on CPU 0. */
	if (!io.from_timer || !io.in_first || io.in_second || bpf_get_smp_processor_id())
		return 0;
	io.in_second = 1;
	code = emit(ctx);
	io.in_second = 0;
	io.seconds++;
	if (code)
		io.second_code = code;
	return 0;
}

/* The record has its space, nothing is in it yet. */
SEC("kprobe/perf_output_sample")
int inside_sample(struct pt_regs *ctx)
{
	if (!io.in_first || bpf_get_smp_processor_id())
		return 0;
	if (io.head && !read_head(&io.at_sample))
		io.samples++;
	if (io.nested && !io.nested_done) {
		io.nested_done = 1;
		io.nested_code = emit(ctx);
	}
	if (io.in_second) {
		int code = emit(ctx);

		io.thirds++;
		if (code)
			io.third_code = code;
	}
	return 0;
}

SEC("kprobe/perf_output_end")
int inside_end(struct pt_regs *ctx)
{
	(void)ctx;
	if (io.in_first && io.head && !bpf_get_smp_processor_id() && !read_head(&io.at_end))
		io.ends++;
	return 0;
}

/* What calls the pollers; user space says which function that is in this kernel. */
SEC("kprobe")
int inside_wake(struct pt_regs *ctx)
{
	__u64 head;

	if (!io.head || bpf_get_smp_processor_id())
		return 0;
	if (!io.work)
		io.work = PT_REGS_PARM1(ctx);
	if (io.work != PT_REGS_PARM1(ctx))
		return 0;	/* somebody else's event */
	if (read_head(&head)) {
		io.elsewhere++;
		return 0;
	}
	if (io.wakes < INSIDE_WAKES)
		io.at_wake[io.wakes] = head;
	io.wakes++;
	return 0;
}
