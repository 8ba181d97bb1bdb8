// SPDX-License-Identifier: GPL-2.0
/* One trace, drawn. */
#include <stdlib.h>

#include "commands.h"
#include "report_svg.h"
#include "report_words.h"

/* What stands below the drawing; free() it. NULL: no memory. */
static char *words_of(const struct trace_file *f, const char *path, const struct verdict_workspace *w,
		      const struct verdict *v)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	report_verdict(out, "", path, f->observed ? "replay" : NULL, &f->wcase, f->observed ? &f->trace : NULL, &w->store, v);
	return fclose(out) ? NULL : text;
}

static int draw(const struct trace_file *f, const char *path)
{
	struct verdict_workspace w;
	struct timeline *l = malloc(sizeof(*l));
	struct verdict v;
	char *words = NULL;
	int status = 0;

	if (!l || verdict_workspace_alloc(&w, &f->wcase)) {
		free(l);
		return complain("timeline: no memory");
	}
	if (f->observed)
		verdict_trace(&f->trace, &w, &v);
	else
		verdict_expectations(&f->wcase, &w, &v);
	words = words_of(f, path, &w, &v);
	if (words) {
		timeline_make(l, &f->wcase, f->observed ? &f->trace : NULL, &w, &v);
		svg_write_alone(stdout, l, words);
	} else {
		status = complain("timeline: no memory");
	}
	free(words);
	free(l);
	verdict_workspace_free(&w);
	return status;
}

int command_timeline(int argc, char **argv)
{
	struct case_list list;
	int status;

	if (argc != 2 || argv[1][0] == '-')
		return complain("timeline: give one trace or case: perfwake timeline FILE > FILE.svg");
	status = case_list_read(&list, argv + 1, 1);
	if (!status && list.count != 1)
		status = complain("timeline: %s: one file at a time", argv[1]);
	if (!status)
		status = draw(list.files[0], list.paths[0]);
	case_list_free(&list);
	return status;
}
