// SPDX-License-Identifier: GPL-2.0
/*
 * Firing the tracepoint from a context, or from several within one another, always on the CPU asked for:
 *   hardirq  an irq_work, which the kernel delivers by an interrupt to the own CPU
 *   softirq  a tasklet that such an irq_work schedules, so that it runs when that interrupt ends
 *   NMI      see contexts.c
 *
 * How the outer output comes to be interrupted within the writer: a kprobe at perf_output_sample(), which
 * __perf_event_output() calls behind perf_output_begin(), enters the next context. Its handler runs
 * with interrupts off, so that an interrupt raised there comes right behind the probed instruction;
 * an NMI comes at once.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "module.h"

#define CREATE_TRACE_POINTS
#include "perfwake_trace.h"

#define WRITER_SYMBOL	"perf_output_sample"
#define DEADLINE_MS	1000

/*
 * One nesting, or one firing where contexts has one bit. Written on its CPU only, by contexts that
 * interrupt one another there, so plain loads and stores do; the ioctl waits on the same CPU.
 */
static struct shot {
	unsigned int cpu;
	u32 contexts;		/* 0: nothing is due, and what comes late does nothing */
	u32 begun;		/* contexts entered */
	u32 open;		/* of these: the tracepoint has not returned yet */
	u32 done;		/* and those that have ended */
	u32 probed;		/* outputs that got to the probe, by their context */
	u32 fired[SAMPLE_CONTEXTS];
	u32 inside[SAMPLE_CONTEXTS];
} shot;

static bool pinged;		/* the softirq of a shot without contexts ran */

static void hard_entered(struct irq_work *work);
static void soft_raised(struct irq_work *work);
static void soft_entered(struct tasklet_struct *tasklet);

#ifndef IRQ_WORK_INIT_HARD	/* before 5.11 */
#define IRQ_WORK_INIT_HARD(fn) { .flags = ATOMIC_INIT(IRQ_WORK_HARD_IRQ), .func = (fn) }
#endif

/* HARD: on PREEMPT_RT an irq_work would run in a thread otherwise. */
static struct irq_work hard_work = IRQ_WORK_INIT_HARD(hard_entered);
static struct irq_work soft_work = IRQ_WORK_INIT_HARD(soft_raised);
static DECLARE_TASKLET(soft_tasklet, soft_entered);

void fire_tracepoint(enum sample_context context)
{
	trace_perfwake_fire(context);
}

/* The next context above the innermost one entered, or SAMPLE_CONTEXTS. */
static unsigned int context_due(void)
{
	u32 due = shot.begun ? shot.contexts & ~(BIT(fls(shot.begun)) - 1) : shot.contexts;

	return due ? __ffs(due) : SAMPLE_CONTEXTS;
}

static void enter(unsigned int context)
{
	switch (context) {
	case SAMPLE_PROCESS:
		shot_entered(SAMPLE_PROCESS);
		break;
	case SAMPLE_SOFTIRQ:
		irq_work_queue(&soft_work);
		break;
	case SAMPLE_HARDIRQ:
		irq_work_queue(&hard_work);
		break;
	case SAMPLE_NMI:
		raise_nmi(NMI_SHOT);
		break;
	}
}

/* We are in the context asked for: fire, and see to it that the inner ones follow. */
void shot_entered(enum sample_context asked)
{
	enum sample_context is = context_now();
	u32 outer;

	if (!(shot.contexts & BIT(asked)) || shot.begun & BIT(asked))
		return;
	outer = shot.begun ? BIT(fls(shot.begun) - 1) : 0;
	shot.fired[is]++;
	if (outer & shot.open & shot.probed)
		shot.inside[is]++;
	shot.begun |= BIT(asked);
	shot.open |= BIT(asked);
	barrier();
	fire_tracepoint(is);
	barrier();
	shot.open &= ~BIT(asked);
	/* This output did not get as far as the probe: it was refused, or nobody is attached. */
	if (fls(shot.begun) - 1 == asked && !(shot.probed & BIT(asked)))
		enter(context_due());
	barrier();
	shot.done |= BIT(asked);
}

static void hard_entered(struct irq_work *work)
{
	shot_entered(SAMPLE_HARDIRQ);
}

static void soft_raised(struct irq_work *work)
{
	tasklet_hi_schedule(&soft_tasklet);
}

static void soft_entered(struct tasklet_struct *tasklet)
{
	WRITE_ONCE(pinged, true);
	shot_entered(SAMPLE_SOFTIRQ);
}

/* --- the point within the writer where the next context is entered --- */

#ifdef CONFIG_KPROBES
static int writer_reached(struct kprobe *p, struct pt_regs *regs)
{
	u32 innermost = shot.begun ? BIT(fls(shot.begun) - 1) : 0;
	unsigned int due;

	if (smp_processor_id() != shot.cpu || !(innermost & shot.open) || innermost & shot.probed)
		return 0;
	due = context_due();
	if (due == SAMPLE_CONTEXTS)
		return 0;
	shot.probed |= innermost;
	enter(due);
	return 0;
}

