// SPDX-License-Identifier: GPL-2.0
/*
 * What the parser refuses, with its exact message, and what it accepts: the files of a folder
 * (NAME.case, and what has to be said about it in NAME.expect), texts that are made here because
 * they are too large or too odd to store, and good files, which have to come out of the writer as
 * they went in.
 *
 *	test_malformed FOLDER GOOD-FILE...
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case_rows.h"
#include "support.h"
#include "tap.h"

#define CORPUS_AT_LEAST 40

static const char head[] = "name x\nring 0 pages=1 wakeup_events=1\n";

/* "LINE:COL: reason" of @err. */
static const char *error_text(const struct text_error *err)
{
	static char text[300];

	snprintf(text, sizeof(text), "%" PRIu32 ":%" PRIu32 ": %s", err->line, err->column,
		 err->reason);
	return text;
}

static bool holds_nothing(const struct trace_file *f)
{
	return !f->wcase.steps && !f->trace.seen && !f->wcase.expected.codes &&
	       !f->trace.store.codes;
}

static void check_refused(const char *name, const char *text, size_t len, const char *expect)
{
	struct trace_file f;
	struct text_error err = { 0 };
	int ret = trace_text_parse(text, len, &f, &err);

	if (tap_check(ret == -EINVAL, "%s: returns %d", name, ret)) {
		tap_check(!strcmp(error_text(&err), expect), "%s: says  %s", name,
			  error_text(&err));
		tap_check(!strcmp(error_text(&err), expect), "%s: not   %s", name, expect);
		tap_check(holds_nothing(&f), "%s: something is left", name);
	}
	trace_file_free(&f);
}

static void check_accepted(const char *name, const char *text, size_t len)
{
	struct trace_file f;
	struct text_error err = { 0 };
	uint32_t at;

	if (tap_check(!trace_text_parse(text, len, &f, &err), "%s: %s", name, error_text(&err)))
		tap_check(case_validate(&f.wcase, &at) == CASE_SOUND, "%s: is not valid", name);
	trace_file_free(&f);
}

static void read_line(const char *path, char *line, int size)
{
	FILE *in = fopen(path, "r");

	if (!in || !fgets(line, size, in))
		tap_bail_out("%s: %s", path, strerror(errno));
	fclose(in);
	line[strcspn(line, "\n")] = 0;
}

/* One file of the corpus, through trace_text_read(). */
static void check_file(const char *path)
{
	char expect_path[4096], expect[400];
	struct trace_file f;
	struct text_error err = { 0 };
	int ret;

	snprintf(expect_path, sizeof(expect_path), "%.*s.expect", (int)strlen(path) - 5, path);
	read_line(expect_path, expect, sizeof(expect));
	ret = trace_text_read(path, &f, &err);
	if (tap_check(ret == -EINVAL, "returns %d", ret)) {
		bool same = !strcmp(error_text(&err), expect);

		tap_check(same, "says  %s", error_text(&err));
		tap_check(same, "not   %s", expect);
		tap_check(holds_nothing(&f), "something is left");
	}
	trace_file_free(&f);
}

static void check_corpus(const char *path)
{
	struct folder cases = folder_read(path, ".case"), expects = folder_read(path, ".expect");

	for (size_t i = 0; i < cases.count; i++) {
		tap_begin("refused: %s", strrchr(cases.paths[i], '/') + 1);
		check_file(cases.paths[i]);
	}
	tap_begin("the corpus is whole");
	tap_check(cases.count == expects.count && cases.count >= CORPUS_AT_LEAST,
		  "%zu cases, %zu messages", cases.count, expects.count);
	folder_free(&cases);
	folder_free(&expects);
}

/* @count times @line behind @front; free() it. */
static char *repeated(const char *front, const char *line, size_t count, size_t *len)
{
	size_t n = strlen(line);
	char *text = malloc(strlen(front) + n * count + 1);

	if (!text)
		tap_bail_out("no memory");
	*len = strlen(front);
	memcpy(text, front, *len);
	for (size_t i = 0; i < count; i++, *len += n)
		memcpy(text + *len, line, n);
	text[*len] = 0;
	return text;
}

static void check_limits(void)
{
	char *text;
	size_t len;

	text = repeated(head, "look 0\n", CASE_MAX_STEPS, &len);
	check_accepted("as many steps as allowed", text, len);
	free(text);
	text = repeated(head, "look 0\n", CASE_MAX_STEPS + 1, &len);
	check_refused("one step more", text, len, "65539:1: more than 65536 steps in one case");
	free(text);
	text = repeated(head, "emit 0 count=65536 size=8\n", 64, &len);
	check_accepted("as many samples as allowed", text, len);
	free(text);
	text = repeated(head, "emit 0 count=65536 size=8\n", 65, &len);
	check_refused("too many samples", text, len,
		      "67:14: more than 4194304 samples in one case");
	free(text);
	text = repeated("name x\n", "\n", TRACE_TEXT_MAX_BYTES - 6, &len);
	check_refused("one byte too long", text, len, "0:0: longer than 67108864 bytes");
	free(text);
}

