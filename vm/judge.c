// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

#define STATUS_SKIP 4	/* kselftest's exit status for "all skipped" */
#define STATUS_SETUP 2

static const char *const way_words[] = {
	[END_NEVER] = "never", [END_EXIT] = "exit", [END_SIGNAL] = "signal",
	[END_TIMEOUT] = "timeout", [END_STUCK] = "stuck", [END_NOEXEC] = "noexec",
};

const char *judge_way_word(enum end_way way)
{
	return way_words[way];
}

enum end_way judge_way(const char *word)
{
	for (unsigned int i = 0; i < sizeof(way_words) / sizeof(*way_words); i++)
		if (!strcmp(way_words[i], word))
			return i;
	return END_NEVER;
}

const char *judge_word(enum judgement j)
{
	switch (j) {
	case JUDGED_OK:
		return "ok";
	case JUDGED_FAILED:
		return "failed";
	case JUDGED_SKIPPED:
		return "skipped";
	case JUDGED_NOT:
		break;
	}
	return "unjudged";
}

__attribute__((format(printf, 2, 3)))
static enum judgement failed(char *reason, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, JUDGE_REASON_MAX, fmt, args);
	va_end(args);
	return JUDGED_FAILED;
}

/* The test ended with the exit status that was due: what did it print? */
static enum judgement judge_output(const struct plan_test *t, const struct ktap *k, char *reason)
{
	/* Where a failure is due, the failing results belong to it. */
	if (t->expected || !ktap_any(k))
		return JUDGED_OK;
	if (k->errors)
		return failed(reason, "its KTAP is not sound: %s", k->error);
	if (k->failed)
		return failed(reason, "exit status 0 although %lu of its results failed", k->failed);
	if (ktap_all_skipped(k)) {
		snprintf(reason, JUDGE_REASON_MAX, "%s", k->skip);
		return JUDGED_SKIPPED;
	}
	return JUDGED_OK;
}

static enum judgement judge_exit(const struct plan_test *t, const struct outcome *o, char *reason)
{
	const struct ktap *k = &o->ktap;

	if (o->value == t->expected)
		return judge_output(t, k, reason);
	/* perfwake itself has no status for that: nothing was judged is 2. */
	if ((o->value == STATUS_SKIP || (o->value == STATUS_SETUP && ktap_all_skipped(k))) &&
	    !t->expected && !k->failed && !k->passed) {
		snprintf(reason, JUDGE_REASON_MAX, "%s", k->skip[0] ? k->skip : "it says so");
		return JUDGED_SKIPPED;
	}
	if (k->failed && !t->expected)
		return failed(reason, "exit status %d, %lu of its results failed", o->value,
			      k->failed);
	return failed(reason, "exit status %d where %d was due", o->value, t->expected);
}

static enum judgement judge_way_out(const struct plan_test *t, const struct outcome *o,
				    char *reason)
{
	switch (o->way) {
	case END_EXIT:
		return judge_exit(t, o, reason);
	case END_SIGNAL:
		return failed(reason, "killed by signal %d (%s)", o->value, strsignal(o->value));
	case END_TIMEOUT:
		return failed(reason, "not done after %d s, ended", o->value);
	case END_STUCK:
		return failed(reason, "not done after %d s, and it cannot be killed", o->value);
	case END_NOEXEC:
		return failed(reason, "cannot be started: %s", strerror(o->value));
	case END_NEVER:
		break;
	}
	if (o->value == JUDGE_LOST)
		return failed(reason, "missing: it was lost on the results port");
	return failed(reason, o->value == JUDGE_ENDED ? "missing: the guest ended in it" : "missing: never begun");
}

/* What the status of a command in the guest amounts to on the host. */
static int command_status(const struct outcome *o, enum judgement j)
{
	if (o->way == END_NOEXEC)
		return 2;
	if (o->way != END_EXIT)
		return 1;
	if (o->value == 0)
		return j == JUDGED_OK ? 0 : j == JUDGED_SKIPPED ? 2 : 1;
	if (o->value <= 3)
		return o->value;
	return o->value == STATUS_SKIP ? 2 : 1;
}

/* Add a test's finest results up: its own, or itself where it listed none. */
static void count_results(const struct plan_test *t, const struct ktap *k, enum judgement j,
			  struct score *score)
{
	if (t->expected || !ktap_any(k)) {
		score->results_passed += j == JUDGED_OK;
		score->results_failed += j == JUDGED_FAILED;
		score->results_skipped += j == JUDGED_SKIPPED;
		return;
	}
	score->results_passed += k->passed;
	score->results_skipped += k->skipped;
	score->results_failed += k->failed;
	if (j == JUDGED_FAILED && !k->failed)
		score->results_failed++;
}

enum judgement judge_test(const struct plan_test *t, const struct outcome *o, char *reason,
			  struct score *score)
{
	enum judgement j;
	bool hung = o->way == END_TIMEOUT || o->way == END_STUCK || o->way == END_NEVER;

	reason[0] = '\0';
	j = judge_way_out(t, o, reason);
	score->command_status = command_status(o, j);
	if (j == JUDGED_FAILED && o->way == END_NOEXEC)
		score->broken = true;
	else if (j == JUDGED_FAILED && !hung)
		score->rule = true;
	score->trouble |= hung;
	if (o->klog_lines || o->klog_blind) {
		score->trouble = true;
		j = failed(reason, o->klog_lines ? "the kernel complained meanwhile" :
				   "the kernel log cannot be read");
	}
	/* In our own guest something that is skipped was set up badly, unless it is declared. */
	if (!t->expected && (j == JUDGED_SKIPPED || o->ktap.skipped) && !t->may_skip[0])
		score->broken = true;
	score->passed += j == JUDGED_OK;
	score->failed += j == JUDGED_FAILED;
	score->skipped += j == JUDGED_SKIPPED;
	count_results(t, &o->ktap, j, score);
	return j;
}

int judge_status(enum plan_mode mode, const struct score *score)
{
	if (score->trouble)
		return 3;
	if (mode == PLAN_COMMAND && score->command_status)
		return score->command_status;
	if (score->rule || score->silent)
		return 1;
	if (mode == PLAN_COMMAND)
		return 0;
	return score->broken || !score->passed ? 2 : 0;
}
