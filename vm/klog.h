/* SPDX-License-Identifier: GPL-2.0 */
/* Knows the kernel's own words for trouble. */
#ifndef VM_KLOG_H
#define VM_KLOG_H

#include <stdbool.h>

/* How many lines after a report's first are worth showing. */
#define KLOG_CONTEXT 40

/*
 * Whether a line of the kernel log, with or without its time stamp, reports that the
 * kernel itself is in trouble: oops, BUG, warning, lockdep, hung task, stall, panic.
 */
bool klog_is_report(const char *line);

#endif
