/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan: which tests a guest is to run. The host writes it, init and results read it.
 *
 * A plan is a row of strings, each ended by a NUL byte, so that an argument may hold any
 * other byte: the word "perfwake-plan-2", the mode, a part of the kernel's one warning that
 * is due in this run ("" for none), the number of tests, and then for each test its name, its limit in seconds, the exit status that is expected, the reason for
 * which it may be skipped ("" if it may not), the number of arguments, the arguments.
 */
#ifndef VM_PLAN_H
#define VM_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#define PLAN_MAGIC	"perfwake-plan-2"
#define PLAN_TESTS	512
#define PLAN_NAME_MAX	120	/* bytes of a test's name */
#define PLAN_LIMIT_MAX	86400	/* seconds */

enum plan_mode {
	PLAN_SUITE = 1,		/* judge the tests */
	PLAN_COMMAND,		/* one test; its exit status is the answer */
	PLAN_SHELL,		/* a shell on the console, no tests */
};

struct plan_test {
	const char *name;
	unsigned int limit_s;
	int expected;		/* exit status */
	const char *may_skip;	/* the declared reason, "" if a skip is a broken set-up */
	char **argv;		/* ends with NULL */
};

/* Everything points into the bytes that plan_read() was given. */
struct plan {
	enum plan_mode mode;
	const char *warns;	/* in the line of the warning that has to come, "" if none may */
	unsigned int tests;
	struct plan_test test[PLAN_TESTS];
};

/*
 * Read the plan in the len bytes at data, which are kept and used as long as the plan is.
 * Returns 0, or -EINVAL with *why set to what is wrong, or -ENOMEM.
 */
int plan_read(struct plan *p, char *data, size_t len, const char **why);

/*
 * Read the plan in a file; on success the memory stays for the life of the process.
 * Returns 0, or -errno with *why set to what is wrong.
 */
int plan_load(struct plan *p, const char *path, const char **why);

#endif
