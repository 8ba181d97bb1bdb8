// SPDX-License-Identifier: GPL-2.0
/*
 * Libraries with a run-time of their own, each in a program of its own that speaks the language of
 * consumers/talk.h. The emitter's perf event array is handed down, so that the library puts its
 * rings there as it does for a tool.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumer.h"
#include "trace_text.h"

#define ANSWER_DEADLINE_MS 30000	/* Python under an emulator takes seconds to start */
#define LINE_BYTES (2 * 65536 + 64)	/* the largest sample in hex, and its word */

/* A running program. */
struct program {
	pid_t pid;
	int line;		/* a socket, its input and output */
	size_t used, taken;	/* bytes of @buffer that were read, and given out as lines */
	char buffer[LINE_BYTES];
	uint8_t payload[65536];
};

static const char *const packages[CONSUMERS] = {
	[CONSUMER_BCC] = "libbpfcc-dev",
	[CONSUMER_BCC_CC] = "libbpfcc-dev g++",
	[CONSUMER_BCC_PY] = "python3-bpfcc",
	[CONSUMER_CILIUM] = "golang-go golang-github-cilium-ebpf-dev",
};

static int __attribute__((format(printf, 3, 4)))
because(struct consumer *c, int ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->reason, sizeof(c->reason), fmt, ap);
	va_end(ap);
	return ret;
}

/* --- lines */

/* Whether the program still lives is shown by its answer; we do not die of a line that nobody reads. */
static void __attribute__((format(printf, 2, 3)))
send_line(struct consumer *c, const char *fmt, ...)
{
	struct program *p = c->own;
	char line[128];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	send(p->line, line, (size_t)len, MSG_NOSIGNAL);
}

