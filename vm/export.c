// SPDX-License-Identifier: GPL-2.0
/*
 * Says what results.ktap says as results.json and junit.xml, beside it. Both list what the KTAP
 * reader counts, the finest results, so that the three cannot differ in what passed; a breach of
 * the format is a failure in all of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "ktap.h"

#define LINE_BYTES	8192
#define DETAILS_BYTES	8000	/* of what a failure said; the end of it counts */

static struct export export;
static struct ktap ktap;
static char details[DETAILS_BYTES + 1];

static void *grow(void *array, size_t nr, size_t size)
{
	/* By doubling, whenever the number is a power of two. */
	if (nr & (nr - 1))
		return array;
	array = realloc(array, (nr ? 2 * nr : 1) * size);
	if (!array) {
		fputs("export: out of memory\n", stderr);
		exit(2);
	}
	return array;
}

static char *copy(const char *text, size_t len)
{
	char *s = strndup(text, len);

	if (!s) {
		fputs("export: out of memory\n", stderr);
		exit(2);
	}
	return s;
}

static void add_result(enum outcome outcome, const char *name, const char *reason)
{
	struct result *r;

	export.result = grow(export.result, export.results, sizeof(*r));
	r = &export.result[export.results++];
	r->outcome = outcome;
	r->name = copy(name, strlen(name));
	r->reason = copy(reason, strlen(reason));
	r->details = copy(outcome == FAILED ? details : "", DETAILS_BYTES);
	export.total[outcome]++;
}

/* What was listed since the last one is below this test. */
static void end_test(enum outcome outcome, const char *name, const char *reason)
{
	struct test *t, *last = export.tests ? &export.test[export.tests - 1] : NULL;
	size_t first = last ? last->first + last->results : 0;

	export.test = grow(export.test, export.tests, sizeof(*t));
	t = &export.test[export.tests++];
	t->outcome = outcome;
	t->name = copy(name, strlen(name));
	t->reason = copy(reason, strlen(reason));
	t->first = first;
	t->results = export.results - first;
}

/* Part "[not ]ok N name # reason" into name and reason; both are new. */
static void part(const char *s, char **name, char **reason)
{
	const char *end;

	s += strncmp(s, "not ", 4) ? 0 : 4;
	s += strspn(s + 2, " ") + 2;
	s += strspn(s, "0123456789");
	s += strspn(s, " ");
	if (!strncmp(s, "- ", 2))
		s += 2;
	end = !strncmp(s, "# ", 2) ? s : strstr(s, " # ");
	*name = copy(s, end ? (size_t)(end - s) : strlen(s));
	*reason = end ? copy(strchr(end, '#') + 2, strlen(end)) : copy("", 0);
}

static void take_details(const char *s)
{
	size_t len = strlen(details), more = strlen(s) + 1;

	if (more > DETAILS_BYTES)
		return;
	if (len + more > DETAILS_BYTES) {
		memmove(details, details + more, len - more + 1);
		len -= more;
	}
	memcpy(details + len, s, more - 1);
	memcpy(details + len + more - 1, "\n", 2);
}

/* A comment of the run itself. */
static void take_note(const char *s)
{
	s += strspn(s, "# ");
	export.note = grow(export.note, export.notes, sizeof(*export.note));
	export.note[export.notes++] = copy(s, strlen(s));
	if (!strncmp(s, "kernel ", 7) && !export.kernel && strncmp(s, "kernel log", 10))
		export.kernel = copy(s + 7, strcspn(s + 7, ","));
	else if (!strncmp(s, "status ", 7))
		export.status = atoi(s + 7);
	else if (!strncmp(s, "partial results", 15))
		export.partial = true;
}

static void take_result(const char *s, bool top, enum ktap_kind kind, bool counted)
{
	enum outcome o = kind == KTAP_OK ? PASSED : kind == KTAP_SKIP ? SKIPPED : FAILED;
	char *name, *reason;

	part(s, &name, &reason);
	if (counted)
		add_result(o, name, reason);
	if (top)
		end_test(o, name, reason);
	details[0] = '\0';
	free(name);
	free(reason);
}

