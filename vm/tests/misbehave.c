// SPDX-License-Identifier: GPL-2.0
/* Does in a guest what a test must not do, one word for each kind; for the tests of vm/. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
}

static void crash_kernel(void)
{
	write_file("/proc/sys/kernel/sysrq", "1");
	puts("ok 1 last words");
	write_file("/proc/sysrq-trigger", "c");
	pause();
}

/* Holds out against TERM, with a child that has left the group. */
static void hang(void)
{
	signal(SIGTERM, SIG_IGN);
	puts("hanging");
	if (fork() == 0)
		setsid();
	for (;;)
		pause();
}

/*
 * Keeps every CPU busy above everybody else, PID 1 included, so that its limits never come
 * to bear: only the host can end this.
 */
static void wedge(void)
{
	struct sched_param top = { .sched_priority = 99 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	write_file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	puts("wedging");
	for (long i = 0; i < cpus; i++) {
		if (fork())
			continue;
		if (sched_setscheduler(0, SCHED_FIFO, &top) < 0)
			perror("sched_setscheduler");
		for (;;)
			;
	}
	for (;;)
		pause();
}

/* Ends by the kernel's hand, when there is no memory left. */
static void eat(void)
{
	for (;;) {
		char *p = malloc(1 << 20);

		if (p)
			memset(p, 1, 1 << 20);
	}
}

/* The same by files, which stay: all that the folders in memory take. */
static void fill(void)
{
	static const char *const folders[] = { "/dev/shm/x", "/tmp/x" };
	static char buf[1 << 16];

	for (int i = 0; i < 2; i++) {
		int fd = open(folders[i], O_WRONLY | O_CREAT, 0666);

		while (write(fd, buf, sizeof(buf)) > 0)
			;
	}
	puts("full");
}

/*
 * Say on the results port itself what only PID 1 should: "bytes" of every kind, "line" for one that
 * never ends, "lines" that are PID 1's own but for their truth, till somebody ends it.
 */
static void flood_port(const char *kind)
{
	static const char lines[] = "R 1 ok exit 0\nT 2\nL 2 ok 1 forged\nR 2 ok exit 0\nE 0 9 0 0 9 99\n"
				    "N hello\nF 9 results.json\nD x\nG 0\nF 0 a/b/c\nG 811c9dc5\nB 2 1 1 port 1.0\n";
	int fd = open("/dev/ttyS1", O_WRONLY | O_NOCTTY), loops = 100;
	static char buf[4096];
	unsigned int x = 1;

	for (; loops; loops -= strcmp(kind, "lines") != 0) {
		size_t len = sizeof(buf);

		if (!strcmp(kind, "lines"))
			memcpy(buf, lines, len = sizeof(lines) - 1);
		else if (!strcmp(kind, "line"))
			memset(buf, 'x', len);
		else
			for (size_t i = 0; i < len; i++)
				buf[i] = (x = x * 1664525 + 1013904223) >> 24;
		if (write(fd, buf, len) != (ssize_t)len)
			perror("/dev/ttyS1");
	}
}

/* Have the module misfit do something in the kernel: vm/tests/misfit. */
static void have_done(const char *what)
{
	int fd = open("/lib/misfit.ko", O_RDONLY);

	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		perror("misfit.ko");
	puts(what);
	write_file("/proc/misfit", what);
}

/* A warning with all that the kernel writes around it. */
static void warn_in_full(void)
{
	write_file("/dev/kmsg", "<4>------------[ cut here ]------------\n");
	write_file("/dev/kmsg", "<4>WARNING: CPU: 0 PID: 1 at made/up.c:1 for_the_test\n");
	write_file("/dev/kmsg", "<4>Call Trace:\n");
	write_file("/dev/kmsg", "<4> for_the_test+0x1/0x2\n");
	write_file("/dev/kmsg", "<4>---[ end trace 0000000000000000 ]---\n");
}

/* Lines that would be the host's if they came unmarked, and one that ends with no newline. */
static void forge(void)
{
	puts("R 1 ok exit 0\nE 0 9 0 0 1\nok 1 forged\rE 0 1 0 0 1");
	puts("\033[2Jok 1 \001\002");
	fputs("E 0 9 0 0 9", stdout);
}

/* One line of 100 kB in which a control line and a result are hidden, then 20000 short ones. */
static void flood(void)
{
	for (int i = 0; i < 5000; i++)
		fputs("not ok 1 R 1 ok exit\t", stdout);
	putchar('\n');
	for (int i = 0; i < 2000; i++)
		puts("a line");
}

static void leave_files(void)
{
	write_file("/results/traces/one.trace", "name one\nend\n");
	write_file("/results/traces/odd.trace", "tab\tback\\slash\001\xff\r\nno newline");
	write_file("/results/bad name", "x");
	mkdir("/results/.hidden", 0755);
	write_file("/results/.hidden/file", "x");
}

static int say_ktap(const char *text, int status)
{
	fputs(text, stdout);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "panic"))
		crash_kernel();
	else if (!strcmp(what, "hang"))
		hang();
	else if (!strcmp(what, "wedge"))
		wedge();
	else if (!strcmp(what, "eat"))
		eat();
	else if (!strcmp(what, "fill"))
		fill();
	else if (!strcmp(what, "port"))
		flood_port(argc > 2 ? argv[2] : "");
	else if (!strcmp(what, "kernel"))
		have_done(argc > 2 ? argv[2] : "");
	else if (!strcmp(what, "forge"))
		forge();
	else if (!strcmp(what, "flood"))
		flood();
	else if (!strcmp(what, "files"))
		leave_files();
	else if (!strcmp(what, "warn"))
		write_file("/dev/kmsg", "<4>WARNING: CPU: 0 PID: 1 at made/up.c:1 for_the_test\n");
	else if (!strcmp(what, "warn-in-full"))
		warn_in_full();
	else if (!strcmp(what, "signal"))
		abort();
	else if (!strcmp(what, "exit"))
		return argc > 2 ? atoi(argv[2]) : 0;
	else if (!strcmp(what, "good"))
		return say_ktap("KTAP version 1\n1..2\nok 1 a\nok 2 b\n", 0);
	else if (!strcmp(what, "short-plan"))
		return say_ktap("KTAP version 1\n1..3\nok 1 a\nok 2 b\n", 0);
	else if (!strcmp(what, "liar"))
		return say_ktap("KTAP version 1\n1..2\nok 1 a\nnot ok 2 b\n", 0);
	else if (!strcmp(what, "failing"))
		return say_ktap("KTAP version 1\n1..2\nok 1 a\nnot ok 2 b\n", 1);
	else if (!strcmp(what, "skip"))
		return say_ktap("KTAP version 1\n1..0 # SKIP no such thing here\n", 4);
	else if (!strcmp(what, "variable"))
		printf("<%s>\n", argc > 2 && getenv(argv[2]) ? getenv(argv[2]) : "none");
	else if (!strcmp(what, "echo"))
		for (int i = 2; i < argc; i++)
			printf("<%s>\n", argv[i]);
	else
		return 99;
	return 0;
}
