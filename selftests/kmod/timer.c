// SPDX-License-Identifier: GPL-2.0
/* Firing from a timer's hard interrupt, and from NMIs raised in it, while process context is at work. */
#include <linux/hrtimer.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#include "module.h"

/* Ticks of the timer; it has one CPU, and nothing else of ours runs there above process context. */
static struct ticks {
	struct hrtimer timer;
	bool running;
	u32 contexts;
	u32 interval_ns;
	u32 random;
	bool turn;
	u32 fired[SAMPLE_CONTEXTS];
} ticks;

void tick_from(enum sample_context asked)
{
	ticks.fired[asked]++;
	fire_tracepoint(context_now());
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	u32 both = BIT(SAMPLE_HARDIRQ) | BIT(SAMPLE_NMI), half = ticks.interval_ns / 2;

	ticks.turn = !ticks.turn;
	if (ticks.contexts == BIT(SAMPLE_NMI) || (ticks.contexts == both && ticks.turn)) {
		raise_nmi(NMI_TICK);
	} else {
		tick_from(SAMPLE_HARDIRQ);
	}
	/* Not in step with whatever it interrupts. */
	ticks.random = ticks.random * 1664525 + 1013904223;
	hrtimer_forward_now(timer, ns_to_ktime(half + 1 + (u64)ticks.random * ticks.interval_ns / U32_MAX));
	return HRTIMER_RESTART;
}

void timer_release(void)
{
	if (ticks.running)
		hrtimer_cancel(&ticks.timer);
	ticks.running = false;
}

static long start_here(void *arg)
{
	hrtimer_start(&ticks.timer, ns_to_ktime(ticks.interval_ns), HRTIMER_MODE_REL_PINNED_HARD);
	ticks.running = true;
	return 0;
}

long ioctl_timer(struct perfwake_timer __user *arg)
{
	u32 both = BIT(SAMPLE_HARDIRQ) | BIT(SAMPLE_NMI);
	struct perfwake_timer t;
	long ret = 0;

	if (copy_from_user(&t, arg, sizeof(t)))
		return -EFAULT;
	if (t.interval_ns && (!t.contexts || t.contexts & ~both))
		return -EINVAL;
	if (t.interval_ns && t.contexts & BIT(SAMPLE_NMI) && !nmi_possible())
		return -EOPNOTSUPP;
	timer_release();
	memcpy(t.fired, ticks.fired, sizeof(t.fired));
	memset(ticks.fired, 0, sizeof(ticks.fired));
	ticks.contexts = t.contexts;
	ticks.interval_ns = t.interval_ns;
	ticks.random = t.seed;
	if (t.interval_ns)
		ret = run_on(t.cpu, start_here, NULL);
	if (!ret && copy_to_user(arg, &t, sizeof(t)))
		return -EFAULT;
	return ret;
}

void timer_init(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&ticks.timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&ticks.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	ticks.timer.function = tick;
#endif
}
