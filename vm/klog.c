// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>

#include "klog.h"

/* A report begins with one of these, once the time stamp is off. */
static const char *const starts[] = {
	"BUG: ", "BUG ", "kernel BUG at ", "WARNING: ", "Kernel panic", "Oops",
	"general protection fault", "stack segment:", "double fault:", "invalid opcode:",
	"int3:", "divide error:", "traps: PANIC", "PANIC:", "INFO: task ", "INFO: rcu",
	"INFO: possible ", "INFO: suspicious ", "INFO: trying to register non-static key",
	"Unable to handle kernel", "unable to handle", "Internal error:", "UBSAN: ",
	"Call Trace:", "rcu: INFO: ", "Out of memory: ", "DEBUG_LOCKS_WARN_ON",
};

/* Or has one of these in it. */
static const char *const parts[] = {
	"soft lockup", "hard LOCKUP", "detected stall", "self-detected stall", "blocked for more than",
	"possible circular locking", "possible recursive locking", "inconsistent lock state",
	"KASAN: ", "KCSAN: ", "kmemleak: ", "---[ end ", "cut here ]---", "Attempted to kill init",
	"invoked oom-killer",
};

/* Skip "[   12.345678] " and, with printk.caller, "[    T1] ". */
static const char *skip_stamp(const char *s)
{
	while (*s == '[') {
		const char *end = strchr(s, ']');

		if (!end || end - s > 24)
			break;
		s = end + 1 + strspn(end + 1, " ");
	}
	return s;
}

bool klog_is_report(const char *line)
{
	const char *s = skip_stamp(line);

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(s, starts[i], strlen(starts[i])))
			return true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(s, parts[i]))
			return true;
	return false;
}

enum klog_line klog_take(struct klog_reader *k, const char *line)
{
	bool ends = strstr(line, "---[ end ");

	if (!klog_is_report(line))
		return KLOG_NOTHING;
	/* What stands around the line that tells: before it, and while its own report lasts. */
	if (k->within && (ends || strstr(line, "Call Trace:"))) {
		k->within = !ends;
		return KLOG_NOTHING;
	}
	if (*k->due && !k->came && strstr(line, "cut here ]---"))
		return KLOG_NOTHING;
	if (!*k->due || k->came || !strstr(line, "WARNING: ") || !strstr(line, k->due))
		return KLOG_REPORT;
	k->came = k->within = true;
	return KLOG_DUE;
}
