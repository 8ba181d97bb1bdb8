// SPDX-License-Identifier: GPL-2.0
/* The tables of the page: rule by kernel, and all results by test. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report_page.h"
#include "report_words.h"

static int compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void add_row(struct page *p, const struct result *result, uint32_t kernel)
{
	struct row *row = &p->rows[p->nrows];
	void *slot;

	row->name = result->name;
	slot = tsearch(row, &p->by_name, compare_rows);
	if (!slot)
		return;
	if (*(struct row **)slot == row) {
		row->rules = result->rules;
		p->nrows++;
	}
	row = *(struct row **)slot;
	/* Of two results of one name the worse one shows. */
	if (result->outcome > row->outcome[kernel])
		row->outcome[kernel] = result->outcome;
}

static void keep(void *node)
{
	(void)node;
}

static bool add_rows(struct page *p)
{
	size_t n = 1;

	for (uint32_t k = 0; k < p->r->nkernels; k++)
		n += p->r->kernels[k].results.count;
	p->rows = calloc(n, sizeof(*p->rows));
	for (uint32_t k = 0; p->rows && k < p->r->nkernels; k++) {
		const struct results *results = &p->r->kernels[k].results;

		for (uint32_t i = 0; i < results->count; i++) {
			add_row(p, &results->results[i], k);
			p->failed += results->results[i].outcome == OUTCOME_FAILED;
		}
		p->different += p->r->kernels[k].different;
	}
	tdestroy(p->by_name, keep);
	return p->rows;
}

/* K2 before K10, words last. */
static int compare_rules(const void *a, const void *b)
{
	unsigned long x = strtoul((const char *)a + 1, NULL, 10), y = strtoul((const char *)b + 1, NULL, 10);

	x += x ? 0 : 99;
	y += y ? 0 : 99;
	return x != y ? (x > y) - (x < y) : strcmp(a, b);
}

static void add_rules(struct page *p)
{
	for (uint32_t i = 0; i < p->r->nlines; i++) {
		char words[256], *at = words, *word;

		snprintf(words, sizeof(words), "%s", p->r->lines[i].rules);
		while ((word = strsep(&at, " \t"))) {
			uint32_t known = 0;

			while (known < p->nrules && strcmp(p->rules[known], word))
				known++;
			if (*word && known == p->nrules && known < PAGE_RULES_MAX)
				snprintf(p->rules[p->nrules++], sizeof(p->rules[0]), "%s", word);
		}
	}
	qsort(p->rules, p->nrules, sizeof(p->rules[0]), compare_rules);
}

/* Is the result of these rules about rule @rule? NULL: about none. */
static bool is_about(const char *rules, const char *rule)
{
	char word[20];

	if (!rule || !rules)
		return !rule && !rules;
	snprintf(word, sizeof(word), " %s ", rule);
	return strstr(rules, word);
}

bool page_gather(struct page *p)
{
	if (!add_rows(p))
		return false;
	add_rules(p);
	return true;
}

/* --- rule by kernel */

static void count_cell(const struct page *p, const char *rule, uint32_t kernel, uint32_t counts[OUTCOMES])
{
	const struct results *results = &p->r->kernels[kernel].results;

	memset(counts, 0, OUTCOMES * sizeof(counts[0]));
	for (uint32_t i = 0; i < results->count; i++)
		if (is_about(results->results[i].rules, rule))
			counts[results->results[i].outcome]++;
}

static void write_cell(struct page *p, const uint32_t counts[OUTCOMES], bool others)
{
	static const struct {
		enum outcome outcome;
		const char *word;
	} words[] = {
		{ OUTCOME_FAILED, "failed" }, { OUTCOME_PASSED, "ok" }, { OUTCOME_KNOWN, "known" },
		{ OUTCOME_SKIPPED, "skipped" },
	};
	uint32_t all = counts[OUTCOME_PASSED] + counts[OUTCOME_FAILED] + counts[OUTCOME_KNOWN] +
		       counts[OUTCOME_SKIPPED];
	const char *gap = "";

	if (!all) {
		/* Where other kernels have results, none is a failure. */
		fprintf(p->out, "<td%s>%s", others ? " class=F" : "", others ? "NONE" : "-");
		return;
	}
	fprintf(p->out, "<td class=%c>", counts[OUTCOME_FAILED] ? 'F' : 'P');
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!counts[words[i].outcome])
			continue;
		fprintf(p->out, "%s%" PRIu32 " <b>%s</b>", gap, counts[words[i].outcome], words[i].word);
		gap = ", ";
	}
}

static void write_rule(struct page *p, const char *rule)
{
	uint32_t counts[REPORT_KERNELS_MAX][OUTCOMES];
	bool others = false;

	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		count_cell(p, rule, k, counts[k]);
		others |= counts[k][OUTCOME_PASSED];
	}
	fputs("<tr><th scope=row>", p->out);
	page_text(p, rule ? rule : "no rule");
	fprintf(p->out, " <small>%s</small>", rule ? rule_title(rule) : "results that vm/rules says nothing about");
	for (uint32_t k = 0; k < p->r->nkernels; k++)
		write_cell(p, counts[k], others);
	fputc('\n', p->out);
}

static bool any_without_rule(const struct page *p)
{
	for (uint32_t i = 0; i < p->nrows; i++)
		if (!p->rows[i].rules)
			return true;
	return false;
}

