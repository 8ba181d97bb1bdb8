/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What only a person at a terminal is shown: colours, and one line that tells how far long work has
 * come. Into a file or a pipe goes neither; perfwake's and vm/'s programs share this.
 */
#ifndef PERFWAKE_TERMINAL_H
#define PERFWAKE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Write one line of KTAP, a newline behind it: coloured where @out is a terminal and NO_COLOR is not set. */
void terminal_ktap(FILE *out, const char *line);

/* Can @out show and take back a line? */
bool terminal_can_progress(FILE *out);

/* Show a line of progress on @out, in the place of the last one; no more than two a second. */
void __attribute__((format(printf, 2, 3))) terminal_progress(FILE *out, const char *fmt, ...);

/* Take the line away, if one is shown, before something else is written. */
void terminal_clear(FILE *out);

#endif
