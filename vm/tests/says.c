// SPDX-License-Identifier: GPL-2.0
/*
 * says BAD GOOD COMMAND...: for tests whose exit status says nothing, as that of perf test. Hands on
 * what COMMAND prints; ends with 0 if a line of it has GOOD and none has BAD, else with 1, and with 2
 * where it could not be run.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool good = false, bad = false;
	char line[1024];
	int out[2];
	pid_t pid;
	FILE *f;

	if (argc < 4) {
		fputs("usage: says BAD GOOD COMMAND...\n", stderr);
		return 2;
	}
	if (pipe(out)) {
		perror("says: pipe");
		return 2;
	}
	pid = fork();
	if (!pid) {
		if (dup2(out[1], 1) < 0 || dup2(out[1], 2) < 0)
			_exit(2);
		close(out[0]);
		close(out[1]);
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(2);
	}
	close(out[1]);
	f = pid < 0 ? NULL : fdopen(out[0], "r");
	if (!f) {
		perror("says: cannot run anything");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		fputs(line, stdout);
		bad |= strstr(line, argv[1]) != NULL;
		good |= strstr(line, argv[2]) != NULL;
	}
	waitpid(pid, NULL, 0);
	return good && !bad ? 0 : 1;
}
