/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Correct traces, and ways to falsify them: one piece of text, there exactly once, is replaced.
 * Where and why that has to be noticed was worked out by hand.
 */
#ifndef PERFWAKE_TESTS_VERDICT_ROWS_H
#define PERFWAKE_TESTS_VERDICT_ROWS_H

#include "verdict.h"

#define NO VALUE_NO_SAMPLE

/* N=3, 24-byte records, far from half the ring. Each line's step and samples are beside it. */
static const char count_trace[] =
	"name count\n"
	"ring 0 cpu=0 pages=1 wakeup_events=3\n"
	"emit 0 count=2 size=8 -> ok\n"				/* 0: 0, 1 */
	"look 0 via=poll -> quiet\n"				/* 1 */
	"emit 0 count=1 size=8 -> ok*1\n"			/* 2: 2 */
	"look 0 -> ready\n"					/* 3 */
	"look 0 -> quiet\n"					/* 4 */
	"consume 0 -> 0..2 lost 0\n"				/* 5 */
	"pause 0 -> ok\n"					/* 6 */
	"emit 0 count=2 size=8 -> ENOSPC\n"			/* 7: 3, 4 */
	"resume 0 -> ok\n"					/* 8 */
	"emit 0 count=1 size=12 -> ok\n"			/* 9: 5 */
	"look 0 via=epoll -> quiet\n"				/* 10 */
	"consume 0 records=9 -> 5 lost 2\n"			/* 11 */
	"disable 0 -> ok\n"					/* 12 */
	"emit 0 count=1 size=8 -> EOPNOTSUPP\n"			/* 13: 6 */
	"enable 0 -> ok\n"					/* 14 */
	"emit 0 count=8 size=8 every=look -> ok ready 8,11,14\n"	/* 15: 7..14 */
	"emit 0 count=5 size=8 every=look-consume "		/* 16: 15..19 */
	"-> ok ready 17 consumed 7..17 lost 0\n"
	"consume 0 -> 18..19 lost 0\n"				/* 17 */
	"drop-slot 0 -> ok\n"					/* 18 */
	"emit 0 count=1 size=8 -> ENOENT\n";			/* 19: 20 */

/* 512-byte records in 1 page: 7 fit, the 5th makes 2560 bytes, more than half. No count. */
static const char bytes_trace[] =
	"name bytes\n"
	"ring 0 cpu=0 pages=1 wakeup_events=0\n"
	"emit 0 count=9 size=500 -> ok*7 ENOSPC*2\n"		/* 0: 0..8 */
	"look 0 -> ready\n"					/* 1 */
	"consume 0 -> 0..6 lost 0\n"				/* 2 */
	/* 3: 9..16. 9 is behind a LOST record: head 4120, above 2 * 2048; 13: 6168, above 6144 */
	"emit 0 count=8 size=500 every=look-consume -> ok ready 9,13 consumed 9,10..13 lost 2\n"
	"consume 0 -> 14..16 lost 0\n";				/* 4 */

/* Two descriptors of one ring, N=2 and N=3; then neither has one. */
static const char shared_trace[] =
	"name shared\n"
	"kernel 6.1.133\n"
	"ring 0 cpu=0 pages=1 wakeup_events=2\n"
	"ring 1 cpu=0 pages=1 wakeup_events=3\n"
	"unmap 1 -> ok\n"					/* 0 */
	"redirect 1 to=0 -> ok\n"				/* 1 */
	"emit 1 count=2 size=8 -> ok\n"				/* 2: 0, 1 */
	"look 1 via=poll -> quiet\n"				/* 3 */
	"emit 0 count=1 size=8 -> ok head 72\n"			/* 4: 2; the third is not below 2 */
	"look 1 via=edge -> ready\n"				/* 5 */
	"look 0 via=second -> quiet\n"				/* 6 */
	"emit 0 count=1 size=8 -> ok\n"				/* 7: 3; 2 of 2 again */
	"look 0 via=rdnorm -> quiet\n"				/* 8: that kernel never tells */
	"pause 1 -> ok\n"					/* 9 */
	"emit 1 count=1 size=8 index=64 -> E2BIG\n"		/* 10: 4 */
	"emit 1 count=1 size=8 -> ENOSPC\n"			/* 11: 5 */
	"read-lost 1 -> lost 1\n"				/* 12 */
	"unmap 0 -> ok\n"					/* 13 */
	"look 1 -> hup\n"					/* 14 */
	"map 0 -> ok head 0\n";					/* 15 */

