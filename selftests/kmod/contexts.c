// SPDX-License-Identifier: GPL-2.0
/*
 * What firing and the timer share: which context this is, NMIs, and running on a chosen CPU. An NMI is
 * "int $2": the NMI's own gate and stack, at once; there is no PMU to ask under emulation.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <asm/nmi.h>

#include "module.h"

/* Raised on this CPU, so there is no other that could take it. */
static DEFINE_PER_CPU(enum nmi_for, nmi_for);

/* What the kernel says, whatever we asked for. */
enum sample_context context_now(void)
{
	if (in_nmi())
		return SAMPLE_NMI;
	if (hardirq_count())
		return SAMPLE_HARDIRQ;
	if (in_serving_softirq())
		return SAMPLE_SOFTIRQ;
	return SAMPLE_PROCESS;
}

void raise_nmi(enum nmi_for whom)
{
	unsigned long flags;

	/* A tick's own NMI in between would take ours for it. */
	local_irq_save(flags);
	__this_cpu_write(nmi_for, whom);
	asm volatile("int $2" : : : "memory");
	local_irq_restore(flags);
}

static int nmi_entered(unsigned int type, struct pt_regs *regs)
{
	enum nmi_for whom = __this_cpu_read(nmi_for);

	__this_cpu_write(nmi_for, NMI_NOBODY);
	switch (whom) {
	case NMI_NOBODY:
		return NMI_DONE;
	case NMI_SHOT:
		shot_entered(SAMPLE_NMI);
		break;
	case NMI_TICK:
		tick_from(SAMPLE_NMI);
		break;
	}
	return NMI_HANDLED;
}

int nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_entered, 0, PERFWAKE_TEST_DEVICE);
}

void nmi_exit_handler(void)
{
	unregister_nmi_handler(NMI_LOCAL, PERFWAKE_TEST_DEVICE);
}

bool nmi_possible(void)
{
#ifdef X86_FEATURE_FRED
	/* "int $2" would be delivered as a software interrupt there, not as an NMI. */
	if (boot_cpu_has(X86_FEATURE_FRED))
		return false;
#endif
	return true;
}

/* In the calling thread where it stays on that CPU by itself, else in a worker's. */
long run_on(unsigned int cpu, long (*fn)(void *arg), void *arg)
{
	long ret = -ENXIO;

	if (cpu >= nr_cpu_ids)
		return -ENXIO;
	cpus_read_lock();
	if (cpu_online(cpu)) {
		if (cpumask_weight(current->cpus_ptr) == 1 && cpumask_test_cpu(cpu, current->cpus_ptr))
			ret = fn(arg);
		else
			ret = work_on_cpu(cpu, fn, arg);
	}
	cpus_read_unlock();
	return ret;
}
