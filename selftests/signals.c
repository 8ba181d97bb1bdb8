// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

int ask_for_signals(const struct ring *r, int sig)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || fcntl(r->fd, F_SETOWN_EX, &owner) ||
	    fcntl(r->fd, F_SETSIG, sig) || fcntl(r->fd, F_SETFL, O_ASYNC))
		return -errno;
	return 0;
}

int signals(const struct ring *r, int sig)
{
	static const struct timespec at_once;
	siginfo_t info;
	sigset_t set;
	int count = 0;

	sigemptyset(&set);
	sigaddset(&set, sig);
	while (sigtimedwait(&set, &info, &at_once) == sig) {
		if (info.si_code != POLL_IN || info.si_fd != r->fd)
			return -1;
		count++;
	}
	return count;
}
