// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results_file.h"

#define LOG_LINES	200u	/* of a kernel's log; console.log beside it has all */
#define SAID_BYTES	4096u	/* in front of a result that failed: the last of it */

/* A file under way: nested results wait for their test's, which comes behind them and names it. */
struct reader {
	struct results *r;
	struct results nested;
	bool nested_failed;
	FILE *notes, *log, *seeds;
	uint32_t log_lines;
	char said[SAID_BYTES];	/* since the last result, each line with its newline */
	size_t said_len;
};

int results_add(struct results *r, const char *test, const char *name, enum outcome outcome,
		const char *remark, const char *said)
{
	struct result *more = r->results, *result;

	if (!(r->count & (r->count + 1)))	/* room for twice as many */
		more = realloc(r->results, (2 * (size_t)r->count + 2) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->results = more;
	result = &r->results[r->count];
	*result = (struct result){ .outcome = outcome, .remark = strdup(remark) };
	if (asprintf(&result->name, "%s%s%s", test ? test : "", test ? "/" : "", name) < 0)
		result->name = NULL;
	if (said && *said)
		result->said = strdup(said);
	r->count++;
	return result->name && result->remark ? 0 : -ENOMEM;
}

void results_free(struct results *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		free(r->results[i].name);
		free(r->results[i].remark);
		free(r->results[i].said);
	}
	free(r->results);
	free(r->notes);
	free(r->log);
	free(r->seeds);
	*r = (struct results){ .status = -1 };
}

static void say(struct reader *d, const char *line)
{
	size_t len = strlen(line);

	if (len + 2 > sizeof(d->said))
		return;
	/* What was said last is nearest to the failure. */
	while (d->said_len + len + 2 > sizeof(d->said)) {
		char *second = memchr(d->said, '\n', d->said_len);
		size_t first = second ? (size_t)(second - d->said) + 1 : d->said_len;

		memmove(d->said, d->said + first, d->said_len - first);
		d->said_len -= first;
	}
	memcpy(d->said + d->said_len, line, len);
	d->said[d->said_len + len] = '\n';
	d->said_len += len + 1;
	d->said[d->said_len] = 0;
}

/* "[not ]ok NUMBER NAME[ # WORD REMARK]" in @line, which is cut up. NULL: it is none. */
static char *split_result(char *line, enum outcome *outcome, const char **remark)
{
	char *name = line, *hash;
	bool ok = strncmp(line, "not ", 4);
	size_t digits;

	name += ok ? 0 : 4;
	if (strncmp(name, "ok ", 3))
		return NULL;
	name += 3;
	digits = strspn(name, "0123456789");
	if (!digits || (name[digits] && name[digits] != ' '))
		return NULL;
	name += digits + strspn(name + digits, " ");
	name += strncmp(name, "- ", 2) ? 0 : 2;
	hash = strstr(name, " # ");
	*remark = "";
	*outcome = ok ? OUTCOME_PASSED : OUTCOME_FAILED;
	if (!hash)
		return name;
	*hash = 0;
	*remark = hash + 3;
	if (!strncmp(*remark, "SKIP", 4)) {
		*outcome = OUTCOME_SKIPPED;
		*remark += 4 + strspn(*remark + 4, " ");
	} else if (!strncmp(*remark, "XFAIL", 5)) {
		*outcome = OUTCOME_KNOWN;
		*remark += 5 + strspn(*remark + 5, " ");
	}
	return name;
}

static int take_nested(struct reader *d, char *line)
{
	const char *remark;
	enum outcome outcome;
	char *name = split_result(line, &outcome, &remark);
	int ret;

	if (!name) {
		if (!strncmp(line, "# ", 2))
			say(d, line + 2);
		if (!strncmp(line, "# seed ", 7))
			fprintf(d->seeds, "%s\n", line + 2);
		return 0;
	}
	d->nested_failed |= outcome == OUTCOME_FAILED;
	ret = results_add(&d->nested, NULL, name, outcome, remark,
			  outcome == OUTCOME_PASSED ? NULL : d->said);
	d->said_len = d->said[0] = 0;
	return ret;
}

/* A test's own result: those nested in it get its name; it is one itself if they do not say it all. */
static int take_test(struct reader *d, const char *name, enum outcome outcome, const char *remark)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < d->nested.count; i++) {
		struct result *n = &d->nested.results[i];

		ret = results_add(d->r, name, n->name, n->outcome, n->remark, n->said);
	}
	if (!ret && (!d->nested.count || (outcome == OUTCOME_FAILED && !d->nested_failed)))
		ret = results_add(d->r, NULL, name, outcome, remark,
				  outcome == OUTCOME_PASSED ? NULL : d->said);
	results_free(&d->nested);
	d->nested_failed = false;
	d->said_len = d->said[0] = 0;
	return ret;
}

static void take_note(struct reader *d, const char *note)
{
	if (!strncmp(note, "kernel log: ", 12) || !strncmp(note, "console: ", 9)) {
		if (d->log_lines++ < LOG_LINES)
			fprintf(d->log, "%s\n", note);
		return;
	}
	if (!strncmp(note, "status ", 7))
		d->r->status = atoi(note + 7);
	fprintf(d->notes, "%s\n", note);
}

static int take_line(struct reader *d, char *line)
{
	const char *remark;
	enum outcome outcome;
	char *name;

	if (!strncmp(line, "  ", 2))
		return take_nested(d, line + 2);
	if (!strncmp(line, "# ", 2)) {
		take_note(d, line + 2);
		return 0;
	}
	name = split_result(line, &outcome, &remark);
	return name ? take_test(d, name, outcome, remark) : 0;
}

static int read_lines(struct reader *d, FILE *in)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int ret = 0;

	while (!ret && (len = getline(&line, &size, in)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = 0;
		ret = take_line(d, line);
	}
	free(line);
	if (!ret && ferror(in))
		ret = -EIO;
	if (!ret && d->nested.count)
		ret = take_test(d, "(broken off)", OUTCOME_FAILED, "results.ktap ends here");
	return ret;
}

int results_read(const char *path, struct results *r)
{
	struct reader *d = calloc(1, sizeof(*d));
	FILE *in = fopen(path, "r");
	size_t len[3];
	int ret = in ? d ? 0 : -ENOMEM : -errno;

	*r = (struct results){ .status = -1 };
	if (!ret) {
		d->r = r;
		d->notes = open_memstream(&r->notes, &len[0]);
		d->log = open_memstream(&r->log, &len[1]);
		d->seeds = open_memstream(&r->seeds, &len[2]);
		ret = d->notes && d->log && d->seeds ? read_lines(d, in) : -ENOMEM;
		if (d->log && d->log_lines > LOG_LINES)
			fprintf(d->log, "(%u lines more: console.log)\n", d->log_lines - LOG_LINES);
		results_free(&d->nested);
	}
	if (d && d->notes)
		fclose(d->notes);
	if (d && d->log)
		fclose(d->log);
	if (d && d->seeds)
		fclose(d->seeds);
	free(d);
	if (in)
		fclose(in);
	if (ret)
		results_free(r);
	return ret;
}