/* A probe with one is never optimised into a jump, whose handler would run with interrupts on. */
static void writer_stepped(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe writer_probe;
static bool writer_probed;

/*
 * At the function's entry, unless ftrace lives there: its handler has interrupts on and counts as a running
 * kprobe, so that what it lets in would find the probe closed. Behind the call to ftrace there is a
 * breakpoint again.
 */
static int probe_writer(void)
{
	struct kprobe fresh = {
		.symbol_name = WRITER_SYMBOL,
		.pre_handler = writer_reached,
		.post_handler = writer_stepped,
	};
	int ret;

	if (writer_probed)
		return 0;
	writer_probe = fresh;
	ret = register_kprobe(&writer_probe);
	if (!ret && kprobe_ftrace(&writer_probe)) {
		fresh.symbol_name = NULL;
		fresh.addr = writer_probe.addr + MCOUNT_INSN_SIZE;
		unregister_kprobe(&writer_probe);
		writer_probe = fresh;
		ret = register_kprobe(&writer_probe);
	}
	writer_probed = !ret;
	return ret;
}

static void leave_writer(void)
{
	if (writer_probed)
		unregister_kprobe(&writer_probe);
	writer_probed = false;
}
#else
static int probe_writer(void)
{
	return -EOPNOTSUPP;
}

static void leave_writer(void)
{
}
#endif

/* --- firing --- */

/*
 * Does a softirq raised by an interrupt run when that ends? Not while ksoftirqd has been woken for
 * an older one. Preemption is off, so that once it does, it does for the shot as well.
 */
static bool softirq_is_prompt(void)
{
	u64 until = ktime_get_ns() + NSEC_PER_MSEC;

	shot.contexts = 0;
	WRITE_ONCE(pinged, false);
	irq_work_queue(&soft_work);
	while (!READ_ONCE(pinged) && ktime_get_ns() < until)
		cpu_relax();
	return READ_ONCE(pinged);
}

/* Leaves with preemption off, where 0 is returned. */
static int get_ready(u32 contexts)
{
	bool within = contexts & BIT(SAMPLE_SOFTIRQ) && contexts & BIT(SAMPLE_PROCESS);
	int tries;

	for (tries = 0; tries < DEADLINE_MS; tries++) {
		preempt_disable();
		if (!within || softirq_is_prompt())
			return 0;
		preempt_enable();
		msleep(1);
	}
	return -ETIMEDOUT;
}

static int fire_once(u32 contexts)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(DEADLINE_MS);
	int ret = get_ready(contexts);

	if (ret)
		return ret;
	shot.begun = shot.open = shot.done = shot.probed = 0;
	barrier();
	shot.contexts = contexts;
	barrier();
	enter(context_due());
	preempt_enable();
	/* On PREEMPT_RT a softirq waits until we let its thread run. */
	while (READ_ONCE(shot.done) != contexts && !ret) {
		if (time_after(jiffies, deadline))
			ret = -ETIMEDOUT;
		else
			cond_resched();
		if (IS_ENABLED(CONFIG_PREEMPT_RT) && !ret)
			usleep_range(50, 100);
	}
	WRITE_ONCE(shot.contexts, 0);
	return ret;
}

static long fire_here(void *arg)
{
	struct perfwake_fire *f = arg;
	int ret = 0;
	u32 i;

	shot.cpu = f->cpu;
	memset(shot.fired, 0, sizeof(shot.fired));
	memset(shot.inside, 0, sizeof(shot.inside));
	for (i = 0; !ret && i < f->count; i++)
		ret = fatal_signal_pending(current) ? -EINTR : fire_once(f->contexts);
	memcpy(f->fired, shot.fired, sizeof(f->fired));
	memcpy(f->inside, shot.inside, sizeof(f->inside));
	return ret;
}

static int check_contexts(u32 contexts)
{
	bool nested = hweight32(contexts) > 1;

	if (!contexts || contexts >= BIT(SAMPLE_CONTEXTS))
		return -EINVAL;
	if (contexts & BIT(SAMPLE_NMI) && !nmi_possible())
		return -EOPNOTSUPP;
	/* There a softirq is a thread, and does not interrupt a writer, who has preemption off. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && contexts & BIT(SAMPLE_SOFTIRQ) &&
	    contexts & BIT(SAMPLE_PROCESS))
		return -EOPNOTSUPP;
	return nested ? probe_writer() : 0;
}

long ioctl_fire(struct perfwake_fire __user *arg)
{
	struct perfwake_fire f;
	long ret;

	if (copy_from_user(&f, arg, sizeof(f)))
		return -EFAULT;
	if (!f.count || f.count > PERFWAKE_TEST_COUNT_MAX)
		return -EINVAL;
	ret = check_contexts(f.contexts);
	if (!ret)
		ret = run_on(f.cpu, fire_here, &f);
	if (!ret && copy_to_user(arg, &f, sizeof(f)))
		return -EFAULT;
	return ret;
}

void fire_release(void)
{
	leave_writer();
}

void fire_exit(void)
{
	irq_work_sync(&hard_work);
	irq_work_sync(&soft_work);
	tasklet_kill(&soft_tasklet);
}
