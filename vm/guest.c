// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

#define PIPE_BYTES (1 << 20)
#define TERM_GRACE_MS 3000	/* for QEMU to obey TERM */

struct life {
	struct guest *g;
	void (*take)(void *ctx, const char *buf, size_t len);
	void *ctx;
	int port;		/* our end of the results port, -1 when it is closed */
	int signals;		/* signalfd */
	pid_t pid;		/* 0 without QEMU, or when it is reaped */
	long long limit_ms;	/* when it is over, or -1 */
	bool killed;		/* TERM was sent */
};

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static int watch_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, dfl = { .sa_handler = SIG_DFL };
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		/* A shell that starts us in the background has made INT ignored. */
		sigaction(ours[i], &dfl, NULL);
		sigaddset(&set, ours[i]);
	}
	sigaction(SIGPIPE, &ignore, NULL);	/* a reader that is gone is seen by poll */
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* In the child: become QEMU, with the port as stdout. It must not outlive its parent. */
static void become(struct guest *g, int port, int report, pid_t parent)
{
	sigset_t none;
	int err, null = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);		/* a Ctrl-C is for us, who then end it in order */
	dup2(null, 0);
	dup2(port, 1);
	dup2(g->log_fd, 2);
	execvp(g->argv[0], g->argv);
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

static int start(struct life *l)
{
	int port[2], report[2], err = 0;
	pid_t parent = getpid();

	if (pipe2(port, O_CLOEXEC) < 0 || pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	fcntl(port[0], F_SETPIPE_SZ, PIPE_BYTES);	/* fewer stops for the guest; may fail */
	l->pid = fork();
	if (l->pid < 0) {
		l->pid = 0;
		return -errno;
	}
	if (!l->pid)
		become(l->g, port[1], report[1], parent);
	close(port[1]);
	close(report[1]);
	if (read(report[0], &err, sizeof(err)) == sizeof(err))
		err = -err;
	close(report[0]);
	l->port = port[0];
	return err;
}

static void stop(struct life *l, enum guest_end end)
{
	if (l->killed)
		return;
	l->killed = true;
	l->g->end = end;
	l->limit_ms = now_ms() + TERM_GRACE_MS;
	if (l->pid)
		kill(-l->pid, SIGTERM);
	else
		l->port = -1;	/* reading stdin: there is nobody to wait for */
}

static void take_signals(struct life *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD) {
			if (!l->killed)
				l->g->signal = info.ssi_signo;
			stop(l, GUEST_SIGNAL);
		} else if (l->pid && waitpid(l->pid, &l->g->status, WNOHANG) == l->pid) {
			/* A child of its own could hold the port open for ever. */
			kill(-l->pid, SIGKILL);
			fcntl(l->port, F_SETFL, O_NONBLOCK);
			l->pid = 0;
		}
	}
}

static void take_port(struct life *l)
{
	char buf[65536];
	ssize_t n = read(l->port, buf, sizeof(buf));

	if (n > 0) {
		l->take(l->ctx, buf, n);
	} else if (n == 0 || errno != EINTR) {
		close(l->port);
		l->port = -1;
	}
}

static void take_time(struct life *l)
{
	if (l->limit_ms < 0 || now_ms() < l->limit_ms)
		return;
	if (!l->killed) {
		stop(l, GUEST_LIMIT);
	} else {
		l->limit_ms = -1;
		if (l->pid)
			kill(-l->pid, SIGKILL);
	}
}

static void follow(struct life *l)
{
	while (l->pid || l->port >= 0) {
		bool over = l->g->argv && !l->pid;	/* QEMU has ended */
		/* Nothing is expected from stdout, but poll tells when its reader is gone. */
		struct pollfd p[3] = { { .fd = l->port, .events = POLLIN },
				       { .fd = l->signals, .events = POLLIN },
				       { .fd = l->killed ? -1 : 1 } };
		long long left = l->limit_ms < 0 ? -1 : l->limit_ms - now_ms();

		if (over || (l->limit_ms >= 0 && left < 0))
			left = 0;
		if (poll(p, 3, left > 1000000 ? 1000000 : left) < 0)
			continue;
		if (p[1].revents)
			take_signals(l);
		/* Once QEMU has ended, what is in the port is all there is. */
		if (l->port >= 0 && (p[0].revents || over))
			take_port(l);
		if (p[2].revents & (POLLERR | POLLHUP))
			stop(l, GUEST_NOBODY);
		take_time(l);
	}
}

void guest_run(struct guest *g, void (*take)(void *ctx, const char *buf, size_t len), void *ctx)
{
	struct life l = { .g = g, .take = take, .ctx = ctx, .limit_ms = -1 };
	int err;

	g->end = GUEST_BY_ITSELF;
	l.signals = watch_signals();
	err = l.signals < 0 ? -errno : 0;
	if (!err && g->argv) {
		/* Should the script that started us be killed, we end QEMU in order. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		err = start(&l);
	}
	if (err) {
		g->end = GUEST_FAILED;
		g->error = -err;
		return;
	}
	if (g->limit_s)
		l.limit_ms = now_ms() + g->limit_s * 1000LL;
	follow(&l);
	close(l.signals);
}
