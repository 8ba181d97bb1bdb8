/* SPDX-License-Identifier: GPL-2.0 */
/* O_ASYNC on a ring: which signals perf_event_wakeup() sent by kill_fasync(). */
#ifndef PERFWAKE_SIGNALS_H
#define PERFWAKE_SIGNALS_H

#include "ring.h"

/*
 * Block @sig in the calling thread and have @r send it there. A queued signal (SIGRTMIN and above) tells
 * each crossing, where SIGIO would be one for many; and it tells of which descriptor. 0 or -errno.
 */
int ask_for_signals(const struct ring *r, int sig);

/* How many are queued, which are taken; -1 when one of them is not of @r having input. */
int signals(const struct ring *r, int sig);

#endif
