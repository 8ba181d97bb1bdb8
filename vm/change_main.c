// SPDX-License-Identifier: GPL-2.0
/*
 * Reads changes (change.h) and applies them: all files are changed in memory first, so that
 * nothing is written when one of them does not fit, and the source itself never is.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "change.h"

#define SUFFIX		".change"
#define FILE_BYTES_MAX	(16 << 20)
#define FILES_MAX	64

/* A file of the source, as changed so far. */
struct source {
	char path[PATH_MAX];	/* below the top of the source */
	char *text;
};

static struct source source[FILES_MAX];
static unsigned int sources;

static const char usage[] =
	"usage: change show FILE...             print id, rule, reason and files, with tabs between\n"
	"       change apply SOURCE OUT FILE... write what FILEs change of SOURCE below OUT, and print the paths\n";

/* The whole file as a string, or NULL with the reason printed. */
static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t len = 0;
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode))
		errno = EISDIR;
	else if (fd >= 0 && st.st_size > FILE_BYTES_MAX)
		errno = EFBIG;
	else if (fd >= 0)
		text = malloc(st.st_size + 1);
	while (text && (n = read(fd, text + len, st.st_size - len)) > 0)
		len += n;
	if (text && !n)
		text[len] = '\0';
	if (!text || n)
		fprintf(stderr, "change: cannot read %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (text && !n && strlen(text) != len) {
		fprintf(stderr, "change: cannot use %s: it is no text\n", path);
		n = -1;
	}
	if (text && n) {
		free(text);
		text = NULL;
	}
	return text;
}

static int complain(const char *file, const struct change_error *e)
{
	if (e->line)
		fprintf(stderr, "change: %s:%u: %s\n", file, e->line, e->text);
	else
		fprintf(stderr, "change: %s: %s\n", file, e->text);
	return -EINVAL;
}

/* Read and parse FILE; the text belongs to the caller, as does the change. */
static int load(const char *file, struct change *c, char **text)
{
	struct change_error error = { 0, "no memory" };
	const char *base = strrchr(file, '/');
	size_t len;

	base = base ? base + 1 : file;
	*c = (struct change){ 0 };
	*text = read_text(file);
	if (!*text)
		return -EIO;
	if (change_parse(c, *text, &error))
		return complain(file, &error);
	len = strlen(c->id);
	if (strncmp(base, c->id, len) || strcmp(base + len, SUFFIX)) {
		fprintf(stderr, "change: %s: its id is %s, so call it %s" SUFFIX "\n", file, c->id, c->id);
		return -EINVAL;
	}
	return 0;
}

static int show(const char *file)
{
	struct change c;
	char *text;
	int err = load(file, &c, &text);

	if (!err) {
		printf("%s\t%s\t%s\t", c.id, c.rule, c.why);
		for (unsigned int i = 0; i < c.hunks; i++)
			if (!i || strcmp(c.hunk[i].path, c.hunk[i - 1].path))
				printf("%s%s", i ? " " : "", c.hunk[i].path);
		putchar('\n');
	}
	change_free(&c);
	free(text);
	return err;
}

/* The file at path as changed so far, read from the folder top at first. */
static struct source *find_source(const char *top, const char *path)
{
	char name[PATH_MAX];
	struct source *s;

	for (s = source; s < source + sources; s++)
		if (!strcmp(s->path, path))
			return s;
	if (sources == FILES_MAX) {
		fprintf(stderr, "change: more than %d files to change\n", FILES_MAX);
		return NULL;
	}
	if (snprintf(name, sizeof(name), "%s/%s", top, path) >= (int)sizeof(name)) {
		fprintf(stderr, "change: cannot read %s: %s\n", path, strerror(ENAMETOOLONG));
		return NULL;
	}
	s->text = read_text(name);
	if (!s->text)
		return NULL;
	strcpy(s->path, path);
	sources++;
	return s;
}

static int apply(const char *top, const char *file)
{
	struct change_error error;
	struct change c;
	char *text;
	int err = load(file, &c, &text);

	for (unsigned int i = 0; !err && i < c.hunks;) {
		struct source *s = find_source(top, c.hunk[i].path);
		char *changed = s ? change_apply(&c, i, s->text, &i, &error) : NULL;

		if (!s)
			err = -EIO;
		else if (!changed)
			err = complain(file, &error);
		if (changed) {
			free(s->text);
			s->text = changed;
		}
	}
	change_free(&c);
	free(text);
	return err;
}

static int make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		int err;

		*p = '\0';
		err = mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
		*p = '/';
		if (err)
			return err;
	}
	return 0;
}

static int write_out(const char *out, const struct source *s)
{
	char name[2 * PATH_MAX];
	FILE *f = NULL;
	int err;

	snprintf(name, sizeof(name), "%.4000s/%s", out, s->path);
	err = make_parents(name);
	if (!err) {
		f = fopen(name, "w");
		err = f && fputs(s->text, f) >= 0 ? 0 : -errno;
	}
	if (f && fclose(f) && !err)
		err = -errno;
	if (err)
		fprintf(stderr, "change: cannot write %s: %s\n", name, strerror(-err));
	else
		puts(s->path);
	return err;
}

int main(int argc, char **argv)
{
	int err = 0;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc >= 3 && !strcmp(argv[1], "show")) {
		for (int i = 2; i < argc && !err; i++)
			err = show(argv[i]);
	} else if (argc >= 5 && !strcmp(argv[1], "apply")) {
		for (int i = 4; i < argc && !err; i++)
			err = apply(argv[2], argv[i]);
		for (unsigned int i = 0; i < sources && !err; i++)
			err = write_out(argv[3], &source[i]);
		for (unsigned int i = 0; i < sources; i++)
			free(source[i].text);
	} else {
		fputs(usage, stderr);
		return 2;
	}
	if (!err && fflush(stdout)) {
		fprintf(stderr, "change: cannot write to stdout: %s\n", strerror(errno));
		err = -EIO;
	}
	return err ? 2 : 0;
}
