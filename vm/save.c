// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode.h"

#define TOTAL_MAX (256ULL << 20)	/* bytes of all files: a guest must not fill the disk */
#define SAME_NAME_MAX 1000
#define FILES_MAX 20000

void save_init(struct save *s, int dir_fd)
{
	memset(s, 0, sizeof(*s));
	s->dir_fd = dir_fd;
}

/*
 * Names come from the guest, so they are not trusted: plain words divided by single
 * slashes, none of which begins with a dot, and none of the host's own files.
 */
static bool is_safe(const char *name)
{
	static const char *const ours[] = { RESULTS_KTAP, CONSOLE_LOG, QEMU_LOG };
	bool start = true;

	if (!*name || strlen(name) > sizeof(((struct save *)0)->name) - 16)
		return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (!strcmp(name, ours[i]))
			return false;
	for (const char *p = name; *p; p++) {
		if (start && (*p == '.' || *p == '/'))
			return false;
		if (!isalnum((unsigned char)*p) && !strchr("._-+=,@:/", *p))
			return false;
		start = *p == '/';
	}
	return !start;
}

static void make_parents(struct save *s)
{
	for (char *p = strchr(s->name, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdirat(s->dir_fd, s->name, 0777);
		*p = '/';
	}
}

/* Two tests may leave files of one name: the later ones get .2, .3 ... */
static int create(struct save *s)
{
	size_t len = strlen(s->name);
	int fd;

	make_parents(s);
	for (int i = 2; i <= SAME_NAME_MAX; i++) {
		fd = openat(s->dir_fd, s->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
		snprintf(s->name + len, sizeof(s->name) - len, ".%d", i);
	}
	return -1;
}

void save_begin(struct decoder *d, const char *args)
{
	struct save *s = &d->save;
	char *name;
	int fd;

	if (s->open)
		save_break(d);
	s->open = true;
	s->got = 0;
	s->sum = PORT_SUM_START;
	s->size = strtoull(args, &name, 10);
	name += *name == ' ';
	s->name[0] = '\0';
	if (!is_safe(name)) {
		d->score.broken = true;
		decode_note(d, "a file with the name \"%.100s\" is refused", name);
		return;
	}
	if (s->size > PORT_FILE_MAX || s->total + s->size > TOTAL_MAX) {
		d->score.broken = true;
		decode_note(d, "file %s is refused: %llu bytes are too many", name, s->size);
		return;
	}
	if (s->files >= FILES_MAX) {
		d->trouble = true;
		if (s->files++ == FILES_MAX)
			decode_note(d, "file %s and those behind it are refused: more than %d files", name, FILES_MAX);
		return;
	}
	s->files++;
	s->total += s->size;
	memcpy(s->name, name, strlen(name) + 1);
	fd = create(s);
	s->f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!s->f) {
		/* Else it is the name that cannot be: a folder is called so. */
		if (errno == ENOSPC || errno == EDQUOT)
			d->no_room = true;
		else
			d->trouble = true;
		decode_note(d, "cannot write file %s: %s", s->name, strerror(errno));
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that an escape stands for, its text behind the backslash; -1 if it is none. */
static int unescape(const char **text)
{
	const char *t = *text;
	int high, low;

	*text = t + 1;
	switch (*t) {
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case '\\':
		return '\\';
	case 'x':
		break;
	default:
		*text = t;
		return -1;
	}
	high = hex_value(t[1]);
	low = high < 0 ? -1 : hex_value(t[2]);
	if (low < 0)
		return -1;
	*text = t + 3;
	return high << 4 | low;
}

void save_data(struct decoder *d, const char *text)
{
	struct save *s = &d->save;

	while (*text) {
		int c = (unsigned char)*text++;
		unsigned char byte;

		if (c == '\\')
			c = unescape(&text);
		byte = c;
		/* A bad escape only has to spoil the sum. */
		s->sum = port_sum(s->sum, &byte, 1);
		s->got++;
		if (s->f && c >= 0 && s->got <= s->size)
			putc(c, s->f);
	}
}

static void close_file(struct decoder *d, bool whole)
{
	struct save *s = &d->save;
	char partial[sizeof(s->name) + 16];
	bool bad;

	s->open = false;
	if (!s->f)
		return;
	bad = ferror(s->f);
	bad |= fclose(s->f) != 0;
	s->f = NULL;
	if (bad) {
		d->no_room = true;
		decode_note(d, "cannot write file %s: check the space left on the disk", s->name);
	}
	if (whole && !bad)
		return;
	snprintf(partial, sizeof(partial), "%s.partial", s->name);
	renameat(s->dir_fd, s->name, s->dir_fd, partial);
}

void save_end(struct decoder *d, const char *args)
{
	struct save *s = &d->save;
	bool whole = s->got == s->size && strtoul(args, NULL, 16) == s->sum;

	if (!whole && s->f) {
		d->trouble = true;
		decode_note(d, "file %s came damaged, kept as .partial", s->name);
	}
	close_file(d, whole);
}

void save_break(struct decoder *d)
{
	if (!d->save.open)
		return;
	d->trouble = true;
	decode_note(d, "file %s broke off after %llu of %llu bytes, kept as .partial",
		    d->save.name, d->save.got, d->save.size);
	close_file(d, false);
}
