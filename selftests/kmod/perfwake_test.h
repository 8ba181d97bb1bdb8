/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What user space asks of the test module: the ioctls of /dev/perfwake_test. Includes nothing: the
 * includer brings linux/types.h, linux/ioctl.h and the sample's layout (bpf_progs/sample.h).
 */
#ifndef PERFWAKE_TEST_H
#define PERFWAKE_TEST_H

#define PERFWAKE_TEST_DEVICE	"perfwake_test"
#define PERFWAKE_TEST_TRACEPOINT "perfwake_fire"	/* its one argument is an enum sample_context */
#define PERFWAKE_TEST_COUNT_MAX	(1u << 20)

/*
 * Fire the tracepoint @count times from each of @contexts. With several of them each firing is a
 * nesting, outermost first in the order of enum sample_context: the inner context is entered while
 * the outer one's output lies between perf_output_begin() and perf_output_sample(), so it has its room
 * in the ring, and neither its content nor its count. Where the outer output never gets so far, because
 * it is refused, the inner ones follow behind it, still in front of the outer context's end.
 *
 * Returns 0; -EINVAL for values out of range; -ENXIO for a CPU that is not online; -EOPNOTSUPP for
 * what this kernel cannot do (softirq within process on PREEMPT_RT, nesting without kprobes, NMI with
 * FRED); -ETIMEDOUT when a context was not entered within a second.
 */
struct perfwake_fire {
	/* in */
	__u32 cpu;
	__u32 contexts;		/* bits 1 << enum sample_context */
	__u32 count;		/* up to PERFWAKE_TEST_COUNT_MAX */
	/* out, by the context that the kernel itself said it was in */
	__u32 fired[SAMPLE_CONTEXTS];
	__u32 inside[SAMPLE_CONTEXTS];	/* of these: while the next outer output was in the writer */
};

/*
 * Fire from a timer's hard interrupt on @cpu, about every @interval_ns, until the next such call
 * or until the device is closed; 0 only stops. Each tick fires from one of @contexts in turn: the
 * interrupt itself, or an NMI raised at its beginning. Returns 0, -EINVAL, -ENXIO or -EOPNOTSUPP.
 */
struct perfwake_timer {
	__u32 cpu;
	__u32 contexts;		/* of SAMPLE_HARDIRQ and SAMPLE_NMI */
	__u32 interval_ns;	/* each tick varies it by up to half, as @seed has it */
	__u32 seed;
	__u32 fired[SAMPLE_CONTEXTS];	/* out: by the timer that this call has stopped */
};

#define PERFWAKE_TEST_FIRE	_IOWR('w', 1, struct perfwake_fire)
#define PERFWAKE_TEST_TIMER	_IOWR('w', 2, struct perfwake_timer)

#endif
