/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts a writer at one instruction of the kernel with samples of its own. */
#ifndef PERFWAKE_INJECTOR_H
#define PERFWAKE_INJECTOR_H

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
	int fd;				/* the breakpoint's descriptor, or -1 */
	struct bpf_link *link;		/* the kprobe */
	char optimization;		/* how debug.kprobes-optimization was, or 0 */
	struct place place;		/* where it is */
	struct ksym function;		/* that @place is in */
	const char *failed;		/* what injector_open() was doing when it failed */
};

/* What came of an interruption. */
struct injected {
	bool fired;			/* the place was reached often enough */
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
