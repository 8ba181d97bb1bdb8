// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report_words.h"
#include "support.h"

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

void text_to_file(const char *text, struct trace_file *f)
{
	struct text_error err;

	if (trace_text_parse(text, strlen(text), f, &err))
		die("%u:%u: %s\n# in: %s", err.line, err.column, err.reason, text);
}

void path_to_file(const char *path, struct trace_file *f)
{
	struct text_error err;

	if (trace_text_read(path, f, &err))
		die("%s:%u:%u: %s", path, err.line, err.column, err.reason);
}

char *file_to_text(const struct trace_file *f)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		die("no memory for a text");
	trace_text_write(out, &f->wcase, &f->trace);
	if (fclose(out))
		die("no memory for a text");
	return text;
}

void observe_model(struct trace_file *f)
{
	const struct wake_case *c = &f->wcase;
	struct verdict_workspace w;

	value_store_free(&f->trace.store);
	if (value_store_alloc(&f->trace.store, trace_capacity(c)) || verdict_workspace_alloc(&w, c))
		die("no memory for a trace");
	model_init(&w.model, c, model_kernel(f->trace.kernel), w.records);
	for (uint32_t i = 0; i < c->nsteps; i++)
		model_step(&w.model, &c->steps[i], VALUE_NO_SAMPLE, &f->trace.store,
			   &f->trace.seen[i]);
	f->observed = c->nsteps;
	verdict_workspace_free(&w);
}

static void judge(const struct trace_file *f, bool case_only, struct verdict_workspace *w,
		  struct verdict *v)
{
	if (verdict_workspace_alloc(w, &f->wcase))
		die("no memory for a verdict");
	if (case_only)
		verdict_expectations(&f->wcase, w, v);
	else
		verdict_trace(&f->trace, w, v);
}

struct verdict judge_file(const struct trace_file *f, bool case_only)
{
	struct verdict_workspace w;
	struct verdict v;

	judge(f, case_only, &w, &v);
	verdict_workspace_free(&w);
	return v;
}

char *difference_text(const struct trace_file *f, bool case_only)
{
	struct verdict_workspace w;
	struct verdict v;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		die("no memory for a text");
	judge(f, case_only, &w, &v);
	if (v.kind != VERDICT_PROVED && v.kind != VERDICT_UNJUDGED)
		report_difference(out, "# ", f->wcase.name, NULL, &f->wcase,
				  case_only ? NULL : &f->trace, &w.store, &v);
	verdict_workspace_free(&w);
	if (fclose(out))
		die("no memory for a text");
	return text;
}

const char *kind_name(enum verdict_kind kind)
{
	switch (kind) {
	case VERDICT_UNJUDGED:
		return "unjudged";
	case VERDICT_PROVED:
		return "proved";
	case VERDICT_KERNEL:
		return "kernel";
	case VERDICT_EXPECTATION:
		return "expectation";
	case VERDICT_DEFECT:
		return "defect";
	case VERDICT_MISSING:
		return "missing";
	}
	return "?";
}

const char *part_name(uint32_t part)
{
	switch (part) {
	case 0:
		return "none";
	case VALUE_CODE:
		return "code";
	case VALUE_READINESS:
		return "readiness";
	case VALUE_READY_AT:
		return "ready list";
	case VALUE_NUMBERS:
		return "numbers";
	case VALUE_LOST:
		return "lost";
	case VALUE_WAKES:
		return "wakes";
	case VALUE_HEAD:
		return "head";
	}
	return "?";
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	return len > n && !strcmp(name + len - n, ending);
}

struct folder folder_read(const char *path, const char *ending)
{
	struct folder folder = { 0 };
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		die("%s cannot be read", path);
	while ((entry = readdir(dir))) {
		size_t len = strlen(path) + strlen(entry->d_name) + 2;

		if (!ends_with(entry->d_name, ending))
			continue;
		folder.paths = realloc(folder.paths, (folder.count + 1) * sizeof(char *));
		if (!folder.paths || !(folder.paths[folder.count] = malloc(len)))
			die("no memory for a folder");
		snprintf(folder.paths[folder.count++], len, "%s/%s", path, entry->d_name);
	}
	closedir(dir);
	if (!folder.count)
		die("%s has no *%s", path, ending);
	qsort(folder.paths, folder.count, sizeof(char *), by_name);
	return folder;
}

void folder_free(struct folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		free(folder->paths[i]);
	free(folder->paths);
	*folder = (struct folder){ 0 };
}
