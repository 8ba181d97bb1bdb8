// SPDX-License-Identifier: GPL-2.0
/*
 * Writes an initramfs, a cpio archive of the newc kind, to stdout. The list on stdin
 * has one entry a line, GUESTPATH<TAB>HOSTFILE; the folders above a guest path are made
 * by themselves. Owner root, time 0, entries in the order of the list: the same input
 * gives the same bytes, and nobody has to be root.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DIRS 256

static unsigned int next_ino = 1;
static char *dirs[MAX_DIRS];
static unsigned int dirs_nr;

static int fail(const char *what, const char *path, const char *why)
{
	fprintf(stderr, "mkcpio: cannot %s %s: %s\n", what, path, why);
	return -1;
}

static void pad4(size_t len)
{
	static const char zero[4];

	fwrite(zero, 1, -len & 3, stdout);
}

/* Names in the archive have no leading slash. The data, if any, is the caller's. */
static void put_header(const char *name, unsigned int mode, unsigned int nlink, size_t size)
{
	size_t name_len = strlen(name) + 1;

	printf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", next_ino++, mode, 0, 0,
	       nlink, 0, (unsigned int)size, 0, 0, 0, 0, (unsigned int)name_len, 0);
	fwrite(name, 1, name_len, stdout);
	pad4(110 + name_len);
}

static int put_dir(const char *name)
{
	for (unsigned int i = 0; i < dirs_nr; i++)
		if (!strcmp(dirs[i], name))
			return 0;
	if (dirs_nr == MAX_DIRS)
		return fail("make folder", name, "too many folders in one image");
	dirs[dirs_nr] = strdup(name);
	if (!dirs[dirs_nr])
		return fail("make folder", name, strerror(ENOMEM));
	dirs_nr++;
	put_header(name, S_IFDIR | 0755, 2, 0);
	return 0;
}

static int put_parents(char *name)
{
	for (char *p = strchr(name, '/'); p; p = strchr(p + 1, '/')) {
		int err;

		*p = '\0';
		err = put_dir(name);
		*p = '/';
		if (err)
			return err;
	}
	return 0;
}

static int put_data(int fd, const char *path, size_t size)
{
	static char buf[1 << 16];
	size_t left = size;

	while (left) {
		ssize_t n = read(fd, buf, left < sizeof(buf) ? left : sizeof(buf));

		if (n <= 0)
			return fail("read", path, n ? strerror(errno) : "it became shorter meanwhile");
		fwrite(buf, 1, n, stdout);
		left -= n;
	}
	pad4(size);
	return 0;
}

static int put_file(char *name, const char *path)
{
	struct stat st;
	int fd, err;

	if (!*name || strstr(name, "..") || name[strlen(name) - 1] == '/')
		return fail("use guest path", name, "it must be absolute, name a file and have no ..");
	err = put_parents(name);
	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail("read", path, strerror(errno));
	err = -1;
	if (fstat(fd, &st) < 0)
		fail("read", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		fail("carry", path, "not a plain file");
	else if (st.st_size > 0x7fffffff)
		fail("carry", path, "larger than 2 GB");
	else {
		put_header(name, S_IFREG | (st.st_mode & 0777), 1, st.st_size);
		err = put_data(fd, path, st.st_size);
	}
	close(fd);
	return err;
}

int main(void)
{
	char line[2 * 4096];

	while (fgets(line, sizeof(line), stdin)) {
		char *tab = strchr(line, '\t'), *end = strchr(line, '\n');

		if (!tab || !end || *line != '/') {
			fail("read", "the list on stdin", "a line is not /GUESTPATH<TAB>HOSTFILE");
			return 2;
		}
		*tab = *end = '\0';
		if (put_file(line + 1, tab + 1))
			return 2;
	}
	put_header("TRAILER!!!", 0, 1, 0);
	if (fflush(stdout) || ferror(stdout)) {
		fail("write", "the image", strerror(errno));
		return 2;
	}
	return 0;
}