struct falsified {
	const char *trace;
	const char *was, *is;
	enum verdict_kind kind;
	uint32_t step, sample, part;
	enum rule rule;
};

static const struct falsified falsified[] = {
	/* codes */
	{ count_trace, "size=8 -> ok\nlook 0 via=poll", "size=8 -> ok*1 ENOSPC*1\nlook 0 via=poll",
	  VERDICT_KERNEL, 0, 1, VALUE_CODE, RULE_SPACE },
	{ count_trace, "ok*1", "E2BIG", VERDICT_KERNEL, 2, 2, VALUE_CODE, RULE_SPACE },
	{ count_trace, "-> ENOSPC", "-> ENOSPC*1 ok*1", VERDICT_KERNEL, 7, 4, VALUE_CODE,
	  RULE_SPACE },
	{ count_trace, "-> ENOSPC", "-> ok*1 ENOSPC*1", VERDICT_KERNEL, 7, 3, VALUE_CODE,
	  RULE_SPACE },
	{ count_trace, "EOPNOTSUPP", "ok", VERDICT_KERNEL, 13, 6, VALUE_CODE, RULE_CODES },
	{ count_trace, "EOPNOTSUPP", "ENOENT", VERDICT_KERNEL, 13, 6, VALUE_CODE, RULE_CODES },
	{ count_trace, "ENOENT", "OTHER", VERDICT_KERNEL, 19, 20, VALUE_CODE, RULE_CODES },
	{ count_trace, "pause 0 -> ok", "pause 0 -> EINVAL", VERDICT_KERNEL, 6, NO, VALUE_CODE,
	  RULE_CODES },
	{ count_trace, "drop-slot 0 -> ok", "drop-slot 0 -> ENOENT", VERDICT_KERNEL, 18, NO,
	  VALUE_CODE, RULE_CODES },
	{ bytes_trace, "ok*7 ENOSPC*2", "ok*6 ENOSPC*3", VERDICT_KERNEL, 0, 6, VALUE_CODE,
	  RULE_SPACE },
	{ bytes_trace, "ok*7 ENOSPC*2", "ok*8 ENOSPC*1", VERDICT_KERNEL, 0, 7, VALUE_CODE,
	  RULE_SPACE },
	{ bytes_trace, "ok*7 ENOSPC*2", "ok*7 ENOSPC*1 ok*1", VERDICT_KERNEL, 0, 8, VALUE_CODE,
	  RULE_SPACE },
	/* a consumer that gave up */
	{ count_trace, "0..2 lost 0", "0..2 lost 0 EBADMSG", VERDICT_KERNEL, 5, NO, VALUE_CODE,
	  RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "0 lost 0 EBADMSG", VERDICT_KERNEL, 5, 1, VALUE_NUMBERS,
	  RULE_CONTENT },
	/* looks */
	{ count_trace, "via=poll -> quiet", "via=poll -> ready", VERDICT_KERNEL, 1, NO,
	  VALUE_READINESS, RULE_NO_CROSSING },
	{ count_trace, "look 0 -> ready", "look 0 -> quiet", VERDICT_KERNEL, 3, NO, VALUE_READINESS,
	  RULE_COUNT },
	{ count_trace, "look 0 -> ready", "look 0 -> hup", VERDICT_KERNEL, 3, NO, VALUE_READINESS,
	  RULE_COUNT },
	{ count_trace, "look 0 -> quiet", "look 0 -> ready", VERDICT_KERNEL, 4, NO, VALUE_READINESS,
	  RULE_FLAG },
	{ count_trace, "via=epoll -> quiet", "via=epoll -> ready", VERDICT_KERNEL, 10, NO,
	  VALUE_READINESS, RULE_NO_CROSSING },
	{ bytes_trace, "look 0 -> ready", "look 0 -> quiet", VERDICT_KERNEL, 1, NO, VALUE_READINESS,
	  RULE_BYTES },
	/* lists of ready */
	{ count_trace, "ready 8,11,14", "ready 8,14", VERDICT_KERNEL, 15, 11, VALUE_READY_AT,
	  RULE_COUNT },
	{ count_trace, "ready 8,11,14", "ready 11,14", VERDICT_KERNEL, 15, 8, VALUE_READY_AT,
	  RULE_COUNT },
	{ count_trace, "ready 8,11,14", "ready 8,11", VERDICT_KERNEL, 15, 14, VALUE_READY_AT,
	  RULE_COUNT },
	{ count_trace, "ready 8,11,14", "ready none", VERDICT_KERNEL, 15, 8, VALUE_READY_AT,
	  RULE_COUNT },
	{ count_trace, "ready 8,11,14", "ready 8..9,11,14", VERDICT_KERNEL, 15, 9, VALUE_READY_AT,
	  RULE_NO_CROSSING },
	{ count_trace, "ready 8,11,14", "ready 7..8,11,14", VERDICT_KERNEL, 15, 7, VALUE_READY_AT,
	  RULE_NO_CROSSING },
	{ count_trace, "ready 8,11,14", "ready 8,12,14", VERDICT_KERNEL, 15, 11, VALUE_READY_AT,
	  RULE_COUNT },
	{ count_trace, "ready 8,11,14", "ready 8,10,14", VERDICT_KERNEL, 15, 10, VALUE_READY_AT,
	  RULE_NO_CROSSING },
	{ bytes_trace, "ready 9,13", "ready 13", VERDICT_KERNEL, 3, 9, VALUE_READY_AT, RULE_BYTES },
	{ bytes_trace, "ready 9,13", "ready 9..10,13", VERDICT_KERNEL, 3, 10, VALUE_READY_AT,
	  RULE_NO_CROSSING },
	/* numbers */
	{ count_trace, "0..2 lost 0", "0..1 lost 0", VERDICT_KERNEL, 5, 2, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "1..2 lost 0", VERDICT_KERNEL, 5, 0, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "0,2 lost 0", VERDICT_KERNEL, 5, 1, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "0..2,2 lost 0", VERDICT_KERNEL, 5, 2, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "0,2,1 lost 0", VERDICT_KERNEL, 5, 1, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "0..3 lost 0", VERDICT_KERNEL, 5, 3, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "none", VERDICT_KERNEL, 5, 0, VALUE_NUMBERS, RULE_CONTENT },
	{ count_trace, "0..2 lost 0", "0..2 lost 0 torn 1", VERDICT_KERNEL, 5, 1, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "7..17 lost", "7..16 lost", VERDICT_KERNEL, 16, 17, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ count_trace, "7..17 lost", "7..12,13..17 lost", VERDICT_KERNEL, 16, 13, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ bytes_trace, "9,10..13", "9..10,11..13", VERDICT_KERNEL, 3, 10, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ bytes_trace, "9,10..13", "9..13", VERDICT_KERNEL, 3, 10, VALUE_NUMBERS, RULE_CONTENT },
	{ bytes_trace, "9,10..13", "9,10..12,13", VERDICT_KERNEL, 3, 13, VALUE_NUMBERS,
	  RULE_CONTENT },
	{ bytes_trace, "10..13 lost 2", "10..13 lost 2 torn 12..13", VERDICT_KERNEL, 3, 12,
	  VALUE_NUMBERS, RULE_CONTENT },
	/* losses */
	{ count_trace, "0..2 lost 0", "0..2 lost 1", VERDICT_KERNEL, 5, NO, VALUE_NUMBERS,
	  RULE_LOST },
	{ count_trace, "5 lost 2", "5 lost 1", VERDICT_KERNEL, 11, NO, VALUE_NUMBERS, RULE_LOST },
	{ count_trace, "5 lost 2", "5 lost 3", VERDICT_KERNEL, 11, NO, VALUE_NUMBERS, RULE_LOST },
	{ bytes_trace, "10..13 lost 2", "10..13 lost 0", VERDICT_KERNEL, 3, NO, VALUE_NUMBERS,
	  RULE_LOST },
	/* what read() counts, the head, hang-ups, codes without a ring */
	{ shared_trace, "-> lost 1", "-> lost 2", VERDICT_KERNEL, 12, NO, VALUE_LOST, RULE_LOST },
	{ shared_trace, "head 72", "head 64", VERDICT_KERNEL, 4, NO, VALUE_HEAD, RULE_HEAD },
	{ shared_trace, "head 0", "head 72", VERDICT_KERNEL, 15, NO, VALUE_HEAD, RULE_HEAD },
	{ shared_trace, "hup", "quiet", VERDICT_KERNEL, 14, NO, VALUE_READINESS, RULE_HANG_UP },
	{ shared_trace, "via=edge -> ready", "via=edge -> quiet", VERDICT_KERNEL, 5, NO,
	  VALUE_READINESS, RULE_COUNT },
	{ shared_trace, "via=second -> quiet", "via=second -> ready", VERDICT_KERNEL, 6, NO,
	  VALUE_READINESS, RULE_FLAG },
	{ shared_trace, "E2BIG", "ENOSPC", VERDICT_KERNEL, 10, 4, VALUE_CODE, RULE_CODES },
	{ shared_trace, "-> ENOSPC", "-> ok", VERDICT_KERNEL, 11, 5, VALUE_CODE, RULE_SPACE },
	{ shared_trace, "to=0 -> ok", "to=0 -> EINVAL", VERDICT_KERNEL, 1, NO, VALUE_CODE,
	  RULE_CODES },
	{ shared_trace, "kernel 6.1.133", "kernel 6.1.134", VERDICT_KERNEL, 8, NO, VALUE_READINESS,
	  RULE_COUNT },
	{ shared_trace, "kernel 6.1.133\n", "", VERDICT_KERNEL, 8, NO, VALUE_READINESS,
	  RULE_COUNT },
	{ shared_trace, " -> lost 1", "", VERDICT_MISSING, 12, NO, 0, RULE_NONE },
	/* two at once: the earlier sample, then the earlier step */
	{ bytes_trace, "ready 9,13 consumed 9,10", "ready 9 consumed 10", VERDICT_KERNEL, 3, 9,
	  VALUE_NUMBERS, RULE_CONTENT },
	{ bytes_trace, "ok ready 9,13", "ok*1 ENOSPC*7 ready 9", VERDICT_KERNEL, 3, 10, VALUE_CODE,
	  RULE_SPACE },
	/* nothing seen */
	{ count_trace, "via=poll -> quiet", "via=poll", VERDICT_MISSING, 1, NO, 0, RULE_NONE },
	{ count_trace, "look 0 -> ready\n", "look 0\n", VERDICT_MISSING, 3, NO, 0, RULE_NONE },
	{ count_trace, " ready 8,11,14", "", VERDICT_MISSING, 15, NO, 0, RULE_NONE },
	{ count_trace, " consumed 7..17 lost 0", "", VERDICT_MISSING, 16, NO, 0, RULE_NONE },
	{ count_trace, " -> ENOENT", "", VERDICT_MISSING, 19, NO, 0, RULE_NONE },
	/* a person who is wrong, whatever was seen */
	{ count_trace, "look 0 -> ready", "look 0 = quiet -> ready", VERDICT_EXPECTATION, 3, NO,
	  VALUE_READINESS, RULE_COUNT },
	{ count_trace, "look 0 -> ready", "look 0 = quiet -> quiet", VERDICT_EXPECTATION, 3, NO,
	  VALUE_READINESS, RULE_COUNT },
	{ count_trace, "look 0 -> ready", "look 0 = ready -> quiet", VERDICT_KERNEL, 3, NO,
	  VALUE_READINESS, RULE_COUNT },
	{ count_trace, "every=look -> ok", "every=look = ready 8,11 -> ok", VERDICT_EXPECTATION, 15,
	  14, VALUE_READY_AT, RULE_COUNT },
	{ count_trace, "-> 5 lost 2", "= 5 lost 1 -> 5 lost 2", VERDICT_EXPECTATION, 11, NO,
	  VALUE_NUMBERS, RULE_LOST },
	{ count_trace, "-> ENOSPC", "= ok -> ENOSPC", VERDICT_EXPECTATION, 7, 3, VALUE_CODE,
	  RULE_SPACE },
	/* another case than the one performed */
	{ count_trace, "wakeup_events=3", "wakeup_events=2", VERDICT_KERNEL, 1, NO, VALUE_READINESS,
	  RULE_COUNT },
	{ count_trace, "wakeup_events=3", "wakeup_events=4", VERDICT_KERNEL, 3, NO, VALUE_READINESS,
	  RULE_NO_CROSSING },
	{ bytes_trace, "pages=1", "pages=2", VERDICT_KERNEL, 0, 7, VALUE_CODE, RULE_SPACE },
};

#endif
