// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"
#include "port.h"

#define DEPTH_MAX 3
#define DATA_MAX (PORT_LINE_MAX - 8)	/* of escaped bytes in a D line */

struct data_line {
	char text[DATA_MAX + 1];
	size_t len;
};

static void flush_data(struct data_line *d)
{
	if (!d->len)
		return;
	d->text[d->len] = '\0';
	port_send("D %s", d->text);
	d->len = 0;
}

static void put_byte(struct data_line *d, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	if (d->len + 4 > DATA_MAX)
		flush_data(d);
	if (c >= ' ' && c < 127 && c != '\\') {
		d->text[d->len++] = c;
		return;
	}
	d->text[d->len++] = '\\';
	switch (c) {
	case '\n':
		d->text[d->len++] = 'n';
		return;
	case '\r':
		d->text[d->len++] = 'r';
		return;
	case '\t':
		d->text[d->len++] = 't';
		return;
	case '\\':
		d->text[d->len++] = '\\';
		return;
	}
	d->text[d->len++] = 'x';
	d->text[d->len++] = hex[c >> 4];
	d->text[d->len++] = hex[c & 15];
}

static void send_file(int fd, const char *name, size_t size)
{
	static struct data_line d;
	unsigned char buf[4096];
	uint32_t sum = PORT_SUM_START;
	size_t left = size;
	ssize_t n;

	port_send("F %zu %s", size, name);
	while (left && (n = read(fd, buf, left < sizeof(buf) ? left : sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			put_byte(&d, buf[i]);
		sum = port_sum(sum, buf, n);
		left -= n;
	}
	flush_data(&d);
	/* A file that became shorter meanwhile is told by its size. */
	port_send("G %08x", sum);
}

static void send_folder(int parent, const char *name, const char *path, int depth);

static void send_entry(int dir, const char *name, const char *path, int depth)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		port_send("N file %s left out: %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		send_folder(dir, name, path, depth + 1);
	} else if (!S_ISREG(st.st_mode)) {
		port_send("N file %s left out: not a plain file", path);
		unlinkat(dir, name, 0);
	} else if (st.st_size > PORT_FILE_MAX) {
		port_send("N file %s left out: its %lld bytes are more than the port can carry (%d)",
			  path, (long long)st.st_size, PORT_FILE_MAX);
		unlinkat(dir, name, 0);
	} else {
		send_file(fd, path, st.st_size);
		unlinkat(dir, name, 0);
	}
	if (fd >= 0)
		close(fd);
}

/* path is relative to RESULTS_DIR, "" for itself. */
static void send_folder(int parent, const char *name, const char *path, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char sub[512];
	struct dirent *e;
	DIR *dir;

	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir || depth > DEPTH_MAX) {
		port_send("N folder %s left out: %s", path, dir ? "too deep" : strerror(errno));
		if (dir)
			closedir(dir);
		return;
	}
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.' && (!e->d_name[1] || !strcmp(e->d_name, "..")))
			continue;
		snprintf(sub, sizeof(sub), "%.250s%s%.250s", path, *path ? "/" : "", e->d_name);
		send_entry(fd, e->d_name, sub, depth);
	}
	closedir(dir);
}

void files_send(void)
{
	send_folder(AT_FDCWD, RESULTS_DIR, "", 0);
}
