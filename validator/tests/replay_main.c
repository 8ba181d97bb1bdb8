// SPDX-License-Identifier: GPL-2.0
/* "replay" alone, for programs that are linked against another model. */
#include "commands.h"

const char perfwake_version[] = "wrong";

int main(int argc, char **argv)
{
	return command_replay(argc, argv);
}
