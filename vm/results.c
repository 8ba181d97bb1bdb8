// SPDX-License-Identifier: GPL-2.0
/*
 * Runs QEMU and writes down what the guest has to say, as it says it; then judges. Without
 * a command line behind "--" the guest's stream is read from stdin.
 *
 * All is written into the folder WORK, which takes the place of the folder OUT at the end,
 * whatever the end is, unless the disk is full; what was in OUT is then in WORK, for the
 * caller to remove. Before, PROGRAM is run with WORK and OUT, to add what else belongs there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode.h"
#include "guest.h"
#include "klog.h"

#define STATUS_SETUP 2
#define STATUS_TROUBLE 3
#define HEADS_MAX 8

static const char usage[] =
	"usage: results -p PLAN -w WORK -o OUT [-b] [-t SECONDS] [-H HEADLINE]... [-e EXPECTED] [-f PROGRAM] [-- QEMU ARGUMENT...]\n";

struct options {
	const char *plan, *work, *out, *finisher;
	const char *expected;	/* what it takes for the guest to speak, or NULL: it always should */
	const char *heads[HEADS_MAX];
	unsigned int heads_nr, limit_s;
	bool brief;
	char **qemu;
};

static struct plan plan;
static struct decoder decoder;

static int fail(const char *what, const char *path, const char *why)
{
	fprintf(stderr, "results: cannot %s %s: %s\n", what, path, why);
	return STATUS_SETUP;
}

static int read_options(struct options *o, int argc, char **argv)
{
	int c;

	memset(o, 0, sizeof(*o));
	while ((c = getopt(argc, argv, "+bf:p:w:o:t:H:e:")) != -1) {
		if (c == 'b')
			o->brief = true;
		else if (c == 'f')
			o->finisher = optarg;
		else if (c == 'p')
			o->plan = optarg;
		else if (c == 'w')
			o->work = optarg;
		else if (c == 'o')
			o->out = optarg;
		else if (c == 't')
			o->limit_s = strtoul(optarg, NULL, 10);
		else if (c == 'e')
			o->expected = optarg;
		else if (c == 'H' && o->heads_nr < HEADS_MAX)
			o->heads[o->heads_nr++] = optarg;
		else
			return -EINVAL;
	}
	if (optind < argc)
		o->qemu = argv + optind;
	return o->plan && o->work && o->out ? 0 : -EINVAL;
}

static void take(void *ctx, const char *buf, size_t len)
{
	decode_bytes(ctx, buf, len);
}

/* What the console holds. */
enum console {
	CONSOLE_NONE,		/* nothing: the kernel did not run */
	CONSOLE_TALK,		/* it ran */
	CONSOLE_TROUBLE,	/* and came into trouble */
};

/*
 * Show the kernel's last words, from the first line that means trouble on; of a long tale
 * only its headlines.
 */
static enum console show_console(struct decoder *d, int dir_fd)
{
	int fd = openat(dir_fd, CONSOLE_LOG, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[512];
	int shown = 0;
	bool any = false;

	while (f && fgets(line, sizeof(line), f)) {
		bool headline = klog_is_report(line);

		line[strcspn(line, "\r\n")] = '\0';
		any = true;
		if (!headline && (!shown || shown >= KLOG_CONTEXT))
			continue;
		if (shown++ < 3 * KLOG_CONTEXT)
			decode_note(d, "console: %s", line);
	}
	if (f)
		fclose(f);
	return shown ? CONSOLE_TROUBLE : any ? CONSOLE_TALK : CONSOLE_NONE;
}

/* What QEMU complained about, without its end that was our own doing. */
static void show_qemu_log(struct decoder *d, int log_fd)
{
	FILE *f = fdopen(dup(log_fd), "r");
	char line[512];

	if (f && fseek(f, 0, SEEK_SET) == 0) {
		while (fgets(line, sizeof(line), f)) {
			line[strcspn(line, "\r\n")] = '\0';
			if (!strstr(line, "terminating on signal"))
				decode_note(d, "QEMU: %s", line);
		}
	}
	if (f)
		fclose(f);
}

/* Whether QEMU ended the way that the guest's own end marker announced. */
static bool ends_agree(const struct decoder *d, const struct guest *g)
{
	int due = d->power_off ? 0 : 2 * (d->guest_status + 1) + 1;

	if (!g->argv || !d->ended)
		return true;
	return WIFEXITED(g->status) && WEXITSTATUS(g->status) == due;
}

/*
 * Say when it was that the guest ended too early. Returns the exit status for it. An image that
 * powers off in order and never started the tests is a set-up that does not fit, not a crash.
 */
static int tell_when(struct decoder *d, enum console console, const char *expected)
{
	if (d->running)
		decode_note(d, "the guest ended in test %u, %s", d->running,
			    d->plan->test[d->running - 1].name);
	else if (d->begun)
		decode_note(d, "the guest ended after test %u", d->done);
	else if (console != CONSOLE_NONE && expected)
		decode_note(d, "the kernel ran, but the image never started the tests: expected is %s", expected);
	else if (console != CONSOLE_NONE)
		decode_note(d, "the kernel ran, but ended before PID 1 spoke");
	else
		decode_note(d, "the kernel never said anything: is it one for this machine?");
	if (!d->begun && expected)
		return console == CONSOLE_TROUBLE ? STATUS_TROUBLE : STATUS_SETUP;
	return d->begun || console != CONSOLE_NONE ? STATUS_TROUBLE : STATUS_SETUP;
}

/* Say how the guest ended; returns the exit status for it, or 0 if it ended in order. */
static int tell_end(struct decoder *d, const struct options *o, const struct guest *g, int dir_fd)
{
	int status;

	switch (g->end) {
	case GUEST_FAILED:
		decode_note(d, "cannot start %s: %s", g->argv ? g->argv[0] : "QEMU",
			    strerror(g->error));
		return STATUS_SETUP;
	case GUEST_SIGNAL:
		decode_note(d, "partial results: interrupted by signal %d", g->signal);
		return tell_when(d, CONSOLE_TALK, o->expected);
	case GUEST_NOBODY:
		decode_note(d, "partial results: nobody reads them any more");
		return tell_when(d, CONSOLE_TALK, o->expected);
	case GUEST_LIMIT:
		decode_note(d, "partial results: the guest was not done after %u s and was ended",
			    g->limit_s);
		break;
	case GUEST_BY_ITSELF:
		if (d->ended && ends_agree(d, g))
			return 0;
		if (d->ended)
			decode_note(d, "QEMU's end (wait status 0x%x) is not the one that the guest announced",
				    g->status);
		break;
	}
	status = tell_when(d, show_console(d, dir_fd), o->expected);
	return g->end == GUEST_LIMIT ? STATUS_TROUBLE : status;
}

/*
 * Let the finisher add its files to WORK; it says itself what is wrong. It inherits blocked
 * signals: the guest is over, and a Ctrl-C would only leave half of them.
 */
static int add_files(const struct options *o)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl(o->finisher, o->finisher, o->work, o->out, NULL);
		_exit(fail("run", o->finisher, strerror(errno)));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return fail("run", o->finisher, strerror(errno));
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : STATUS_SETUP;
}

