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

/* A kernel log in which one warning is due. Start with due set, and the rest zero. */
struct klog_reader {
	const char *due;	/* a part of the warning's line, "" if there is none */
	bool came;		/* it has come; another one like it is trouble */
	bool within;		/* its report has begun and not ended */
};

enum klog_line {
	KLOG_NOTHING,
	KLOG_REPORT,		/* klog_is_report(), and not the warning that is due */
	KLOG_DUE,		/* the warning that is due */
};

/* What the next line of that log is. */
enum klog_line klog_take(struct klog_reader *k, const char *line);

#endif
