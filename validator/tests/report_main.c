// SPDX-License-Identifier: GPL-2.0
/* perfwake with "report" alone, for a build under sanitizers: it needs no kernel. */
#include <stdarg.h>
#include <stdio.h>

#include "commands.h"

const char perfwake_version[] = "tested";

int complain(const char *fmt, ...)
{
	va_list ap;

	fputs("perfwake: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_SETUP;
}

int complain_option(const char *command, char **argv)
{
	(void)argv;
	return complain("%s: unknown option", command);
}

int main(int argc, char **argv)
{
	return argc < 2 ? EXIT_SETUP : command_report(argc - 1, argv + 1);
}
