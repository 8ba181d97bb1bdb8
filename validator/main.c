// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "commands.h"

#ifndef PERFWAKE_VERSION
#define PERFWAKE_VERSION "unknown"
#endif

const char perfwake_version[] = PERFWAKE_VERSION;

static const char usage[] =
	"usage: perfwake COMMAND ...\n"
	"\n"
	"  run [--emitter test-run|attached|module|packet] [--consumer NAME] [--traces FOLDER] [--json FILE]\n"
	"      [--witness|--no-witness] [--probe breakpoint|kprobe] [--strict] FILE...\n"
	"                     perform cases on this kernel, judge, print KTAP (needs root)\n"
	"  replay [--strict] [--json FILE] FILE...\n"
	"                     judge recorded traces (no rights, any machine)\n"
	"  predict FILE       the case with what the model says filled in\n"
	"  predict --wakeup-events N | --watermark BYTES [--pages P] [--size S] [--samples K]\n"
	"                     where a ring wakes, and what can sit unseen\n"
	"  fuzz [--seed S] [--ops N] [--time SECONDS] [--emitter E] [--traces FOLDER] [--no-witness]\n"
	"                     random cases against this kernel; a difference is shrunk (needs root)\n"
	"  explore [--quick] [--function NAME] [--situation NAME] [--probe breakpoint|kprobe]\n"
	"      [--from FUNCTION+0xOFFSET] [--within] [--traces FOLDER] [--strict]\n"
	"                     a nested sample at every instruction of the writer's way (needs root);\n"
	"                     --within: then one within that, at pairs of places\n"
	"  consumers FILE...  which consumer does what here: a table of cases and probes (needs root)\n"
	"  timeline FILE      a trace (or a case, as predicted) drawn as SVG\n"
	"  report [--rules FILE] [--without NAME] [--as FOLDER] FOLDER...\n"
	"                     results of one kernel or several as one HTML page\n"
	"  list [FILE...]     steps, emitters, consumers, deviations, rules; or the cases in files\n"
	"\n"
	"FILE is a case or trace file, or a folder of *.case files.\n"
	"exit status: 0 all proved; 1 a rule does not hold; 2 wrong usage or set-up\n";

static int run_command(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{ "run", command_run },
		{ "replay", command_replay },
		{ "predict", command_predict },
		{ "fuzz", command_fuzz },
		{ "explore", command_explore },
		{ "consumers", command_consumers },
		{ "list", command_list },
		{ "timeline", command_timeline },
		{ "report", command_report },
	};

	if (argc < 2)
		return complain("no command; see perfwake --help");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		fputs(usage, stdout);
	else if (!strcmp(argv[1], "--version"))
		printf("perfwake %s\n", perfwake_version);
	else
		return complain("unknown command '%s'; see perfwake --help", argv[1]);
	return 0;
}

int main(int argc, char **argv)
{
	int status = run_command(argc, argv);

	/* A report that was cut short is none. */
	if (fflush(stdout) || ferror(stdout)) {
		perror("perfwake: standard output");
		return EXIT_SETUP;
	}
	return status;
}
