// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan.h"

#define PLAN_BYTES_MAX (1 << 20)
#define ARGS_MAX 1024

struct cursor {
	char *at, *end;
};

/* The next string, or NULL where the plan ends too early. */
static char *next_string(struct cursor *c)
{
	char *s = c->at, *nul = memchr(s, '\0', c->end - s);

	if (!nul)
		return NULL;
	c->at = nul + 1;
	return s;
}

/* The next string as a number from 0 to max, or -1. */
static long next_number(struct cursor *c, long max)
{
	const char *s = next_string(c);
	char *end;
	long n;

	if (!s || *s < '0' || *s > '9')
		return -1;
	errno = 0;
	n = strtol(s, &end, 10);
	return errno || *end || n > max ? -1 : n;
}

/* Names are printed in result lines, where these bytes have a meaning. */
static bool is_name(const char *s)
{
	size_t len = strlen(s);

	if (!len || len > PLAN_NAME_MAX || *s == ' ')
		return false;
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == '#' || *s == 127)
			return false;
	return true;
}

static int read_test(struct plan_test *t, struct cursor *c, const char **why)
{
	long limit_s, expected, args;

	t->name = next_string(c);
	if (!t->name || !is_name(t->name)) {
		*why = "a test has no name, or one that is long or has a # in it";
		return -EINVAL;
	}
	limit_s = next_number(c, PLAN_LIMIT_MAX);
	expected = next_number(c, 255);
	t->may_skip = next_string(c);
	args = next_number(c, ARGS_MAX);
	if (limit_s < 1 || expected < 0 || !t->may_skip || args < 1) {
		*why = "a test has a bad limit, expected status or number of arguments";
		return -EINVAL;
	}
	t->limit_s = limit_s;
	t->expected = expected;
	t->argv = calloc(args + 1, sizeof(*t->argv));
	if (!t->argv) {
		*why = "no memory";
		return -ENOMEM;
	}
	for (long i = 0; i < args; i++) {
		t->argv[i] = next_string(c);
		if (!t->argv[i]) {
			*why = "it ends in the middle of a test";
			return -EINVAL;
		}
	}
	return 0;
}

int plan_read(struct plan *p, char *data, size_t len, const char **why)
{
	struct cursor c = { .at = data, .end = data + len };
	const char *magic, *mode;
	long tests;

	memset(p, 0, sizeof(*p));
	magic = next_string(&c);
	if (!magic || strcmp(magic, PLAN_MAGIC)) {
		*why = "it does not begin with " PLAN_MAGIC;
		return -EINVAL;
	}
	mode = next_string(&c);
	if (mode && !strcmp(mode, "suite"))
		p->mode = PLAN_SUITE;
	else if (mode && !strcmp(mode, "command"))
		p->mode = PLAN_COMMAND;
	else if (mode && !strcmp(mode, "shell"))
		p->mode = PLAN_SHELL;
	p->warns = next_string(&c);
	tests = next_number(&c, PLAN_TESTS);
	if (!p->mode || !p->warns || tests < 0 || (tests < 1) != (p->mode == PLAN_SHELL)) {
		*why = "its mode or its number of tests is wrong";
		return -EINVAL;
	}
	for (; p->tests < tests; p->tests++) {
		int err = read_test(&p->test[p->tests], &c, why);

		if (err)
			return err;
	}
	if (c.at != c.end) {
		*why = "something follows the last test";
		return -EINVAL;
	}
	return 0;
}

int plan_load(struct plan *p, const char *path, const char **why)
{
	char *data = malloc(PLAN_BYTES_MAX);
	size_t len = 0;
	ssize_t n = -1;
	int fd, err;

	*why = "no memory";
	if (!data)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, data + len, PLAN_BYTES_MAX - len)) > 0)
		len += n;
	err = n < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (err)
		*why = strerror(-err);
	else
		err = plan_read(p, data, len, why);
	if (err)
		free(data);
	return err;
}
