/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the test module. */
#ifndef PERFWAKE_MODULE_H
#define PERFWAKE_MODULE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "sample.h"
#include "perfwake_test.h"

/* contexts.c */

/* Who an NMI is for. */
enum nmi_for { NMI_NOBODY, NMI_SHOT, NMI_TICK };

/* The context that the kernel says this is. */
enum sample_context context_now(void);

/* False where raise_nmi() would raise something else. */
bool nmi_possible(void);

/* An NMI on this CPU, that has come and gone when this returns. In any context. */
void raise_nmi(enum nmi_for whom);

/* Call @fn on @cpu, in process context. Returns what it does, or -ENXIO. */
long run_on(unsigned int cpu, long (*fn)(void *arg), void *arg);

int nmi_init(void);
void nmi_exit_handler(void);

/* fire.c: PERFWAKE_TEST_FIRE; one call at a time. */
long ioctl_fire(struct perfwake_fire __user *arg);

/* We are in a context that a shot asked for. */
void shot_entered(enum sample_context asked);

/* The tracepoint. */
void fire_tracepoint(enum sample_context context);

/* Take the probe away that nestings need, and wait for what is under way. */
void fire_release(void);
void fire_exit(void);

/* timer.c: PERFWAKE_TEST_TIMER; one call at a time. */
long ioctl_timer(struct perfwake_timer __user *arg);

/* One tick's output, in context @asked. */
void tick_from(enum sample_context asked);
void timer_init(void);
void timer_release(void);

#endif
