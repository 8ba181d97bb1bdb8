/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the HTML page among themselves: report_html.c frames it, report_table.c has its tables. */
#ifndef PERFWAKE_REPORT_PAGE_H
#define PERFWAKE_REPORT_PAGE_H

#include "report_html.h"

#define PAGE_RULES_MAX	24

/* A result, over all kernels. */
struct row {
	const char *name;
	const char *rules;	/* or NULL */
	enum outcome outcome[REPORT_KERNELS_MAX];
};

struct page {
	FILE *out;
	const struct report *r;
	struct row *rows;	/* as they first come */
	uint32_t nrows;
	void *by_name;		/* of tsearch(3): rows, while they are gathered */
	char rules[PAGE_RULES_MAX][16];	/* in the order of their numbers */
	uint32_t nrules;
	uint32_t failed, different;	/* results, traces */
};

/* @s, escaped. */
void page_text(struct page *p, const char *s);

/* The "s" behind a word of which there are @n. */
const char *page_plural(uint64_t n);

/* How the run as a whole ended, in a few words. */
const char *page_status_text(const struct report_kernel *k);

/* The drawing of the case that result @name is about, if there is one. */
const struct drawing *page_drawing_of(const struct page *p, const char *name);

/* report_table.c: gather rows and rules (false: no memory); the table rule by kernel; all results. */
bool page_gather(struct page *p);
void page_write_table(struct page *p);
void page_write_results(struct page *p);

#endif
