/* SPDX-License-Identifier: GPL-2.0 */
/* Runs QEMU for results: its life, its limit, its end. */
#ifndef VM_GUEST_H
#define VM_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How QEMU's life ended, as far as we had a hand in it. */
enum guest_end {
	GUEST_BY_ITSELF,
	GUEST_LIMIT,		/* it ran for its limit and was ended */
	GUEST_SIGNAL,		/* we were told to stop */
	GUEST_NOBODY,		/* whoever read our stdout has gone */
	GUEST_FAILED,		/* it could not be started; error says why */
};

struct guest {
	char **argv;		/* QEMU's command line, NULL to read the stream from stdin */
	int log_fd;		/* where its stderr goes; borrowed */
	unsigned int limit_s;	/* 0 for none */

	enum guest_end end;
	int signal;		/* that told us to stop, with GUEST_SIGNAL */
	int error;		/* errno, with GUEST_FAILED */
	int status;		/* of waitpid(), where it was started */
};

/*
 * Run it till its end, giving what comes over the results port to take(). Afterwards no
 * process is left. The fields from end on are filled.
 */
void guest_run(struct guest *g, void (*take)(void *ctx, const char *buf, size_t len), void *ctx);

#endif
