// SPDX-License-Identifier: GPL-2.0
/*
 * Test module for the tests of vm/: does what a kernel must not do, as is written to /proc/misfit.
 * Never load it into a kernel that is still needed.
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

/* Nothing comes in any more on this CPU. */
static void spin(void *unused)
{
	local_irq_disable();
	for (;;)
		cpu_relax();
}

/* No signal ends this. */
static void sleep_for_ever(void)
{
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule();
	}
}

static ssize_t misfit_write(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	char what[8] = "";
	int *nowhere = NULL;

	if (len >= sizeof(what) || copy_from_user(what, text, len))
		return -EINVAL;
	OPTIMIZER_HIDE_VAR(nowhere);
	if (!strcmp(what, "oops")) {
		*nowhere = 1;
	} else if (!strcmp(what, "bug")) {
		BUG();
	} else if (!strcmp(what, "warn")) {
		WARN(1, "made on purpose\n");
	} else if (!strcmp(what, "sleep")) {
		sleep_for_ever();
	} else if (!strcmp(what, "spin")) {
		smp_call_function(spin, NULL, 0);
		spin(NULL);
	} else {
		return -EINVAL;
	}
	return len;
}

static const struct proc_ops misfit_ops = { .proc_write = misfit_write };

static int __init misfit_init(void)
{
	return proc_create("misfit", 0200, NULL, &misfit_ops) ? 0 : -ENOMEM;
}
module_init(misfit_init);

MODULE_DESCRIPTION("Does what a kernel must not do, for the tests of perfwake's runner");
MODULE_LICENSE("GPL");
