// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../validator/terminal.h"
#include "decode.h"
#include "text.h"

#define NOTES_MAX 1000			/* of the guest's own, and of the kernel's lines with each test */
#define LINES_BYTES (64ULL << 20)	/* kept of what tests print: a guest must not fill the disk */

static bool is_command(const struct decoder *d)
{
	return d->plan->mode == PLAN_COMMAND;
}

static void show(struct decoder *d, const char *line)
{
	terminal_ktap(d->out, line);
	fflush(d->out);
}

/* Briefly, what a test says is shown only with a result that failed. */
static void show_nested(struct decoder *d, const char *line, enum ktap_kind kind)
{
	const char *before = d->brief ? brief_take(&d->said, line, kind) : "";

	if (!before)
		return;
	if (*before) {
		terminal_clear(d->out);
		fputs(before, d->out);
	}
	show(d, line);
}

/* One line of results.ktap, nested in the running test's result. */
__attribute__((format(printf, 3, 4)))
static void report_nested(struct decoder *d, enum ktap_kind kind, const char *fmt, ...)
{
	char line[PORT_LINE_MAX + 64];
	va_list args;

	if (d->kept >= LINES_BYTES) {
		d->trouble = true;
		d->dropped++;
		return;
	}
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	d->kept += fprintf(d->ktap, "%s\n", line);
	if (!is_command(d))
		show_nested(d, line, kind);
}

/* One line of results.ktap; in a suite the person sees the same. */
__attribute__((format(printf, 2, 3)))
static void report(struct decoder *d, const char *fmt, ...)
{
	char line[PORT_LINE_MAX + 64];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(d->ktap, "%s\n", line);
	if (!is_command(d))
		show(d, line);
}

void decode_note(struct decoder *d, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* The guest's words may be in it, or a part of them. */
	text_clean(text);
	fprintf(d->ktap, "# %s\n", text);
	terminal_clear(d->out);
	fprintf(d->note, "# %s\n", text);
	fflush(d->note);
}

