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

/*
 * init_console.c: the answer on the console, for who has booted an image of make image and has no
 * host's tools. It asks for it on the kernel's command line; without that nothing of this is said.
 */

/* Once, before the others. */
void console_init(void);
bool console_is_answer(void);

/* A line that the running test printed; what it did, with its reason or ""; how all ended. */
void console_test_line(const char *line, enum ktap_kind kind);
void console_result(unsigned int i, const char *name, enum judgement j, const char *reason);
void console_end(int status, const struct score *score);

/* Leave the answer on the screen for a while. */
void console_linger(void);

/* init_agent.c: in a distribution's image, where PID 1 is somebody else. */

bool agent_is(void);

/*
 * Put the folders that tests look for into their places, and become the one to whom the orphans of
 * tests come. Returns 0, or -errno with *why set to what could not be done.
 */
int agent_enter(const char **why);

/* The tests' PATH. */
const char *agent_path(void);

/* In a test's process, which may be killed for want of memory as any other. */
void agent_leave_child(void);

/* Kill our children, and nobody else; theirs become ours by that. */
void agent_kill_children(void);

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
