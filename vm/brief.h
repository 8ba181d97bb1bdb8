/* SPDX-License-Identifier: GPL-2.0 */
/* Of what a test says, only what belongs to a failure is for a person to see. */
#ifndef VM_BRIEF_H
#define VM_BRIEF_H

#include <stddef.h>

#include "ktap.h"

/* A test's lines since its last result, for when the next fails. Start from zero. */
struct brief {
	char held[8192];
	size_t len;
};

/*
 * Take one line that is of this kind. Returns NULL when there is nothing to be shown; else the line
 * is, and before it the text that is returned: whole lines, good until the next call.
 */
const char *brief_take(struct brief *b, const char *line, enum ktap_kind kind);

/* The test has ended: returns what it said since its last result, whole lines or "", and forgets it. */
const char *brief_rest(struct brief *b);

#endif
