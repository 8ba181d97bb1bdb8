// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "brief.h"
#include "init.h"

#define LINGER_MAX_S 3600

static int linger_s = -1;	/* -1: nobody reads the console */
static struct brief said;

/* The kernel hands us words of its command line that it does not know as our environment. */
void console_init(void)
{
	const char *word = getenv("PERFWAKE_CONSOLE");
	long seconds = word ? strtol(word, NULL, 10) : -1;

	linger_s = seconds > LINGER_MAX_S ? LINGER_MAX_S : seconds;
}

bool console_is_answer(void)
{
	return linger_s >= 0;
}

void console_test_line(const char *line, enum ktap_kind kind)
{
	const char *before;

	if (!console_is_answer())
		return;
	before = brief_take(&said, line, kind);
	if (before)
		fprintf(stderr, "%s%s\n", before, line);
}

void console_result(unsigned int i, const char *name, enum judgement j, const char *reason)
{
	const char *rest = brief_rest(&said);

	if (!console_is_answer())
		return;
	if (j == JUDGED_SKIPPED)
		fprintf(stderr, "ok %u %s # SKIP %s\n", i, name, reason);
	else if (j == JUDGED_OK)
		fprintf(stderr, "ok %u %s\n", i, name);
	else
		fprintf(stderr, "%snot ok %u %s # %s\n", rest, i, name, reason);
}

void console_end(int status, const struct score *score)
{
	if (!console_is_answer())
		return;
	fprintf(stderr, "# status %d\n%lu passed, %lu failed, %lu skipped\n", status,
		score->results_passed, score->results_failed, score->results_skipped);
	tcdrain(STDERR_FILENO);		/* the machine may be gone the moment after */
}

void console_linger(void)
{
	if (linger_s > 0)
		sleep(linger_s);
}
