/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of another event in a ring: those of a system call's tracepoint, which the kernel writes itself
 * when the event overflows, at each call, by perf_event_output_forward() or _backward(). They carry
 * what the kernel says of the call: its arguments have the number and the ring.
 */
#ifndef PERFWAKE_OVERFLOW_H
#define PERFWAKE_OVERFLOW_H

#include "ring.h"

/*
 * An event for the calling thread that writes where @to does, which was opened as @spec asks, with the
 * thresholds of @spec. Returns its descriptor, for the caller to close, or -errno: -ENOENT where the
 * kernel has no such tracepoint, or tracefs is not mounted.
 */
int overflow_open(const struct ring_spec *spec, const struct ring *to);

/* Write where @to writes now: after it has been mapped, unmapped or redirected. 0 or -errno. */
int overflow_redirect(int fd, const struct ring *to);

/* Emit sample @number for ring @ring; nobody says whether it was refused. 0, or -errno if it was not tried. */
int overflow_emit(int fd, uint32_t ring, uint32_t number);

/* Is the payload one of such a sample? Then *@number is what it says. */
bool overflow_number(const uint8_t *payload, uint32_t size, uint32_t *number);

/* True if all of such a sample is what was emitted for @ring by the calling thread. */
bool overflow_whole(const uint8_t *payload, uint32_t size, uint32_t ring);

#endif
