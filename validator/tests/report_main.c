// SPDX-License-Identifier: GPL-2.0
/* perfwake with "report" alone, for a build under sanitizers: it needs no kernel. */
#include "commands.h"

const char perfwake_version[] = "tested";

int main(int argc, char **argv)
{
	return argc < 2 ? EXIT_SETUP : command_report(argc - 1, argv + 1);
}
