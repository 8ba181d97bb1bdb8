// SPDX-License-Identifier: GPL-2.0
/* What a page is made of: the rules, the results of guests, and their traces judged again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_html.h"
#include "terminal.h"
#include "trace_text.h"

/* --- rules */

int report_read_rules(struct report *r, const char *path)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	int ret = in ? 0 : -errno;

	while (!ret && getline(&line, &size, in) > 0) {
		char *rules = line + strcspn(line, " \t\n");
		struct rule_line *more;

		if (line[0] == '#' || line[0] == '\n' || !*rules)
			continue;
		*rules++ = 0;
		rules[strcspn(rules, "\n")] = 0;
		more = realloc(r->lines, (r->nlines + 1) * sizeof(*more));
		if (!more) {
			ret = -ENOMEM;
			break;
		}
		r->lines = more;
		more += r->nlines++;
		*more = (struct rule_line){ .pattern = strdup(line) };
		if (!more->pattern || asprintf(&more->rules, " %s ", rules + strspn(rules, " \t")) < 0)
			ret = -ENOMEM;
	}
	free(line);
	if (in)
		fclose(in);
	return ret;
}

/* The rules of result @name, with blanks between and around, or NULL where no line is about it. */
static const char *rules_of(const struct report *r, const char *name)
{
	for (uint32_t i = 0; i < r->nlines; i++)
		if (!fnmatch(r->lines[i].pattern, name, 0))
			return r->lines[i].rules;
	return NULL;
}

/* --- folders */

static const enum outcome outcome_of[] = {
	[VERDICT_UNJUDGED] = OUTCOME_FAILED,
	[VERDICT_PROVED] = OUTCOME_PASSED,
	[VERDICT_KERNEL] = OUTCOME_FAILED,
	[VERDICT_EXPECTATION] = OUTCOME_FAILED,
	[VERDICT_DEFECT] = OUTCOME_KNOWN,
	[VERDICT_MISSING] = OUTCOME_FAILED,
};

/* One trace: judged, drawn, called @as. @alone: there is no results.ktap that has its result. */
static int add_trace(struct report *r, const char *path, const char *as, bool alone)
{
	struct report_kernel *k = &r->kernels[r->nkernels];
	struct verdict_workspace w;
	struct text_error err;
	struct trace_file f;
	struct verdict v;
	int ret = trace_text_read(path, &f, &err);

	if (ret) {
		char remark[400];

		snprintf(remark, sizeof(remark), "%s:%" PRIu32 ":%" PRIu32 ": %s", as, err.line, err.column,
			 err.reason);
		k->different++;
		return results_add(&k->results, "trace", as, OUTCOME_FAILED, remark, NULL);
	}
	ret = verdict_workspace_alloc(&w, &f.wcase);
	if (ret) {
		trace_file_free(&f);
		return ret;
	}
	verdict_trace(&f.trace, &w, &v);
	k->traces++;
	if (alone)
		ret = results_add(&k->results, "trace", f.wcase.name, outcome_of[v.kind], "", NULL);
	k->different += outcome_of[v.kind] == OUTCOME_FAILED;
	if (!ret)
		ret = report_draw(r, &f, as, &w, &v);
	verdict_workspace_free(&w);
	trace_file_free(&f);
	return ret;
}

/* NAME.trace, and NAME.trace.2 of a second test that left one of the same name. */
static int is_trace(const struct dirent *entry)
{
	const char *ending = strstr(entry->d_name, ".trace");

	return entry->d_name[0] != '.' && ending && !strstr(ending, ".part") &&
	       (!ending[6] || (ending[6] == '.' && !ending[7 + strspn(ending + 7, "0123456789")]));
}

/* @sub: "/traces", or "" for the folder itself. */
static int add_traces(struct report *r, const char *folder, const char *as, const char *sub, bool alone)
{
	char *from = NULL, *path = NULL, *name = NULL;
	struct dirent **entries;
	int n = asprintf(&from, "%s%s", folder, sub) < 0 ? -1 : scandir(from, &entries, is_trace, versionsort);
	int ret = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		const char *file = entries[i]->d_name;

		terminal_progress(stderr, "%s%s: %d of %d traces ", as, sub, i + 1, n);
		if (!ret && (asprintf(&path, "%s/%s", from, file) < 0 || asprintf(&name, "%s%s/%s", as, sub, file) < 0))
			ret = -ENOMEM;
		if (!ret)
			ret = add_trace(r, path, name, alone);
		free(path);
		free(name);
		path = name = NULL;
		free(entries[i]);
	}
	free(from);
	terminal_clear(stderr);
	if (n >= 0)
		free(entries);
	return ret == -ENOENT ? 0 : ret;
}

int report_add(struct report *r, const char *label, const char *folder, const char *as)
{
	struct report_kernel *k = &r->kernels[r->nkernels];
	char *ktap = NULL;
	int ret = 0;

	k->results.status = -1;
	k->label = strdup(label);
	if (!k->label || (folder && asprintf(&ktap, "%s/results.ktap", folder) < 0))
		ret = -ENOMEM;
	if (!ret && folder) {
		ret = results_read(ktap, &k->results);
		if (!ret)
			ret = add_traces(r, folder, as, "/traces", false);
		else if (ret == -ENOENT)
			ret = add_traces(r, folder, as, "", true);
		if (!ret && !k->results.count && !k->traces)
			ret = -ENOENT;
	}
	for (uint32_t i = 0; i < k->results.count; i++)
		k->results.results[i].rules = rules_of(r, k->results.results[i].name);
	r->nkernels++;
	free(ktap);
	return ret;
}

bool report_proved(const struct report_kernel *k)
{
	uint32_t passed = 0;

	for (uint32_t i = 0; i < k->results.count; i++) {
		if (k->results.results[i].outcome == OUTCOME_FAILED)
			return false;
		passed += k->results.results[i].outcome == OUTCOME_PASSED;
	}
	/* A folder of traces has no status; a results.ktap without one was cut. */
	return passed && !k->different && (k->results.notes ? !k->results.status : k->traces);
}

void report_free(struct report *r)
{
	report_free_drawings(r);
	for (uint32_t i = 0; i < r->nlines; i++) {
		free(r->lines[i].pattern);
		free(r->lines[i].rules);
	}
	free(r->lines);
	for (uint32_t i = 0; i < r->nkernels; i++) {
		free(r->kernels[i].label);
		results_free(&r->kernels[i].results);
	}
	*r = (struct report){ 0 };
}