int decode_init(struct decoder *d, const struct plan *plan, int dir_fd)
{
	int fd;

	memset(d, 0, sizeof(*d));
	d->plan = plan;
	d->out = stdout;
	d->note = plan->mode == PLAN_COMMAND ? stderr : stdout;
	save_init(&d->save, dir_fd);
	fd = openat(dir_fd, RESULTS_KTAP, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	d->ktap = fd < 0 ? NULL : fdopen(fd, "w");
	if (!d->ktap)
		return -errno;
	report(d, "KTAP version 1");
	report(d, "1..%u", plan->tests);
	return 0;
}

/* A line that init would not send here: counted, and shown the first few times. */
static void bad_line(struct decoder *d, const char *line)
{
	d->trouble = true;
	if (d->bad_lines++ < 3)
		decode_note(d, "the results port says what it should not: %.60s", line);
}

static enum judgement end_test(struct decoder *d, unsigned int i, struct outcome *o)
{
	const struct plan_test *t = &d->plan->test[i - 1];
	char reason[JUDGE_REASON_MAX];
	const char *last;
	enum judgement j;

	j = judge_test(t, o, reason, &d->score);
	last = brief_rest(&d->said);
	/* A test that fails as a whole: what it said last may be why. */
	if (j == JUDGED_FAILED && !is_command(d) && *last) {
		terminal_clear(d->out);
		fputs(last, d->out);
	}
	if (j == JUDGED_SKIPPED)
		report(d, "ok %u %s # SKIP %s", i, t->name, reason);
	else
		report(d, "%s %u %s%s%s", j == JUDGED_OK ? "ok" : "not ok", i, t->name,
		       *reason ? " # " : "", reason);
	if (j == JUDGED_FAILED && is_command(d) && *reason && o->way != END_EXIT)
		decode_note(d, "%s: %s", t->name, reason);
	return j;
}

/*
 * The tests before @next have no result here: what they said was lost, or something else stood in
 * between. Those behind them are judged all the same; the guest's end marker would tell.
 */
static void lose_until(struct decoder *d, unsigned int next)
{
	d->trouble = true;
	for (unsigned int i = d->done + 1; i < next; i++) {
		struct outcome o = { .way = END_NEVER, .value = JUDGE_LOST };

		if (i == d->running) {
			ktap_finish(&d->live);
			o.ktap = d->live;
		}
		end_test(d, i, &o);
	}
	d->done = next - 1;
	d->running = 0;
}

static void take_begin(struct decoder *d, const char *args)
{
	unsigned int version, tests, cpus;
	char way[8], release[80];

	if (d->begun || sscanf(args, "%u %u %u %7s %79s", &version, &tests, &cpus, way, release) != 5) {
		bad_line(d, args);
		return;
	}
	d->begun = true;
	d->power_off = !strcmp(way, "off");
	decode_note(d, "kernel %s, %u CPUs, %u tests", release, cpus, tests);
	if (version == PORT_VERSION && tests == d->plan->tests)
		return;
	d->trouble = true;
	decode_note(d, "the guest speaks version %u about %u tests, not version %d about %u: make the image anew",
		    version, tests, PORT_VERSION, d->plan->tests);
}

static void take_test(struct decoder *d, const char *args)
{
	unsigned int i = strtoul(args, NULL, 10);

	if (!d->begun || i <= d->done || i <= d->running || i > d->plan->tests) {
		bad_line(d, args);
		return;
	}
	if (i > d->done + 1)
		lose_until(d, i);
	d->running = i;
	d->klog_lines = 0;
	ktap_init(&d->live);
	if (!is_command(d))
		terminal_progress(d->out, "[%u/%u] %s ", i, d->plan->tests, d->plan->test[i - 1].name);
}

/* What follows the test's number, or NULL if it is not the running one. */
static const char *text_of(const struct decoder *d, const char *args)
{
	char *text;
	unsigned int i = strtoul(args, &text, 10);

	if (!d->running || i != d->running || *text != ' ')
		return NULL;
	return text + 1;
}

/*
 * Where a result's line needs a name, or NULL if it has one: the harness of older kernels prints none
 * for what it skips, and the kernel's own parser takes no such line.
 */
static const char *lacks_name(const char *text)
{
	const char *s = text + strspn(text, " \t#");

	s += strncmp(s, "not ", 4) ? 0 : 4;
	if (strncmp(s, "ok ", 3))
		return NULL;
	s += 3 + strspn(s + 3, "0123456789");
	return s[strspn(s, " \t-")] == '#' || !s[strspn(s, " \t-")] ? s : NULL;
}

/* A line that the running test printed. */
static void take_output(struct decoder *d, const char *args)
{
	const char *text = text_of(d, args), *unnamed;
	enum ktap_kind kind;

	if (!text) {
		bad_line(d, args);
		return;
	}
	kind = ktap_feed(&d->live, text);
	unnamed = kind == KTAP_OK || kind == KTAP_NOT_OK || kind == KTAP_SKIP ? lacks_name(text) : NULL;
	if (is_command(d)) {
		fprintf(d->out, "%s\n", text);
		fflush(d->out);
	}
	/*
	 * Only what belongs to the results is nested as it is. The rest becomes a comment,
	 * and so do the results of a test of which a failure is expected.
	 */
	if (kind == KTAP_OTHER || d->plan->test[d->running - 1].expected)
		report_nested(d, KTAP_OTHER, *text ? "  # %s" : "  #%s", text);
	else if (unnamed)
		report_nested(d, kind, "  %.*s nameless%s", (int)(unnamed - text), text, unnamed);
	else
		report_nested(d, kind, "  %s", text);
}

static void take_klog(struct decoder *d, const char *args)
{
	const char *text = strchr(args, ' ');

	d->trouble = true;
	if (d->klog_lines++ < NOTES_MAX)
		decode_note(d, "kernel log: %s", text ? text + 1 : args);
}

/* The warning that the plan declares; the guest tells the first one so, others as trouble. */
static void take_warning(struct decoder *d, const char *args)
{
	const char *text = strchr(args, ' ');

	if (!*d->plan->warns || d->warned || !text || !strstr(text, d->plan->warns)) {
		bad_line(d, args);
		return;
	}
	d->warned = true;
	decode_note(d, "the warning that is due came: %s", text + 1);
}

static void take_result(struct decoder *d, const char *args)
{
	struct outcome o = { .klog_lines = d->klog_lines };
	char word[16], way[16];
	enum judgement j;
	unsigned int i;

	if (sscanf(args, "%u %15s %15s %d", &i, word, way, &o.value) != 4 || !d->running ||
	    i != d->running) {
		bad_line(d, args);
		return;
	}
	o.way = judge_way(way);
	ktap_finish(&d->live);
	o.ktap = d->live;
	j = end_test(d, i, &o);
	d->running = 0;
	d->done = i;
	if (strcmp(word, judge_word(j))) {
		d->trouble = true;
		decode_note(d, "test %u is %s for the guest and %s here: lines were lost on the port",
			    i, word, judge_word(j));
	}
}

static void take_end(struct decoder *d, const char *args)
{
	unsigned int passed, failed, skipped;
	unsigned long lines, bytes;

	if ((d->running && d->running != d->plan->tests) ||
	    sscanf(args, "%d %u %u %u %lu %lu", &d->guest_status, &passed, &failed, &skipped, &lines, &bytes) != 6) {
		bad_line(d, args);
		return;
	}
	if (d->running)
		lose_until(d, d->running + 1);
	d->ended = true;
	if (passed == d->score.passed && failed == d->score.failed &&
	    skipped == d->score.skipped && lines == d->lines && bytes == d->bytes)
		return;
	d->trouble = true;
	decode_note(d, "the guest sent %lu lines (%lu bytes) with %u passed, %u failed, %u skipped; here are %lu (%lu) with %u, %u, %u",
		    lines, bytes, passed, failed, skipped, d->lines, d->bytes, d->score.passed,
		    d->score.failed, d->score.skipped);
}

static void take_line(struct decoder *d, char *line, size_t len)
{
	const char *args = line + 2;

	if (len && line[len - 1] == '\r')
		line[--len] = '\0';
	text_clean(line);
	if (len < 2 || line[1] != ' ' || d->ended) {
		bad_line(d, line);
	} else if (line[0] == 'B') {
		take_begin(d, args);
	} else if (line[0] == 'N' && d->notes < NOTES_MAX) {
		d->notes++;
		decode_note(d, "guest: %s", args);
	} else if (line[0] == 'T') {
		take_test(d, args);
	} else if (line[0] == 'L') {
		take_output(d, args);
	} else if (line[0] == 'K') {
		take_klog(d, args);
	} else if (line[0] == 'W') {
		take_warning(d, args);
	} else if (line[0] == 'F') {
		save_begin(d, args);
	} else if (line[0] == 'D' && d->save.open) {
		save_data(d, args);
	} else if (line[0] == 'G' && d->save.open) {
		save_end(d, args);
	} else if (line[0] == 'R') {
		take_result(d, args);
	} else if (line[0] == 'E') {
		take_end(d, args);
	} else {
		bad_line(d, line);
	}
	d->lines++;
	d->bytes += len + 1;
}

void decode_bytes(struct decoder *d, const char *buf, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (buf[i] == '\n') {
			d->line[d->len] = '\0';
			if (d->overlong) {
				text_clean(d->line);
				bad_line(d, d->line);
			} else {
				take_line(d, d->line, d->len);
			}
			d->len = 0;
			d->overlong = false;
		} else if (d->len < sizeof(d->line) - 1) {
			d->line[d->len++] = buf[i] ? buf[i] : '?';
		} else {
			d->overlong = true;
		}
	}
}

