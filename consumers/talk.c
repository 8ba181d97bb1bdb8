// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talk.h"

/* Whoever asked is gone: there is nobody left to tell anything to. */
static void wait_for_next(void)
{
	char line[16];

	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || strcmp(line, "next\n"))
		exit(1);
}

void talk_sample(const void *payload, unsigned int size)
{
	static const char hex[] = "0123456789abcdef";

	fputs("sample ", stdout);
	for (unsigned int i = 0; i < size; i++) {
		unsigned char byte = ((const unsigned char *)payload)[i];

		putchar(hex[byte >> 4]);
		putchar(hex[byte & 15]);
	}
	putchar('\n');
	wait_for_next();
}

void talk_lost(unsigned long long count)
{
	printf("lost %llu\n", count);
	wait_for_next();
}

static void serve_open(int slots_fd, const char *line, const struct talk_ops *ops)
{
	struct talk_ring ring;
	const char *why = "";
	char by[8];
	int fd = -1;

	if (sscanf(line, "open %u %u %u %7s %u", &ring.id, &ring.cpu, &ring.pages, by, &ring.n) != 5) {
		printf("error not understood: %s", line);
		return;
	}
	ring.bytes = !strcmp(by, "bytes");
	errno = 0;
	if (!ops->open(slots_fd, &ring, &fd, &why))
		printf("ok %d\n", fd);
	else
		printf("error %s%s%s\n", why, errno ? ": " : "", errno ? strerror(errno) : "");
}

static void serve_line(int slots_fd, const char *line, const struct talk_ops *ops)
{
	unsigned int id;
	int ms;

	if (!strncmp(line, "open ", 5))
		serve_open(slots_fd, line, ops);
	else if (sscanf(line, "poll %u %d", &id, &ms) == 2)
		printf("done %d\n", ops->poll(id, ms));
	else if (sscanf(line, "consume %u", &id) == 1)
		printf("done %d\n", ops->consume(id));
	else if (sscanf(line, "close %u", &id) == 1)
		printf("done %d\n", (ops->close(id), 0));
	else
		printf("error not understood: %s", line);
}

int talk_serve(int argc, char **argv, const struct talk_ops *ops)
{
	int slots_fd = argc == 2 ? atoi(argv[1]) : -1;
	char line[128];

	if (slots_fd < 3) {
		fprintf(stderr, "%s: started by perfwake run --consumer, not by hand\n", argv[0]);
		return 2;
	}
	printf("hello %s %s\n", ops->version, ops->offers);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		serve_line(slots_fd, line, ops);
		fflush(stdout);
	}
	return 0;
}
