// SPDX-License-Identifier: GPL-2.0
/*
 * counts reset | counts save: in a kernel that counts which of its lines run (gcov), start all counts
 * again, or leave them in /results for the host, as NAME.gcda.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GCOV "/sys/kernel/debug/gcov"

static int copies;

static int copy(const char *from, const struct stat *st, int type, struct FTW *ftw)
{
	const char *name = from + ftw->base;
	char buffer[65536], to[256];
	int in, out, ret = 1;
	ssize_t n;

	(void)st;
	if (type != FTW_F || !strstr(name, ".gcda"))
		return 0;
	snprintf(to, sizeof(to), "/results/%s", name);
	in = open(from, O_RDONLY);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (in >= 0 && out >= 0) {
		while ((n = read(in, buffer, sizeof(buffer))) > 0)
			if (write(out, buffer, (size_t)n) != n)
				break;
		ret = n != 0;
	}
	if (ret)
		fprintf(stderr, "counts: cannot copy %s to %s: %s\n", from, to, strerror(errno));
	close(in);
	close(out);
	copies += !ret;
	return ret;
}

static int failed(const char *path)
{
	fprintf(stderr, "counts: %s: %s: is this a kernel with CONFIG_GCOV_KERNEL?\n", path, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	int fd, ret;

	if (argc == 2 && !strcmp(argv[1], "reset")) {
		fd = open(GCOV "/reset", O_WRONLY);
		return fd >= 0 && write(fd, "1", 1) == 1 ? 0 : failed(GCOV "/reset");
	}
	if (argc == 2 && !strcmp(argv[1], "save")) {
		ret = nftw(GCOV, copy, 16, FTW_PHYS);
		if (ret < 0)
			return failed(GCOV);
		if (!ret && !copies)
			fputs("counts: no file counts here\n", stderr);
		return ret || !copies;
	}
	fputs("usage: counts reset | save\n", stderr);
	return 2;
}