/* What was planned and has no result is a failure, each by its name. */
void decode_end(struct decoder *d)
{
	unsigned int i;

	if (d->len) {
		d->line[d->len] = '\0';
		text_clean(d->line);
		bad_line(d, d->line);
		d->len = 0;
	}
	save_break(d);
	d->score.silent = *d->plan->warns && !d->warned;
	if (d->score.silent)
		decode_note(d, "no warning with \"%s\" came, which was due in this run", d->plan->warns);
	if (d->begun && !d->ended) {
		d->trouble = true;
		decode_note(d, "partial results: the guest ended without its end marker");
	}
	for (i = d->done + 1; i <= d->plan->tests; i++) {
		struct outcome o = { .way = END_NEVER };

		if (i == d->running) {
			ktap_finish(&d->live);
			o.ktap = d->live;
			o.value = JUDGE_ENDED;
		}
		end_test(d, i, &o);
	}
	if (d->dropped)
		decode_note(d, "partial results: %lu lines of tests were dropped, behind %llu MB of them", d->dropped,
			    LINES_BYTES >> 20);
	if (d->bad_lines > 3)
		decode_note(d, "%lu lines of the results port in all were not understood", d->bad_lines);
}

int decode_close(struct decoder *d)
{
	/* stdio does not keep why, and there is hardly another reason. */
	int err = ferror(d->ktap) ? -ENOSPC : 0;

	if (fclose(d->ktap) && !err)
		err = -errno;
	d->ktap = NULL;
	return err;
}
