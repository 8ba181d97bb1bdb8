/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What vm/run.sh left behind, of one kernel or several, as one HTML page: nothing else is loaded, and
 * it is read without scripts.
 */
#ifndef PERFWAKE_REPORT_HTML_H
#define PERFWAKE_REPORT_HTML_H

#include <stdio.h>

#include "results_file.h"
#include "trace_file.h"

#define REPORT_KERNELS_MAX	32

/*
 * Bytes that timelines may take of a page: those that differ, those that do not. Behind that a case
 * is named, and drawn by perfwake timeline.
 */
#define REPORT_DIFFERENT_BYTES	(2000u << 10)
#define REPORT_PASSED_BYTES	(500u << 10)

/* One column of the table. */
struct report_kernel {
	char *label;
	struct results results;
	uint32_t traces;	/* judged again */
	uint32_t different;	/* of them: not proved, and no known defect */
};

/* One timeline, of all cases that look the same: those that pass whatever their names are. */
struct drawing {
	uint32_t id;
	char *key;		/* what has to be the same */
	char *names;
	char *file;		/* of the first */
	uint32_t cases;		/* traces, over all kernels */
	uint32_t kernels;	/* bits: columns */
	bool drawn;		/* the page has room for it */
	bool different;
	uint32_t defects;	/* known ones that it shows: enum model_defect bits */
	/* HTML of its parts; the last two are NULL for what passed. */
	char *flow;
	char *words;
	char *state;
	char *text;
};

/* Which rules a result proves: vm/rules. */
struct rule_line {
	char *pattern;
	char *rules;		/* with blanks between and around */
};

struct report {
	struct report_kernel kernels[REPORT_KERNELS_MAX];
	uint32_t nkernels;
	struct rule_line *lines;
	uint32_t nlines;
	struct drawing **drawings;
	uint32_t ndrawings;
	void *by_key;		/* of tsearch(3): drawings */
	void *by_name;		/* the same, by the names of cases */
};

/* report_data.c: gathering, the rules first. Each returns 0 or -errno; report_free() is due all the same. */
int report_read_rules(struct report *r, const char *path);
/* Add the column @label: @folder's results and traces, called @as on the page. @folder NULL: it has none. */
int report_add(struct report *r, const char *label, const char *folder, const char *as);
void report_free(struct report *r);

/* Was everything proved on kernel @k, as far as the page knows? */
bool report_proved(const struct report_kernel *k);

/*
 * report_drawing.c: draw @f, of the column under way, of which @v is what the verdict in @w found. The
 * store of @w is used up.
 */
int report_draw(struct report *r, const struct trace_file *f, const char *path,
		struct verdict_workspace *w, const struct verdict *v);
/* Decide which drawings the page has room for. */
void report_choose(struct report *r);
void report_free_drawings(struct report *r);

/* A drawing of case @name, or NULL. */
const struct drawing *report_drawing_of(const struct report *r, const char *name);

/* report_html.c: the page. @version is perfwake's. Returns 0 or -ENOMEM, with nothing written. */
int report_html_write(FILE *out, const struct report *r, const char *version);

#endif
