/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of PID 1. Errors that nobody can act upon go to the console. */
#ifndef VM_INIT_H
#define VM_INIT_H

#include <stdbool.h>
#include <stddef.h>

#include "judge.h"
#include "plan.h"

#define RESULTS_DIR "/results"	/* where tests leave files for the host */

/* Say something on the console, which is a log and nothing else. */
__attribute__((format(printf, 1, 2)))
void console_say(const char *fmt, ...);

/* init_port.c: the results port. */

/* Open it; 0 or -errno. Before, and where that failed, what is sent goes nowhere. */
int port_open(const char *path);

/* Send one line, without its newline. */
__attribute__((format(printf, 1, 2)))
void port_send(const char *fmt, ...);

/* Send what a test or the kernel said: kind is L or K, unprintable bytes become '?'. */
void port_send_text(char kind, unsigned int test, const char *text, size_t len);

/* Push out what has been gathered. */
void port_flush(void);

/* Send the end marker: the guest's status, and its tests by judgement. */
void port_send_end(int status, unsigned int passed, unsigned int failed, unsigned int skipped);

/* Wait until the last byte has left the machine. */
void port_drain(void);

/* init_files.c: send the files that are under RESULTS_DIR, and remove them. */
void files_send(void);

/* init_test.c */

/* Once, before the first test: 0 or -errno. */
int test_init(void);

/*
 * Run test number i (from 1) to its end or its limit, send what it prints, and leave no
 * process behind. Fills way, value and ktap of the outcome.
 */
void test_run(const struct plan_test *t, unsigned int i, struct outcome *o);

/* init_klog.c */

/* Open the kernel's log at its beginning, in which the warning due has to come: 0 or -errno. */
int klog_open(const char *due);

/*
 * Read the kernel's log to its present end, send what is trouble in it, as seen after
 * test i. Fills klog_lines and klog_blind of the outcome.
 */
void klog_scan(unsigned int i, struct outcome *o);

/* Whether the warning that is due has come. */
bool klog_came(void);

#endif
