// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

#define OOM_FILE "/proc/self/oom_score_adj"

static char path[PATH_MAX] = "/bin";

bool agent_is(void)
{
	return getpid() != 1;
}

const char *agent_path(void)
{
	return path;
}

/* Where it cannot be had, a guest without memory ends without a result, which is seen as well. */
static void set_oom(const char *adj)
{
	int fd = open(OOM_FILE, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, adj, strlen(adj)) < 0)
		console_say("cannot write " OOM_FILE ": %s", strerror(errno));
	close(fd);
}

void agent_leave_child(void)
{
	if (agent_is())
		set_oom("0");
}

/*
 * Let /NAME be our folder NAME, whether the image has something there or not. Programs are found
 * by PATH instead, and the module by us.
 */
static int bind_folder(const char *name)
{
	char target[NAME_MAX + 2];

	if (!strcmp(name, "bin") || !strcmp(name, "lib"))
		return 0;
	snprintf(target, sizeof(target), "/%.250s", name);
	mkdir(target, 0755);
	return mount(name, target, NULL, MS_BIND, NULL) ? -errno : 0;
}

static int bind_folders(void)
{
	DIR *dir = opendir(".");
	struct dirent *e;
	struct stat st;
	int err = dir ? 0 : -errno;

	while (!err && (e = readdir(dir)))
		if (*e->d_name != '.' && stat(e->d_name, &st) == 0 && S_ISDIR(st.st_mode))
			err = bind_folder(e->d_name);
	if (dir)
		closedir(dir);
	return err;
}

int agent_enter(const char **why)
{
	char cwd[PATH_MAX - 64];
	int err;

	*why = "cannot watch over tests as a process of the image";
	if (!getcwd(cwd, sizeof(cwd)) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	snprintf(path, sizeof(path), "%s/bin:/usr/sbin:/usr/bin:/sbin:/bin", cwd);
	*why = "cannot put the tests' folders into the root of the image";
	err = bind_folders();
	if (err)
		return err;
	set_oom("-1000");	/* as PID 1 is */
	return chdir("/") ? -errno : 0;
}

/* The parent of a process, or 0 if it is gone. Its name, in brackets, may hold anything. */
static pid_t parent_of(const char *pid)
{
	char file[NAME_MAX + 16], buf[512], *end;
	ssize_t n;
	int fd, ppid;

	snprintf(file, sizeof(file), "/proc/%.250s/stat", pid);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = '\0';
	end = strrchr(buf, ')');
	return end && sscanf(end, ") %*c %d", &ppid) == 1 ? ppid : 0;
}

void agent_kill_children(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		pid_t pid = strtol(e->d_name, NULL, 10);

		if (pid > 1 && parent_of(e->d_name) == getpid())
			kill(pid, SIGKILL);
	}
	if (dir)
		closedir(dir);
	else
		console_say("cannot read /proc: %s", strerror(errno));
}