/* The next line without its newline, valid until the next call; NULL when the program does not answer. */
static const char *next_line(struct program *p)
{
	memmove(p->buffer, p->buffer + p->taken, p->used - p->taken);
	p->used -= p->taken;
	p->taken = 0;
	for (size_t seen = 0;;) {
		char *newline = memchr(p->buffer + seen, '\n', p->used - seen);
		struct pollfd pfd = { .fd = p->line, .events = POLLIN };
		ssize_t n;

		if (newline) {
			*newline = 0;
			p->taken = (size_t)(newline - p->buffer) + 1;
			return p->buffer;
		}
		seen = p->used;
		if (p->used == sizeof(p->buffer) || poll(&pfd, 1, ANSWER_DEADLINE_MS) != 1)
			return NULL;
		n = read(p->line, p->buffer + p->used, sizeof(p->buffer) - p->used);
		if (n <= 0)
			return NULL;
		p->used += (size_t)n;
	}
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool deliver_sample(struct consumer *c, const char *hex)
{
	struct program *p = c->own;
	struct raw_record record = { .payload = p->payload };

	for (; hex[0] && hex[1] && record.size < sizeof(p->payload); hex += 2) {
		int high = hex_digit(hex[0]), low = hex_digit(hex[1]);

		if (high < 0 || low < 0)
			return false;
		p->payload[record.size++] = (uint8_t)(high << 4 | low);
	}
	if (hex[0])
		return false;
	consumer_deliver(c, &record);
	return true;
}

/* Who does not answer, or says what it should not, is not talked to any more. */
static int give_up(struct consumer *c, const char *said)
{
	struct program *p = c->own;

	kill(p->pid, SIGKILL);
	if (said)
		return because(c, -EPROTO, "%s said: %.100s", consumer_names[c->kind], said);
	return because(c, -EPIPE, "%s ended, or did not answer for %u s", consumer_names[c->kind],
		       ANSWER_DEADLINE_MS / 1000);
}

/* Records until the call is done. Each callback in the program waits until ours has returned. */
static int read_records(struct consumer *c)
{
	struct raw_record lost = { .is_lost = true };
	const char *line;
	int ret;

	while ((line = next_line(c->own))) {
		if (sscanf(line, "done %d", &ret) == 1)
			return ret;
		if (sscanf(line, "lost %" SCNu64, &lost.lost) == 1)
			consumer_deliver(c, &lost);
		else if (strncmp(line, "sample ", 7) || !deliver_sample(c, line + 7))
			return give_up(c, line);
		send_line(c, "next\n");
	}
	return give_up(c, NULL);
}

/* --- the program */

/* PROGRAM's folder/consumers/NAME. False: too long. */
static bool program_path(const struct consumer *c, char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	path[n > 0 ? n : 0] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	n = slash + 1 - path;
	return snprintf(path + n, size - (size_t)n, "consumers/%s", consumer_names[c->kind]) <
	       (int)(size - (size_t)n);
}

static int spawn(struct consumer *c, const char *path)
{
	struct program *p = c->own;
	char number[16];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	p->line = ends[0];
	fflush(NULL);
	p->pid = fork();
	if (!p->pid) {
		int slots_fd = fcntl(c->slots_fd, F_DUPFD, 3);	/* all else that it inherits */

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], 0);
		dup2(ends[1], 1);
		snprintf(number, sizeof(number), "%d", slots_fd);
		execl(path, path, number, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	return p->pid < 0 ? -errno : 0;
}

static void pipe_stop(struct consumer *c)
{
	struct program *p = c->own;

	if (p->pid > 0) {
		/* It ends when its input does; whoever does not is ended. */
		shutdown(p->line, SHUT_WR);
		while (next_line(p))
			;
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->line >= 0)
		close(p->line);
	free(p);
	c->own = NULL;
}

static bool parse_hello(struct consumer *c, char *line)
{
	static const struct {
		const char *name;
		uint32_t offer;
	} offers[] = {
		{ "events", OFFER_EVENTS }, { "zero", OFFER_ZERO }, { "bytes", OFFER_BYTES },
		{ "bytes-any", OFFER_BYTES_ANY }, { "consume", OFFER_CONSUME },
		{ "waits", OFFER_WAITS }, { "fd", OFFER_FD }, { "each", OFFER_EACH },
	};
	char *rest, *word = strtok_r(line, " ", &rest);

	if (!word || strcmp(word, "hello") || !(word = strtok_r(NULL, " ", &rest)))
		return false;
	snprintf(c->version, sizeof(c->version), "%s", word);
	while ((word = strtok_r(NULL, " ", &rest))) {
		size_t i = 0;

		while (i < sizeof(offers) / sizeof(offers[0]) && strcmp(offers[i].name, word))
			i++;
		if (i == sizeof(offers) / sizeof(offers[0]))
			return false;
		c->offers |= offers[i].offer;
	}
	return true;
}

static int pipe_start(struct consumer *c)
{
	char path[4096];
	struct program *p = malloc(sizeof(*p));
	const char *line;
	int ret;

	if (!p || !program_path(c, path, sizeof(path))) {
		free(p);
		return because(c, -ENOMEM, "no memory");
	}
	if (access(path, X_OK)) {
		free(p);
		return because(c, -ENOENT, "%s is not built; run: apt-get install %s && make consumer-programs",
			       path, packages[c->kind]);
	}
	p->line = p->pid = -1;
	p->used = p->taken = 0;
	c->own = p;
	ret = spawn(c, path);
	line = ret ? NULL : next_line(p);
	if (line && parse_hello(c, (char *)line))
		return 0;
	pipe_stop(c);
	return because(c, ret ? ret : -ENOEXEC, "%s does not start; run: apt-get install %s && make consumer-programs",
		       path, packages[c->kind]);
}

/* --- rings */

static int pipe_open(struct consumer *c, uint32_t id, const struct ring_spec *spec,
		     struct ring *ring)
{
	struct program *p = c->own;
	const char *line;
	int fd, mine, pidfd, ret;

	send_line(c, "open %u %u %u %s %u\n", id, spec->cpu, spec->pages,
		  spec->by_watermark ? "bytes" : "events", spec->threshold);
	line = next_line(p);
	if (!line)
		return give_up(c, NULL);
	if (sscanf(line, "ok %d", &fd) != 1)
		return because(c, -EINVAL, "%.100s", line);
	c->rings[id] = p;
	if (fd < 0)
		return 0;
	pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	mine = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	ret = mine < 0 ? -errno : ring_adopt(ring, ring_bytes(spec), mine, -1, NULL);
	if (pidfd >= 0)
		close(pidfd);
	if (mine >= 0)
		close(mine);
	return ret;
}

static int pipe_poll(struct consumer *c, uint32_t id, struct ring *ring, int timeout_ms)
{
	(void)ring;
	send_line(c, "poll %u %d\n", id, timeout_ms);
	return read_records(c);
}

static int pipe_consume(struct consumer *c, uint32_t id, struct ring *ring)
{
	(void)ring;
	send_line(c, "consume %u\n", id);
	return read_records(c);
}

static void pipe_close(struct consumer *c, uint32_t id)
{
	send_line(c, "close %u\n", id);
	read_records(c);
}

const struct consumer_ops consumer_pipe_ops = {
	.start = pipe_start,
	.stop = pipe_stop,
	.open = pipe_open,
	.poll = pipe_poll,
	.consume = pipe_consume,
	.close = pipe_close,
};
