/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On PREEMPT_RT the callback that puts a descriptor on an epoll's list runs in a thread of its own
 * for each CPU, and may run after the emitting system call returned. This waits for it, so that a
 * look with timeout 0 behind an emission is as exact there as elsewhere.
 */
#ifndef PERFWAKE_SETTLE_H
#define PERFWAKE_SETTLE_H

#include <stdbool.h>

struct settle;

/* True on kernels where it is needed. */
bool settle_needed(void);

/* NULL with errno set when it cannot be had; settle_close() accepts NULL. */
struct settle *settle_open(void);
void settle_close(struct settle *s);

/*
 * Wait until all wakes queued on this CPU, which the thread must be pinned to, have been carried out.
 * Returns 0, or -ETIMEDOUT after SETTLE_DEADLINE_MS, or another -errno.
 */
#define SETTLE_DEADLINE_MS 5000
int settle(struct settle *s);

#endif
