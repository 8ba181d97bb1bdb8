/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads KTAP (or TAP) line by line, checks that it is sound, and counts its results.
 * Used by init about each test in the guest, by results about what came over the port,
 * and by tally about any stream. No allocation, no input or output.
 */
#ifndef VM_KTAP_H
#define VM_KTAP_H

#include <stdbool.h>

#define KTAP_LEVELS	8	/* nesting: a file, a fixture, a test, a variant, and room */
#define KTAP_ERROR_MAX	160
#define KTAP_SKIP_MAX	80

/* What a line was taken for. */
enum ktap_kind {
	KTAP_OTHER,		/* no KTAP: what a program printed besides */
	KTAP_DIAG,		/* a line that begins with # */
	KTAP_VERSION,
	KTAP_PLAN,
	KTAP_OK,
	KTAP_NOT_OK,
	KTAP_SKIP,
	KTAP_BAIL,
};

/* One list of results, at one depth. */
struct ktap_level {
	int column;		/* where its lines begin; a "# " in front counts as 2 */
	bool hashed;		/* the kselftest runner put "# " in front */
	bool planned;
	bool skip_all;		/* its plan was 1..0 */
	unsigned int plan;
	unsigned int results;	/* results seen, so the next one has this number plus 1 */
	unsigned int failed;	/* failures found in it or below it */
	bool child;		/* results were listed below the next result */
	unsigned int child_failed;	/* failures among those */
};

/*
 * The reader's state and its counts. Start with ktap_init(); afterwards read only.
 * Counts are of the finest tests: a result whose children were listed is not counted,
 * except one that fails though no child did. Each error counts as a failure.
 */
struct ktap {
	unsigned long passed, failed, skipped;
	unsigned long errors;	/* breaches of the format */
	unsigned long breached;	/* failures that these stand for; they are in failed, too */
	unsigned long lines;	/* lines fed, for messages */
	char error[KTAP_ERROR_MAX];	/* the first breach, "" if there was none */

	char skip[KTAP_SKIP_MAX];	/* the reason of the first skip, if it gave one */

	/* The rest is private to ktap.c. */
	struct ktap_level level[KTAP_LEVELS];
	int depth;		/* levels in use */
};

void ktap_init(struct ktap *k);

/* Take one line without its newline; says what it was taken for. */
enum ktap_kind ktap_feed(struct ktap *k, const char *line);

/* The stream is over: plans not met become failures. Call once, before the verdict. */
void ktap_finish(struct ktap *k);

/* Whether there was any KTAP at all: a result, a skipped list, or a breach of the format. */
bool ktap_any(const struct ktap *k);

/* Whether all that was there was skipped. */
bool ktap_all_skipped(const struct ktap *k);

#endif
