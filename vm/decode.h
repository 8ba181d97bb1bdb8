/* SPDX-License-Identifier: GPL-2.0 */
/* Host side of the results port: turns the guest's stream into a report and a status. */
#ifndef VM_DECODE_H
#define VM_DECODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "brief.h"
#include "judge.h"
#include "plan.h"
#include "port.h"

#define RESULTS_KTAP	"results.ktap"
#define CONSOLE_LOG	"console.log"
#define QEMU_LOG	"qemu.log"

/* A file that is on its way. Start from save_init(). */
struct save {
	int dir_fd;		/* the results folder; borrowed */
	FILE *f;		/* NULL when none is open, or when it is refused */
	bool open;		/* between F and G */
	char name[200];
	unsigned long long size, got, total;
	unsigned int files;
	uint32_t sum;
};

/* All about one stream. Start with decode_init(). */
struct decoder {
	const struct plan *plan;
	FILE *ktap;		/* results.ktap */
	FILE *out;		/* what a person sees */
	FILE *note;		/* what a person sees besides, in command mode not the same */
	struct save save;

	char line[PORT_LINE_MAX];
	size_t len;
	bool overlong;		/* the line at hand is longer than any that init sends */

	bool brief;		/* show a person failures and the tests' own results only */
	struct brief said;	/* by the running test, of which only what belongs to a failure is shown */

	bool begun, ended;	/* B and E seen */
	bool power_off;		/* the guest has no exit port, so QEMU ends with 0 */
	unsigned int running;	/* test between T and R, or 0 */
	unsigned int done;	/* tests with R */
	unsigned long lines, bytes;	/* up to now; a carriage return at a line's end is none */
	unsigned long bad_lines;
	unsigned int klog_lines;	/* for the test at hand */
	unsigned long long kept;	/* bytes of tests' lines in results.ktap */
	unsigned long dropped;	/* lines of tests that were too many */
	unsigned int notes;	/* of the guest's */
	bool warned;		/* the warning that the plan declares has come */
	bool trouble;		/* the stream, the guest or its kernel is not in order */
	bool no_room;		/* a file from the guest could not be written here */
	int guest_status;	/* what E says */
	struct ktap live;	/* reader of the running test's lines */
	struct score score;
};

/*
 * Begin: results.ktap is opened in the folder dir_fd, which the decoder borrows, as it does
 * the plan. Returns 0 or -errno.
 */
int decode_init(struct decoder *d, const struct plan *plan, int dir_fd);

/* Take some bytes of the stream. */
void decode_bytes(struct decoder *d, const char *buf, size_t len);

/* The stream is over: report what is missing. */
void decode_end(struct decoder *d);

/* Add a line that begins with "# " to the report, and show it to the person. */
__attribute__((format(printf, 2, 3)))
void decode_note(struct decoder *d, const char *fmt, ...);

/* Write everything out. Returns 0 or -errno. */
int decode_close(struct decoder *d);

/* save.c: files from the guest. Bad names and damaged files are told through decode_note(). */
void save_init(struct save *s, int dir_fd);
void save_begin(struct decoder *d, const char *args);
void save_data(struct decoder *d, const char *text);
void save_end(struct decoder *d, const char *args);

/* The stream broke off: what has come of a file is kept with .partial at its name's end. */
void save_break(struct decoder *d);

#endif