void page_write_table(struct page *p)
{
	fputs("<section id=table><h2>Rule by kernel</h2>\n<div class=wide tabindex=0 role=region aria-label=\"rule by kernel\">"
	      "<table id=rules><thead><tr><th scope=col>rule", p->out);
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		fputs("<th scope=col>", p->out);
		page_text(p, p->r->kernels[k].label);
	}
	fputs("</thead><tbody>\n", p->out);
	for (uint32_t i = 0; i < p->nrules; i++)
		write_rule(p, p->rules[i]);
	if (any_without_rule(p))
		write_rule(p, NULL);
	fputs("<tr><th scope=row>the run", p->out);
	for (uint32_t k = 0; k < p->r->nkernels; k++)
		fprintf(p->out, "<td class=%c><b>%s</b>", report_proved(&p->r->kernels[k]) ? 'P' : 'F',
			page_status_text(&p->r->kernels[k]));
	fputs("\n</table></div></section>\n", p->out);
}

/* --- results */

static void write_word(struct page *p, const char *s, size_t len)
{
	char word[256];

	snprintf(word, sizeof(word), "%.*s", (int)len, s);
	page_text(p, word);
}

/* @skip: letters of the test's name, which stands above. @rules: a column for them. */
static void write_row(struct page *p, const struct row *row, size_t skip, bool rules)
{
	static const char *const words[] = {
		[OUTCOME_NONE] = "<td>-", [OUTCOME_PASSED] = "<td>ok", [OUTCOME_SKIPPED] = "<td>skipped",
		[OUTCOME_KNOWN] = "<td>known", [OUTCOME_FAILED] = "<td class=F>FAILED",
	};
	const struct drawing *d = page_drawing_of(p, row->name);

	fputs("<tr><td>", p->out);
	if (d && !d->drawn)
		d = NULL;
	if (d)
		fprintf(p->out, "<a href=#d%" PRIu32 ">", d->id);
	page_text(p, row->name[skip] ? row->name + skip + 1 : row->name);
	if (d)
		fputs("</a>", p->out);
	if (rules) {
		fputs("<td>", p->out);
		page_text(p, row->rules ? row->rules : "-");
	}
	for (uint32_t k = 0; k < p->r->nkernels; k++)
		fputs(words[row->outcome[k]], p->out);
	fputc('\n', p->out);
}

/* Is @row one of test @test, of which @len letters count? */
static bool is_of(const struct row *row, const char *test, size_t len)
{
	return !strncmp(row->name, test, len) && (!row->name[len] || row->name[len] == '/');
}

/* Results of the test that row @first is of. */
static void write_test(struct page *p, uint32_t first)
{
	const char *test = p->rows[first].name;
	size_t len = strcspn(test, "/");
	bool differ = false;
	uint32_t n = 0;

	for (uint32_t i = first; i < p->nrows; i++) {
		if (!is_of(&p->rows[i], test, len))
			continue;
		n++;
		differ |= p->rows[i].rules != p->rows[first].rules;
	}
	fputs("<details><summary>", p->out);
	write_word(p, test, len);
	fprintf(p->out, ": %" PRIu32 " result%s", n, page_plural(n));
	if (!differ && p->rows[first].rules) {
		fputs(" about", p->out);
		page_text(p, p->rows[first].rules);
	}
	fprintf(p->out, "</summary><div class=wide tabindex=0><table class=l><thead><tr><th scope=col>result%s",
		differ ? "<th scope=col>rules" : "");
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		fputs("<th scope=col>", p->out);
		page_text(p, p->r->kernels[k].label);
	}
	fputs("</thead>\n", p->out);
	for (uint32_t i = first; i < p->nrows; i++)
		if (is_of(&p->rows[i], test, len))
			write_row(p, &p->rows[i], len, differ);
	fputs("</table></div></details>\n", p->out);
}

/* A test's results follow one another, but for those that only some kernels have. */
static bool is_first_of_test(const struct page *p, uint32_t row)
{
	size_t len = strcspn(p->rows[row].name, "/");

	for (uint32_t i = row; i--;)
		if (is_of(&p->rows[i], p->rows[row].name, len))
			return false;
	return true;
}

static void write_skipped(struct page *p)
{
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		const struct results *results = &p->r->kernels[k].results;

		for (uint32_t i = 0; i < results->count; i++) {
			const struct result *result = &results->results[i];

			if (result->outcome != OUTCOME_SKIPPED && result->outcome != OUTCOME_KNOWN)
				continue;
			fprintf(p->out, "<li>%s: ", result->outcome == OUTCOME_KNOWN ? "known" : "skipped");
			page_text(p, result->name);
			fputs(" (", p->out);
			page_text(p, p->r->kernels[k].label);
			fputs("): ", p->out);
			page_text(p, result->remark);
			fputc('\n', p->out);
		}
	}
}

void page_write_results(struct page *p)
{
	fputs("<section id=results><h2>Results by test</h2>\n", p->out);
	for (uint32_t i = 0; i < p->nrows; i++)
		if (is_first_of_test(p, i))
			write_test(p, i);
	fputs("<details><summary>What was skipped or is known, and why</summary><ul>\n", p->out);
	write_skipped(p);
	fputs("</ul></details></section>\n", p->out);
}
