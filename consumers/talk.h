/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a consumer program talks with perfwake, which starts it with the number of the perf event array's
 * descriptor as its only argument. Lines both ways; the program speaks first.
 *
 *	hello VERSION OFFER...		what the library offers: names of validator/consumer_pipe.c
 *
 *	open RING CPU PAGES events|bytes N	->  ok FD	the event, or -1 when the library hides it
 *	poll RING MILLISECONDS			->  records, done WHAT-THE-CALL-RETURNED
 *	consume RING				->  records, done WHAT-THE-CALL-RETURNED
 *	close RING				->  done 0
 *
 * Instead of ok: error TEXT. A record is "sample HEX" or "lost COUNT", written by the callback
 * that the library calls for it, which then waits for a line "next".
 */
#ifndef PERFWAKE_CONSUMERS_TALK_H
#define PERFWAKE_CONSUMERS_TALK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct talk_ring {
	unsigned int id, cpu, pages;
	bool bytes;		/* @n is a watermark, not wakeup_events */
	unsigned int n;
};

/* What a program does; each returns what the library's call says. */
struct talk_ops {
	const char *version;
	const char *offers;
	/* 0, with *fd the event or -1; or *why says why not. */
	int (*open)(int slots_fd, const struct talk_ring *ring, int *fd, const char **why);
	int (*poll)(unsigned int id, int timeout_ms);
	int (*consume)(unsigned int id);
	void (*close)(unsigned int id);
};

/* For callbacks: one record. */
void talk_sample(const void *payload, unsigned int size);
void talk_lost(unsigned long long count);

/* Until perfwake closes the line. Returns the program's exit status. */
int talk_serve(int argc, char **argv, const struct talk_ops *ops);

#ifdef __cplusplus
}
#endif

#endif