static void check_long_lines(void)
{
	char *text;
	size_t len;

	text = repeated(head, "emit ", 1u << 18, &len);
	check_refused("a line of a megabyte", text, len,
		      "3:6: the ring's number: 'emit' is not a number");
	free(text);
	text = repeated(head, "x", 1u << 20, &len);
	check_refused(
		"a word of a megabyte", text, len,
		"3:1: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is neither 'name', 'ring' nor a "
		"step");
	free(text);
	text = repeated("name x\nring 0 pages=1 wakeup_events=1\nlook 0 #", "x", 1u << 20, &len);
	check_accepted("a comment of a megabyte", text, len);
	free(text);
	text = repeated(head, " \t", 1u << 19, &len);
	memcpy(text + len - 6, "look 0", 6);
	check_accepted("half a megabyte of blanks in front", text, len);
	free(text);
	text = repeated("name x\nring 0 pages=1 wakeup_events=1\nconsume 0 = 0", ",0", 1u << 16,
			&len);
	check_refused("a list of 65537 numbers and no losses", text, len,
		      "3:131086: 'lost N' is missing behind the sample numbers");
	free(text);
}

static void check_odd_bytes(void)
{
	static const char crlf[] = "name x\r\nring 0 pages=1 wakeup_events=1\r\nlook 0 = quiet\r\n";
	static const char no_newline[] = "name x\nring 0 pages=1 wakeup_events=1\nlook 0";
	static const char tabs[] =
		"\tname\tx\n\n \t\n#\nring  0\tpages=1 wakeup_events=1# one\nlook 0\t\n";
	static const char nul_line[] = "name x\n\0\n";
	char junk[256];

	check_accepted("CRLF", crlf, sizeof(crlf) - 1);
	check_accepted("no newline at the end", no_newline, sizeof(no_newline) - 1);
	check_accepted("tabs, empty lines, comments", tabs, sizeof(tabs) - 1);
	check_refused("nothing", "", 0, "1:1: the case has no name: begin with 'name NAME'");
	check_refused("a newline", "\n", 1, "2:1: the case has no name: begin with 'name NAME'");
	check_refused("a NUL", nul_line, sizeof(nul_line) - 1,
		      "2:1: '?' is neither 'name', 'ring' nor a step");
	for (int i = 0; i < 256; i++)
		junk[i] = (char)(255 - i);
	check_refused(
		"all bytes downwards", junk, sizeof(junk),
		"1:1: '????????????????????????????????????...' is neither 'name', 'ring' nor a "
		"step");
	for (size_t len = 0; len + 1 < sizeof(no_newline) - 1; len++) {
		struct trace_file f;
		struct text_error err = { 0 };
		/* Refused at a place, and nothing behind the cut is read. */
		char *cut = malloc(len ? len : 1);

		memcpy(cut, no_newline, len);
		tap_check(trace_text_parse(cut, len, &f, &err) == -EINVAL && err.line && err.column,
			  "cut at %zu: %s", len, error_text(&err));
		trace_file_free(&f);
		free(cut);
	}
}

static void check_path(const char *path, int ret, const char *expect)
{
	struct trace_file f;
	struct text_error err = { 0 };
	int got = trace_text_read(path, &f, &err);

	tap_check(got == ret, "%s: returns %d, not %d", path, got, ret);
	tap_check(!strcmp(error_text(&err), expect), "%s: says  %s", path, error_text(&err));
	tap_check(holds_nothing(&f), "%s: something is left", path);
	trace_file_free(&f);
}

/* Root reads whatever it likes, so somebody else tries. */
static void check_unreadable(const char *path)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct trace_file f;
		struct text_error err = { 0 };

		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(3);
		_exit(trace_text_read(path, &f, &err) != -EACCES ? 1 :
		      strcmp(err.reason, "cannot be read: Permission denied") ? 2 : 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		tap_bail_out("no child: %s", strerror(errno));
	tap_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "unreadable file: status %#x",
		  status);
}

static void check_paths(void)
{
	char folder[] = "/tmp/perfwake-test-XXXXXX", path[64];
	FILE *out;

	if (!mkdtemp(folder))
		tap_bail_out("mkdtemp: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/case", folder);
	out = fopen(path, "w");
	if (!out || fputs(head, out) < 0 || fclose(out) || chmod(path, 0) || chmod(folder, 0755))
		tap_bail_out("%s: %s", path, strerror(errno));
	check_path("no-such-file", -ENOENT, "0:0: cannot be read: No such file or directory");
	check_path(folder, -EISDIR, "0:0: cannot be read: Is a directory");
	check_path("/dev/null", -EINVAL, "1:1: the case has no name: begin with 'name NAME'");
	check_path("/dev/zero", -EINVAL, "0:0: longer than 67108864 bytes");
	check_unreadable(path);
	unlink(path);
	rmdir(folder);
}

