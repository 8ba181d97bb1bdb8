// SPDX-License-Identifier: GPL-2.0
/*
 * The second witness: counts the kernel's own calls of perf_event_wakeup() for descriptors that user
 * space names by their ids. By fentry where the kernel has it: a kprobe's program does not run while
 * that of another tracepoint or kprobe does on the same CPU.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "sample.h"

char LICENSE[] SEC("license") = "GPL";

struct perf_event {
	__u64 id;
} __attribute__((preserve_access_index));

/* Descriptor's id to slot. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLE_SLOTS);
	__type(key, __u64);
	__type(value, __u32);
} watched SEC(".maps");

/* output: calls since load, for each slot */
__u64 wakes[SAMPLE_SLOTS];

static __always_inline int count(struct perf_event *event)
{
	__u64 id = BPF_CORE_READ(event, id);
	__u32 *slot = bpf_map_lookup_elem(&watched, &id);

	if (slot && *slot < SAMPLE_SLOTS)
		__sync_fetch_and_add(&wakes[*slot], 1);
	return 0;
}

SEC("fentry/perf_event_wakeup")
int BPF_PROG(wake_fentry, struct perf_event *event)
{
	return count(event);
}

SEC("kprobe/perf_event_wakeup")
int BPF_KPROBE(wake_kprobe, struct perf_event *event)
{
	return count(event);
}
