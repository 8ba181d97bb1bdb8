/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results as KTAP for the host tests: a result is begun, checked any number of times, and ended;
 * the plan comes last. A result that checked nothing fails, and so does a program without results.
 */
#ifndef PERFWAKE_TESTS_TAP_H
#define PERFWAKE_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define TAP_SHOWN 12	/* failed checks of one result that are told in full */

struct tap {
	char name[160];		/* of the result at hand, "" outside one */
	unsigned long checks;	/* made for it */
	unsigned long wrong;	/* of them */
	unsigned int results;
	unsigned int failed;
};

static struct tap tap;

/* A fault of the test itself: no plan is printed, so nobody takes this run for complete. */
static inline void __attribute__((format(printf, 1, 2), noreturn))
tap_bail_out(const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

static inline void tap_end(void)
{
	if (!tap.name[0])
		return;
	if (!tap.checks)
		printf("# nothing was checked\n");
	if (tap.wrong > TAP_SHOWN)
		printf("# %lu more of %lu checks failed\n", tap.wrong - TAP_SHOWN, tap.checks);
	tap.failed += tap.wrong || !tap.checks;
	printf("%s %u %s\n", tap.wrong || !tap.checks ? "not ok" : "ok", ++tap.results, tap.name);
	fflush(stdout);
	tap.name[0] = 0;
}

/* Begin a result, and end the one before it. A name has no '#': that would begin a directive. */
static inline void __attribute__((format(printf, 1, 2))) tap_begin(const char *fmt, ...)
{
	va_list ap;

	tap_end();
	if (!tap.results)
		printf("KTAP version 1\n");
	va_start(ap, fmt);
	vsnprintf(tap.name, sizeof(tap.name), fmt, ap);
	va_end(ap);
	tap.checks = tap.wrong = 0;
}

static inline bool __attribute__((format(printf, 4, 5)))
tap_check_at(const char *file, int line, bool good, const char *fmt, ...)
{
	va_list ap;

	if (!tap.name[0])
		tap_bail_out("%s:%d: a check outside of a result", file, line);
	tap.checks++;
	if (good || tap.wrong++ >= TAP_SHOWN)
		return good;
	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

/* Returns @good; the message says what was seen and what was asked for. */
#define tap_check(good, ...) tap_check_at(__FILE__, __LINE__, good, __VA_ARGS__)

/* End the last result and print the plan. Returns the exit status. */
static inline int tap_done(void)
{
	tap_end();
	if (!tap.results)
		tap_bail_out("nothing was tested");
	printf("1..%u\n", tap.results);
	if (fflush(stdout) || ferror(stdout))
		return 1;
	return tap.failed ? 1 : 0;
}

#endif
