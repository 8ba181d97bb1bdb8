// SPDX-License-Identifier: GPL-2.0
/* Attached to a system call's tracepoint: emits one sample for each getppid() of one thread. */
#include "emit.bpf.h"

struct emit_io io;

/* Fixed at load: other threads of the machine are none of our business. */
const volatile __u32 emitting_thread;

SEC("tp/syscalls/sys_enter_getppid")
int emit_attached(void *ctx)
{
	if ((__u32)bpf_get_current_pid_tgid() == emitting_thread)
		emit_samples(ctx, &io, SAMPLE_PROCESS);
	return 0;
}
