/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of perfwake; each gets its own words, argv[0] being its name. */
#ifndef PERFWAKE_COMMANDS_H
#define PERFWAKE_COMMANDS_H

#include "trace_file.h"

/* Exit statuses, the same everywhere (DESIGN section 5). 3 is the guest's, and given by vm/run.sh. */
enum exit_status {
	EXIT_PROVED = 0,
	EXIT_RULE = 1,		/* a rule does not hold */
	EXIT_SETUP = 2,		/* wrong usage or set-up: nothing was judged */
};

int command_run(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_predict(int argc, char **argv);
int command_fuzz(int argc, char **argv);
int command_explore(int argc, char **argv);
int command_consumers(int argc, char **argv);
int command_list(int argc, char **argv);
int command_timeline(int argc, char **argv);
int command_report(int argc, char **argv);

/* Of this build, as git describes it. */
extern const char perfwake_version[];

/* One line on stderr: "perfwake: ..."; returns EXIT_SETUP. */
int __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...);

/* The option that getopt_long() has just refused. */
int complain_option(const char *command, char **argv);

/* The case and trace files named on the command line, in order; a folder stands for its *.case files. */
struct case_list {
	struct trace_file **files;
	char **paths;
	uint32_t count;
};

/*
 * Read all of @paths. Returns 0, or EXIT_SETUP after one line for the first that is refused; then
 * @list is empty. case_list_free() accepts that.
 */
int case_list_read(struct case_list *list, char **paths, int npaths);
void case_list_free(struct case_list *list);

/*
 * Begin and end the JSON report of a command, when @path is not NULL. Each returns the command's status:
 * 0, or EXIT_SETUP after a line that says why; the end takes the one that it has by then.
 */
struct report_json;
int open_json(const char *command, struct report_json *j, const char *path, uint32_t cases);
int close_json(const char *command, struct report_json *j, int status);

/* The worse of two statuses: a broken rule, then a broken set-up. */
static inline int worse_status(int a, int b)
{
	return a == EXIT_RULE || b == EXIT_RULE ? EXIT_RULE : a > b ? a : b;
}

/* The status that a verdict asks for; @strict: a known defect is a broken rule. */
int verdict_status(const struct verdict *v, bool strict);

#endif
