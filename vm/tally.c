// SPDX-License-Identifier: GPL-2.0
/*
 * Copies a KTAP or TAP stream from stdin to stdout, checks it, and closes with one line,
 * "N passed, N failed, N skipped". Exit status: 0 something passed and nothing failed,
 * 1 a failure or a breach of the format, 2 no results at all.
 */
#include <stdio.h>
#include <string.h>

#include "ktap.h"

#define LINE_MAX_BYTES 4096	/* what follows in a longer line is copied, not read */

/*
 * Read up to the end of a line, copying as we go. Returns false at the end of the stream.
 * line gets what fits, without the newline and a carriage return before it.
 */
static bool copy_line(char *line)
{
	size_t len = 0;
	int c;

	while ((c = getchar()) != EOF && c != '\n') {
		putchar(c);
		if (len < LINE_MAX_BYTES - 1)
			line[len++] = c ? c : '?';
	}
	if (c == EOF && !len)
		return false;
	putchar('\n');
	fflush(stdout);		/* somebody may be watching */
	if (len && line[len - 1] == '\r')
		len--;
	line[len] = '\0';
	return true;
}

int main(int argc, char **argv)
{
	static char line[LINE_MAX_BYTES];
	unsigned long told = 0;
	struct ktap k;

	(void)argv;
	if (argc > 1) {
		fputs("usage: tally < KTAP-STREAM\n", stderr);
		return 2;
	}
	ktap_init(&k);
	while (copy_line(line)) {
		ktap_feed(&k, line);
		if (k.errors && !told) {
			told = k.errors;
			printf("# tally: %s\n", k.error);
		}
	}
	ktap_finish(&k);
	if (k.errors && !told)
		printf("# tally: %s\n", k.error);
	if (k.errors > 1)
		printf("# tally: %lu breaches of the format in all\n", k.errors);
	printf("%lu passed, %lu failed, %lu skipped\n", k.passed, k.failed, k.skipped);
	if (fflush(stdout) || ferror(stdout)) {
		perror("tally: cannot write to stdout");
		return 2;
	}
	if (k.failed)
		return 1;
	return k.passed ? 0 : k.skipped ? 1 : 2;
}
