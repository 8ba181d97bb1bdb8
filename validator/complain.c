// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#include "commands.h"

int complain(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("perfwake: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_SETUP;
}

int complain_option(const char *command, char **argv)
{
	char letter[] = { '-', (char)optopt, 0 };

	/* Of "-xy" getopt_long() refuses one letter at a time, and optind stays where it is. */
	return complain("%s: unknown option %s; see perfwake --help", command,
			optopt ? letter : argv[optind - 1]);
}
