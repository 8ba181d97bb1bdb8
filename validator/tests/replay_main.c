// SPDX-License-Identifier: GPL-2.0
/* "replay" alone, for programs that are linked against another model. */
#include <stdarg.h>
#include <stdio.h>

#include "commands.h"

const char perfwake_version[] = "wrong";

int complain_option(const char *command, char **argv)
{
	(void)argv;
	return complain("%s: unknown option", command);
}

int complain(const char *fmt, ...)
{
	va_list ap;

	fputs("replay: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_SETUP;
}

int main(int argc, char **argv)
{
	return command_replay(argc, argv);
}
