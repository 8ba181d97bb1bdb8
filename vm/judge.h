/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges tests by how they ended and by what they printed. The guest and the host both do
 * it, from the same facts, and have to agree.
 */
#ifndef VM_JUDGE_H
#define VM_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "ktap.h"
#include "plan.h"

#define JUDGE_REASON_MAX 256

/* How a test ended. */
enum end_way {
	END_NEVER,	/* the host never saw its end; value: an end_missing */
	END_EXIT,	/* value: exit status */
	END_SIGNAL,	/* value: signal */
	END_TIMEOUT,	/* ended by us; value: its limit in seconds */
	END_STUCK,	/* could not even be killed; value: its limit in seconds */
	END_NOEXEC,	/* could not be started; value: errno */
};

/* Why the host never saw a test's end. */
enum end_missing {
	JUDGE_NEVER,	/* the guest was gone before */
	JUDGE_ENDED,	/* the guest was gone meanwhile */
	JUDGE_LOST,	/* what it sent did not come over the port */
};

enum judgement {
	JUDGED_NOT,	/* zero, and a failure */
	JUDGED_OK,
	JUDGED_FAILED,
	JUDGED_SKIPPED,
};

/* All that counts about one test. */
struct outcome {
	enum end_way way;
	int value;
	unsigned int klog_lines;	/* lines of trouble in the kernel log meanwhile */
	bool klog_blind;		/* the kernel log could not be read to its end */
	struct ktap ktap;		/* finished */
};

/* Judgements added up. Start from zero. */
struct score {
	unsigned int passed, failed, skipped;	/* tests */
	unsigned long results_passed, results_failed, results_skipped;	/* the finest there are */
	bool trouble;	/* something hung, or the kernel complained */
	bool rule;	/* a rule does not hold */
	bool silent;	/* the warning that is due did not come */
	bool broken;	/* the set-up was at fault, or something was skipped that may not be */
	int command_status;	/* in command mode: what the command's own status amounts to */
};

/*
 * Judge one test and add it to the score. reason gets why it is not simply ok, or "";
 * it has JUDGE_REASON_MAX bytes.
 */
enum judgement judge_test(const struct plan_test *t, const struct outcome *o, char *reason,
			  struct score *score);

/* The exit status, 0 to 3, for what was added up. */
int judge_status(enum plan_mode mode, const struct score *score);

/* Words for the port, and back; the unknown word is END_NEVER and JUDGED_NOT. */
const char *judge_way_word(enum end_way way);
enum end_way judge_way(const char *word);
const char *judge_word(enum judgement j);

#endif