/* Failures by breaches of the format, since there were @before. */
static void take_breaches(unsigned long before)
{
	for (; before < ktap.breached; before++)
		add_result(FAILED, "(format)", ktap.error);
}

static void take_line(const char *line)
{
	struct ktap before = ktap;
	enum ktap_kind kind = ktap_feed(&ktap, line);
	const char *s = line + strspn(line, " ");
	bool counted = ktap.passed > before.passed || ktap.skipped > before.skipped ||
		       ktap.failed - ktap.breached > before.failed - before.breached;

	if (kind == KTAP_OK || kind == KTAP_NOT_OK || kind == KTAP_SKIP) {
		if (*s == '1' && counted)	/* 1..0 # SKIP */
			add_result(SKIPPED, "(all)", strchr(s, '#') ? strchr(s, '#') + 2 : "");
		else
			take_result(s, s == line, kind, counted);
	} else if (kind == KTAP_PLAN && counted) {
		add_result(SKIPPED, "(all)", strchr(s, '#') ? strchr(s, '#') + 2 : "");
	} else if (s == line && *s == '#') {
		take_note(s);
	} else {
		take_details(s);
	}
	take_breaches(before.breached);
}

static int read_ktap(const char *path)
{
	static char line[LINE_BYTES];
	FILE *f = fopen(path, "r");
	unsigned long before;
	size_t first;

	if (!f)
		return -errno;
	ktap_init(&ktap);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = '\0';
		take_line(line);
	}
	if (ferror(f)) {
		fclose(f);
		return -EIO;
	}
	fclose(f);
	before = ktap.breached;
	ktap_finish(&ktap);
	take_breaches(before);
	first = export.tests ? export.test[export.tests - 1].first + export.test[export.tests - 1].results : 0;
	if (first < export.results)
		end_test(FAILED, "(run)", "results that belong to no test");
	return 0;
}

/* Write with @write into the file NAME beside the KTAP at @path: whole or not at all. */
static int write_beside(const char *path, const char *name, void (*write)(FILE *, const struct export *))
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? slash - path + 1 : 0;
	char to[4096], tmp[4096];
	bool bad;
	FILE *f;

	if (snprintf(to, sizeof(to), "%.*s%s", dir, path, name) >= (int)sizeof(to) ||
	    snprintf(tmp, sizeof(tmp), "%.*s.%s.new", dir, path, name) >= (int)sizeof(tmp))
		return -ENAMETOOLONG;
	f = fopen(tmp, "w");
	if (!f)
		return -errno;
	write(f, &export);
	bad = ferror(f);
	bad |= fclose(f) != 0;
	if (bad || rename(tmp, to)) {
		int err = bad ? -ENOSPC : -errno;

		remove(tmp);
		return err;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int err;

	if (argc != 2 || argv[1][0] == '-') {
		fputs("usage: export RESULTS.ktap\n", stderr);
		return 2;
	}
	export.status = -1;
	err = read_ktap(argv[1]);
	if (err) {
		fprintf(stderr, "export: cannot read %s: %s\n", argv[1], strerror(-err));
		return 2;
	}
	/* Both come from one list, which is held against the reader's own count. */
	if (export.total[PASSED] != ktap.passed || export.total[FAILED] != ktap.failed ||
	    export.total[SKIPPED] != ktap.skipped) {
		fprintf(stderr, "export: %s: %lu, %lu, %lu listed, but %lu passed, %lu failed, %lu skipped counted: report this\n",
			argv[1], export.total[PASSED], export.total[FAILED], export.total[SKIPPED],
			ktap.passed, ktap.failed, ktap.skipped);
		return 2;
	}
	err = write_beside(argv[1], "results.json", export_json);
	if (!err)
		err = write_beside(argv[1], "junit.xml", export_junit);
	if (err)
		fprintf(stderr, "export: cannot write beside %s: %s\n", argv[1], strerror(-err));
	return err ? 2 : 0;
}
