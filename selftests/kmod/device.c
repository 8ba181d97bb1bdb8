// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: fires a tracepoint from process, softirq, hard interrupt and NMI, each alone or in one
 * another, for BPF programs that emit there. See perfwake_test.h for what user space asks of it.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "module.h"

static DEFINE_MUTEX(lock);	/* one shot and one timer */

static long test_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long ret = -ENOTTY;

	if (mutex_lock_interruptible(&lock))
		return -EINTR;
	if (cmd == PERFWAKE_TEST_FIRE)
		ret = ioctl_fire((void __user *)arg);
	else if (cmd == PERFWAKE_TEST_TIMER)
		ret = ioctl_timer((void __user *)arg);
	mutex_unlock(&lock);
	return ret;
}

static unsigned long in_use;

/* One user at a time: there is one shot and one timer. */
static int test_open(struct inode *inode, struct file *file)
{
	return test_and_set_bit(0, &in_use) ? -EBUSY : 0;
}

static int test_release(struct inode *inode, struct file *file)
{
	timer_release();
	fire_release();
	clear_bit(0, &in_use);
	return 0;
}

static const struct file_operations test_fops = {
	.owner = THIS_MODULE,
	.open = test_open,
	.release = test_release,
	.unlocked_ioctl = test_ioctl,
};

static struct miscdevice test_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = PERFWAKE_TEST_DEVICE,
	.fops = &test_fops,
};

static int __init test_init(void)
{
	int ret;

	timer_init();
	ret = nmi_init();
	if (ret)
		return ret;
	ret = misc_register(&test_device);
	if (ret)
		nmi_exit_handler();
	return ret;
}

static void __exit test_exit(void)
{
	misc_deregister(&test_device);
	fire_exit();
	nmi_exit_handler();
}

module_init(test_init);
module_exit(test_exit);
MODULE_DESCRIPTION("Fires a tracepoint from process, softirq, hardirq and NMI, nested where asked");
MODULE_LICENSE("GPL");
