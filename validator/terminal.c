// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "terminal.h"

#define PROGRESS_MS 500

static bool shown;	/* a line of progress */

static bool is_terminal(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term && *term && strcmp(term, "dumb");
}

/* no-color.org: any value but the empty one. */
static bool has_colours(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return !(no && *no) && is_terminal(out);
}

/* Colour of a line of KTAP, nested or not; NULL: as it is. What is told by a word is yellow. */
static const char *colour_of(const char *line)
{
	line += strspn(line, " ");
	if (!strncmp(line, "not ok ", 7))
		return strstr(line, " # XFAIL") ? "33" : "1;31";
	if (!strncmp(line, "ok ", 3))
		return strstr(line, " # SKIP") ? "33" : "32";
	return strncmp(line, "Bail out!", 9) ? NULL : "1;31";
}

void terminal_ktap(FILE *out, const char *line)
{
	const char *colour = has_colours(out) ? colour_of(line) : NULL;

	terminal_clear(out);
	if (colour)
		fprintf(out, "\033[%sm%s\033[0m\n", colour, line);
	else
		fprintf(out, "%s\n", line);
}

bool terminal_can_progress(FILE *out)
{
	return is_terminal(out);
}

void terminal_progress(FILE *out, const char *fmt, ...)
{
	static uint64_t last_ms;
	struct timespec now;
	uint64_t ms;
	va_list ap;

	if (!is_terminal(out))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (shown && ms - last_ms < PROGRESS_MS)
		return;
	last_ms = ms;
	shown = true;
	fputs("\r\033[K", out);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fflush(out);
}

void terminal_clear(FILE *out)
{
	if (!shown || !is_terminal(out))
		return;
	shown = false;
	fputs("\r\033[K", out);
	fflush(out);
}
