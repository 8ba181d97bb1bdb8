// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "init.h"
#include "port.h"

#define TERM_GRACE_MS 2000	/* between TERM and KILL */
#define KILL_GRACE_MS 5000	/* between KILL and giving up */
#define DRAIN_MAX (256 << 10)	/* bytes read of what the dead left behind; a pty holds less */

/* A test in flight. */
struct running {
	const struct plan_test *t;
	unsigned int i;
	struct outcome *o;
	pid_t pid;
	bool ended;		/* reaped, status is valid */
	int status;
	int out;		/* our end of the pty; it does not block */
	char line[PORT_TEXT_MAX + 1];
	size_t len;
	bool pending;		/* something of a line has come, be it only cut bytes */
};

static int chld_fd = -1;	/* readable when a child has ended */

int test_init(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY }, none = { 0, 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	chld_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (chld_fd < 0)
		return -errno;
	setrlimit(RLIMIT_MEMLOCK, &all);	/* BPF maps count towards it before 5.11 */
	setrlimit(RLIMIT_CORE, &none);
	return 0;
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* In the child. Words NAME=VALUE in front are for the environment, as a shell takes them. */
static char **take_environment(char **argv)
{
	clearenv();
	setenv("PATH", agent_path(), 1);
	putenv("HOME=/");
	putenv("TERM=dumb");
	putenv("NO_COLOR=1");
	putenv("LANG=C");
	/* A path may hold '=' as well. */
	for (; argv[1] && argv[0][strcspn(argv[0], "=/")] == '='; argv++)
		putenv(argv[0]);
	return argv;
}

/* In the child. Returns only if the program cannot be started. */
static void become(const struct plan_test *t, int tty, int report)
{
	char **argv = take_environment(t->argv);
	sigset_t none;
	int null, err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	agent_leave_child();
	setsid();		/* a group of its own, so that it can be ended as a whole */
	null = open("/dev/null", O_RDONLY);
	dup2(null, 0);
	dup2(tty, 1);
	dup2(tty, 2);
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* Start the test; 0 or -errno, also when it is the program that cannot be started. */
static int start(struct running *r)
{
	struct termios raw;
	int tty, report[2], err = 0;

	cfmakeraw(memset(&raw, 0, sizeof(raw)));
	raw.c_cflag |= CS8 | CREAD;
	/* A terminal rather than a pipe: stdio then writes line by line, as things happen. */
	if (openpty(&r->out, &tty, NULL, &raw, NULL) < 0)
		return -errno;
	fcntl(r->out, F_SETFL, O_NONBLOCK);
	fcntl(r->out, F_SETFD, FD_CLOEXEC);
	fcntl(tty, F_SETFD, FD_CLOEXEC);
	if (pipe2(report, O_CLOEXEC) < 0) {
		err = -errno;
		goto out;
	}
	r->pid = fork();
	if (r->pid < 0)
		err = -errno;
	else if (r->pid == 0)
		become(r->t, tty, report[1]);
	close(report[1]);
	/* Nothing comes when the exec closed the other end. */
	if (!err && read(report[0], &err, sizeof(err)) == sizeof(err))
		err = -err;
	close(report[0]);
out:
	close(tty);
	return err;
}

static void end_line(struct running *r)
{
	if (r->len && r->line[r->len - 1] == '\r')
		r->len--;
	r->line[r->len] = '\0';
	port_send_text('L', r->i, r->line, r->len);
	console_test_line(r->line, ktap_feed(&r->o->ktap, r->line));
	r->len = 0;
	r->pending = false;
}

/* Take what the test printed. A line's bytes beyond the limit are dropped, not a new line. */
static void take_output(struct running *r, const char *buf, size_t len)
{
	for (size_t j = 0; j < len; j++) {
		if (buf[j] == '\n') {
			end_line(r);
			continue;
		}
		r->pending = true;
		if (r->len < PORT_TEXT_MAX)
			r->line[r->len++] = buf[j] ? buf[j] : '?';
	}
}

/* Read once; false when there is nothing (more) to be had. */
static bool read_output(struct running *r)
{
	char buf[4096];
	ssize_t n = read(r->out, buf, sizeof(buf));

	if (n <= 0)
		return false;
	take_output(r, buf, n);
	port_flush();
	return true;
}

/* What tests left behind comes to us as well. Returns whether children are left. */
static bool reap(struct running *r)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(chld_fd, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != r->pid)
			continue;
		r->ended = true;
		r->status = status;
	}
	return pid == 0;
}

/* Wait up to until_ms for the test to end, taking its output. */
static void follow(struct running *r, long long until_ms)
{
	struct pollfd p[2] = { { .fd = chld_fd, .events = POLLIN },
			       { .fd = r->out, .events = POLLIN } };

	for (;;) {
		long long left = until_ms - now_ms();

		reap(r);
		if (r->ended || left <= 0)
			return;
		if (poll(p, 2, left > 1000000 ? 1000000 : left) < 0)
			continue;
		if (p[1].revents && !read_output(r))
			p[1].fd = -1;	/* it closed its output; its end is still to come */
	}
}

static void kill_rest(void)
{
	if (agent_is())
		agent_kill_children();
	else
		kill(-1, SIGKILL);
}

/* End every process of the test, and take what they still had to say. */
static void sweep(struct running *r)
{
	struct pollfd p = { .fd = chld_fd, .events = POLLIN };
	long long until_ms = now_ms() + KILL_GRACE_MS;
	size_t most = DRAIN_MAX / 4096;

	/* Once more after each that ended: its children are ours now. */
	for (kill_rest(); reap(r) && now_ms() < until_ms; kill_rest())
		poll(&p, 1, until_ms - now_ms() > 0 ? until_ms - now_ms() : 0);
	while (most-- && read_output(r))
		;
	if (r->pending)
		end_line(r);
}

void test_run(const struct plan_test *t, unsigned int i, struct outcome *o)
{
	static struct running r;
	int err;

	memset(&r, 0, sizeof(r));
	r.t = t;
	r.i = i;
	r.o = o;
	r.out = -1;
	ktap_init(&o->ktap);
	err = start(&r);
	if (!err)
		follow(&r, now_ms() + t->limit_s * 1000LL);
	o->way = END_EXIT;
	o->value = 0;
	if (err) {
		o->way = END_NOEXEC;
		o->value = -err;
	} else if (!r.ended) {
		o->way = END_TIMEOUT;
		o->value = t->limit_s;
		kill(-r.pid, SIGTERM);
		follow(&r, now_ms() + TERM_GRACE_MS);
	}
	sweep(&r);
	if (!err && !r.ended)
		o->way = END_STUCK;
	else if (o->way == END_EXIT && WIFSIGNALED(r.status)) {
		o->way = END_SIGNAL;
		o->value = WTERMSIG(r.status);
	} else if (o->way == END_EXIT) {
		o->value = WEXITSTATUS(r.status);
	}
	ktap_finish(&o->ktap);
	if (r.out >= 0)
		close(r.out);
}
