/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts a writer at one instruction of the kernel with samples of its own. */
#ifndef PERFWAKE_INJECTOR_H
#define PERFWAKE_INJECTOR_H

#include "../bpf_progs/inject.h"
#include "emitter.h"
#include "ksym.h"

struct bpf_link;
struct inject_bpf;
struct inject_io;

enum injector_kind {
	/*
	 * A hardware breakpoint: moved to another address by one ioctl, without a change of the
	 * kernel's text. In the middle of an instruction it is never reached.
	 */
	INJECTOR_BREAKPOINT,
	/* A kprobe: attached anew for each address; the kernel refuses what is no boundary. */
	INJECTOR_KPROBE,
	INJECTORS
};

struct injector {
	enum injector_kind kind;
	struct inject_bpf *bpf;
	volatile struct inject_io *io;
	int fds[INJECT_WATCHED];	/* the breakpoints: the first interrupts, all can watch; or -1 */
	uint32_t width;			/* how many addresses can be watched at once */
	struct bpf_link *link;		/* the kprobe */
	struct bpf_link *within;	/* of the program that runs where a breakpoint interrupts its sample */
	struct place outer;		/* where the kprobe is then */
	char optimization;		/* how debug.kprobes-optimization was, or 0 */
	struct place place;		/* where it is */
	struct ksym function;		/* that @place is in */
	bool can_within;		/* the program for that could be loaded */
	const char *failed;		/* what injector_open() was doing when it failed */
};

/* What came of an interruption. */
struct injected {
	bool fired;			/* the place was reached often enough */
	bool fired_within;		/* and the one within it */
	uint32_t visits;		/* how often it was */
	int codes[CASE_MAX_INNER];	/* what the helper returned: 0 or -errno */
};

const char *injector_name(enum injector_kind kind);

/*
 * Load for the slots of @e, which must be EMITTER_TEST_RUN: the kernel runs no program within one of
 * a tracepoint. Interrupts the calling thread. 0, or -errno with @in->failed; injector_close() accepts
 * what failed.
 */
int injector_open(struct injector *in, enum injector_kind kind, struct emitter *e);
void injector_close(struct injector *in);

/*
 * Go to @place, whose function must exist: -ENOENT. -EILSEQ where a kprobe is refused because no
 * instruction begins there, -EINVAL where the kernel allows none; or another -errno.
 */
int injector_go(struct injector *in, const struct place *place);

/*
 * The same for two interruptions within one another: of the writer at @outer, by a kprobe, and of the one that
 * interrupts it at @inner, by a breakpoint. Also -EOPNOTSUPP where this kernel or @in->kind has not both.
 */
int injector_go_within(struct injector *in, const struct place *outer, const struct place *inner);

/*
 * Watch @in->width addresses from @place on. Returns as injector_go() does. Between injector_watch_begin()
 * and injector_watch_end(), which returns them as bits, it is noted where the calling thread comes by.
 */
int injector_watch(struct injector *in, const struct place *place);
void injector_watch_begin(struct injector *in);
uint32_t injector_watch_end(struct injector *in);

/* The kernel's text at @place, at most 16 bytes. Same returns. */
int injector_peek(struct injector *in, const struct place *place, uint8_t *bytes, uint32_t size);

/* From now on interrupt once, with @count samples of @size payload bytes from number @number on. */
void injector_arm(struct injector *in, uint32_t slot, uint32_t count, uint32_t size, uint32_t number);
struct injected injector_disarm(struct injector *in);

/*
 * A kprobe that the kernel has made a jump overwrites what is behind it and runs with interrupts on, so while ours
 * are there, none is. Returns what was there before: '0' or '1', or 0 where nobody can say.
 */
char injector_optimize(char on);

#endif