/* What was written reads back, is judged the same, and is written the same again. */
static void check_round_trip(struct trace_file *f)
{
	char *once = file_to_text(f), *twice;
	struct trace_file again;
	struct verdict a = judge_file(f, !f->observed), b;

	text_to_file(once, &again);
	twice = file_to_text(&again);
	b = judge_file(&again, !f->observed);
	tap_check(!strcmp(once, twice), "differs when written again:\n%s%s", once, twice);
	tap_check(a.kind == b.kind && a.step == b.step && a.judged == b.judged,
		  "is judged differently: %s, then %s", kind_name(a.kind), kind_name(b.kind));
	tap_check(f->observed == again.observed && f->wcase.nsteps == again.wcase.nsteps,
		  "%" PRIu32 " and %" PRIu32 " steps observed", f->observed, again.observed);
	trace_file_free(&again);
	free(once);
	free(twice);
}

static void check_good_file(const char *path)
{
	struct trace_file f;

	tap_begin("round trip: %s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	path_to_file(path, &f);
	check_round_trip(&f);
	if (!f.observed) {
		observe_model(&f);
		check_round_trip(&f);
	}
	trace_file_free(&f);
}

/* Each key and each kind of value that the format has, as the writer writes it. */
static void check_canonical(void)
{
	static const char text[] =
		"name canonical-1.0_x\n"
		"kernel 6.1.192\n"
		"ring 0 cpu=0 pages=1 wakeup_events=4294967295\n"
		"ring 1 cpu=0 pages=2 wakeup_events=1 backward\n"
		"ring 2 cpu=0 pages=2 wakeup_events=1 overwrite\n"
		"ring 3 cpu=0 pages=2 wakeup_events=1 backward overwrite\n"
		"ring 63 cpu=1023 pages=4096 watermark=0\n"
		"emit 63 count=4 size=65516 cpu=7 = ok*3 ENOSPC*1 -> ok*1 E2BIG*1 OTHER*2\n"
		"emit 0 count=3 size=4 every=look = ok ready 4..5 -> ok ready none\n"
		"emit 0 count=2 size=4 every=look-consume = ready none -> ok ready 7 consumed 4..5,"
		"6,7 lost 1 torn 5\n"
		"look 0 = quiet -> hup\n"
		"look 63 via=poll = ready -> err\n"
		"look 0 via=second\nlook 0 via=edge\nlook 0 via=oneshot\nlook 0 via=mod = hup\n"
		"look 0 via=nested\nlook 0 via=rdnorm\nlook 0 via=both -> quiet head 4096\n"
		"emit 63 count=1 size=4 index=64 = E2BIG -> E2BIG\n"
		"emit 0 count=1 size=4 cpu=1 index=4294967294 every=look\n"
		"emit 1 count=1 size=4 = ok head 18446744073709551600 -> ok wakes 1 head 0\n"
		"consume 3 -> 2,1,0 lost 3 head 8\n"
		"unmap 0 = ok -> EINVAL\nmap 0 -> ok head 0\nredirect 0 to=63 = EINVAL -> ok\n"
		"read-lost 0 = lost 0 -> lost 18446744073709551615\n"
		"consume 0 = none lost 18446744073709551615 -> 0,2,1,4..5 lost 0 torn 1,4..5\n"
		"consume 63 records=4194304 -> none lost 0 EBADMSG\n"
		"pause 0 -> EINVAL\nresume 0 = ok\ndisable 0\nenable 0 = EPERM -> ok\nremap 0\n"
		"drop-slot 63 = ENOENT -> ENOENT\n";
	struct trace_file f;
	char *out;

	text_to_file(text, &f);
	out = file_to_text(&f);
	tap_check(!strcmp(out, text), "is written as\n%s", out);
	free(out);
	trace_file_free(&f);
}

/* What a table in C can hold and a text cannot. */
static void check_validate(void)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl";
	uint32_t at;

	for (size_t i = 0; i < sizeof(case_rows) / sizeof(case_rows[0]); i++) {
		struct step step = case_rows[i].step;
		struct wake_case c = { .rings[0] = case_rows[i].ring, .steps = &step, .nsteps = 1 };

		snprintf(c.name, sizeof(c.name), "%s", case_rows[i].name);
		c.rings[0].declared = true;
		tap_check(case_validate(&c, &at) == case_rows[i].error, "row %zu: error %d, not %d", i,
			  case_validate(&c, &at), case_rows[i].error);
		c.nsteps = 0;
		tap_check(case_validate(&c, &at) != CASE_SOUND, "row %zu: sound without steps", i);
	}
	tap_check(sizeof(letters) == 65 && !case_name_ok(letters), "64 letters are a name");
	tap_check(case_name_ok(letters + 1), "63 letters are no name");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		tap_bail_out("usage: test_malformed FOLDER GOOD-FILE...");
	check_corpus(argv[1]);
	tap_begin("limits of steps, samples and bytes");
	check_limits();
	tap_begin("very long lines");
	check_long_lines();
	tap_begin("odd bytes, ends and cuts");
	check_odd_bytes();
	tap_begin("paths that are no file to read");
	check_paths();
	tap_begin("cases that are tables in C");
	check_validate();
	tap_begin("written as read");
	check_canonical();
	for (int i = 2; i < argc; i++)
		if (!strstr(argv[i], "pages-not-power-of-two"))
			check_good_file(argv[i]);
	return tap_done();
}
