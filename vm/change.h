/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A change of a kernel source, as a small text file. It says what is replaced by what, and
 * knows no line numbers, so that it outlives a stable update:
 *
 *	# a comment
 *	id	k8a-snapshot-first
 *	rule	K8a
 *	why	One line: what the change does.
 *
 *	file	kernel/events/ring_buffer.c
 *	 a line that stays, there to make the place unique
 *	-a line that goes
 *	+a line that comes
 *	or
 *	 the same place as other kernels have it
 *	...
 *
 * Lines that begin with a blank, - or + are a hunk, a line each, the rest of it as in the
 * source, tabs and all; an empty line or a comment ends it. A hunk's old text (blank and -)
 * has to be found exactly once in the file and is replaced by its new text (blank and +). "or"
 * divides alternatives: exactly one of them has to be found. Hunks are applied in order, each
 * on what the one before left. Several files, several hunks are fine. The file is called
 * ID.change. No input or output here: see change_main.c.
 */
#ifndef VM_CHANGE_H
#define VM_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#define CHANGE_HUNKS	32	/* of one change, alternatives included */
#define CHANGE_ID_MAX	40
#define CHANGE_WHY_MAX	200

/* What went wrong, and in which line of the change file; line 0 is the file as a whole. */
struct change_error {
	unsigned int line;
	char text[400];
};

/* One replacement. The texts end with a newline, or are empty (only new_text may be). */
struct change_hunk {
	const char *path;	/* below the top of the source */
	char *old_text, *new_text;	/* allocated */
	unsigned int line;	/* where it begins in the change file */
	bool alternative;	/* to the hunk before it */
};

struct change {
	const char *id, *rule, *why;
	struct change_hunk hunk[CHANGE_HUNKS];
	unsigned int hunks;
};

/*
 * Parse text, which is cut up in place and has to stay as long as the change. Returns 0, or
 * -EINVAL with error filled, or -ENOMEM. Afterwards change_free() in either case.
 */
int change_parse(struct change *c, char *text, struct change_error *error);
void change_free(struct change *c);

/*
 * Apply the hunk at number at and its alternatives to source, the text of their file. Returns
 * the new text, allocated, and sets next to the hunk behind them; NULL with error filled if
 * none or more than one place fits.
 */
char *change_apply(const struct change *c, unsigned int at, const char *source,
		   unsigned int *next, struct change_error *error);

#endif