/*
 * Put WORK in the place of OUT, with no moment in which OUT is half-written. Where there is
 * no OUT, another run may put its own there between our looks.
 */
static int publish(const struct options *o)
{
	do {
		if (renameat2(AT_FDCWD, o->work, AT_FDCWD, o->out, RENAME_EXCHANGE) == 0)
			return 0;
		if (errno == ENOENT && renameat2(AT_FDCWD, o->work, AT_FDCWD, o->out, RENAME_NOREPLACE) == 0)
			return 0;
	} while (errno == EEXIST);
	return fail("put the results at", o->out, strerror(errno));
}

/*
 * Close the results, and put them in their place if they are whole. Returns the exit status for a
 * run that has come to status: without its results it is none, and a file less spoils a good one.
 */
static int hand_over(struct decoder *d, const struct options *o, int status)
{
	int err = decode_close(d), added;

	if (err) {
		fprintf(stderr, "results: cannot write %s: %s; what was there is left as it was: make room on that disk\n",
			o->out, strerror(-err));
		return STATUS_SETUP;
	}
	added = o->finisher ? add_files(o) : 0;
	return publish(o) ? STATUS_SETUP : status ?: added;
}

static int finish(struct decoder *d, const struct options *o, const struct guest *g, int dir_fd)
{
	int end = tell_end(d, o, g, dir_fd), status;

	/* Also when all went well: it says there that KVM failed and TCG was taken instead. */
	show_qemu_log(d, g->log_fd);
	decode_end(d);
	status = judge_status(d->plan->mode, &d->score);
	if (d->no_room)
		status = STATUS_SETUP;
	if (d->trouble)
		status = STATUS_TROUBLE;
	if (end)
		status = end;
	if (g->end == GUEST_SIGNAL)
		status = 128 + g->signal;
	decode_note(d, "status %d", status);
	fprintf(d->note, "%s%lu passed, %lu failed, %lu skipped\n", d->note == stderr ? "# " : "",
		d->score.results_passed, d->score.results_failed, d->score.results_skipped);
	/* An empty log of QEMU's tells nobody anything. */
	if (lseek(g->log_fd, 0, SEEK_END) == 0)
		unlinkat(dir_fd, QEMU_LOG, 0);
	status = hand_over(d, o, status);
	if (fflush(stdout) || ferror(stdout))
		return g->end == GUEST_NOBODY || status ? status :
			fail("write to", "stdout", strerror(errno));
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	struct guest g = { 0 };
	const char *why = "";
	int dir_fd, err;

	if (read_options(&o, argc, argv)) {
		fputs(usage, stderr);
		return STATUS_SETUP;
	}
	if (plan_load(&plan, o.plan, &why))
		return fail("use the plan", o.plan, why);
	dir_fd = open(o.work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return fail("open the folder", o.work, strerror(errno));
	g.log_fd = openat(dir_fd, QEMU_LOG, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (g.log_fd < 0)
		return fail("write to", o.work, strerror(errno));
	g.argv = o.qemu;
	g.limit_s = o.limit_s;
	err = decode_init(&decoder, &plan, dir_fd);
	if (err)
		return fail("write " RESULTS_KTAP " in", o.work, strerror(-err));
	decoder.brief = o.brief;
	for (unsigned int i = 0; i < o.heads_nr; i++)
		decode_note(&decoder, "%s", o.heads[i]);
	guest_run(&g, take, &decoder);
	return finish(&decoder, &o, &g, dir_fd);
}
