// SPDX-License-Identifier: GPL-2.0
/* The page. All text from outside goes through markup_text(). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "report_html.h"
#include "report_svg.h"
#include "report_words.h"

#define RULES_MAX	24
#define SAID_RESULTS_MAX 200u	/* results that failed and are told in full */

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
	char rules[RULES_MAX][16];	/* in the order of their numbers */
	uint32_t nrules;
	uint32_t failed, different;	/* results, traces */
};

static const char style[] =
	"*{box-sizing:border-box}body{margin:0 auto;padding:0 12px 40px;max-width:1400px;background:var(--bg);"
	"color:var(--fg);font:15px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}"
	"h1{font-size:1.5em;margin:.6em 0 .2em}h2{font-size:1.15em;margin:1.6em 0 .5em;"
	"border-bottom:1px solid var(--line)}h3{font-size:1em;margin:.8em 0 .3em}"
	"a{color:var(--model)}:focus-visible{outline:3px solid var(--model);outline-offset:2px}"
	"nav a{margin-right:1em}"
	".wide{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:2px 6px;"
	"text-align:left;vertical-align:top}thead th{background:var(--soft)}"
	"#rules td{text-align:center}#rules{font-size:.9em}th,td{overflow-wrap:break-word}"
	"td.F,.F>b{color:var(--bad);font-weight:bold}td.P>b,.P>b{color:var(--good)}"
	"td.F{outline:2px solid var(--bad);outline-offset:-2px}"
	"pre{white-space:pre-wrap;background:var(--soft);padding:6px 8px;margin:.3em 0;font:12px/1.4 ui-monospace,"
	"monospace}article{border-left:4px solid var(--bad);padding:0 0 .4em 10px;margin:1em 0;"
	/* A browser lays out what is near the window, and takes the rest for so high. */
	"content-visibility:auto;contain-intrinsic-size:auto 400px}"
	"article.k{border-left-style:double}"
	".flow{display:flex;flex-wrap:wrap;row-gap:4px}.flow svg{max-width:100%;height:auto;flex:none}"
	".rings,.legend{list-style:none;margin:.2em 0;padding:0;display:flex;flex-wrap:wrap;gap:2px 18px;"
	"font-size:.85em}.legend svg{vertical-align:-3px}"
	"details{margin:.25em 0}summary{cursor:pointer}.state{font-size:.85em}.l td{font-size:.85em}"
	"@media(max-width:600px){body{padding:0 6px 30px}th,td{padding:2px 3px}#rules{font-size:.75em}}";

/* --- gathering */

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
			if (*word && known == p->nrules && known < RULES_MAX)
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

/* --- small things */

static void text(struct page *p, const char *s)
{
	markup_text(p->out, s);
}

static void write_word(struct page *p, const char *s, size_t len)
{
	char word[256];

	snprintf(word, sizeof(word), "%.*s", (int)len, s);
	text(p, word);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void write_kernels(struct page *p, uint32_t bits)
{
	const char *gap = "";

	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		if (bits & 1u << k) {
			fputs(gap, p->out);
			text(p, p->r->kernels[k].label);
			gap = ", ";
		}
	}
}

static bool is_proved(const struct page *p)
{
	bool proved = p->r->nkernels;

	for (uint32_t k = 0; k < p->r->nkernels; k++)
		proved &= report_proved(&p->r->kernels[k]);
	return proved;
}

static void write_title(struct page *p)
{
	fputs(is_proved(p) ? "all proved" : p->failed || p->different ? "" : "not proved", p->out);
	if (p->failed)
		fprintf(p->out, "%" PRIu32 " result%s failed%s", p->failed, plural(p->failed),
			p->different ? ", " : "");
	if (p->different)
		fprintf(p->out, "%" PRIu32 " trace%s differ%s", p->different, plural(p->different),
			p->different == 1 ? "s" : "");
}

static void write_head(struct page *p)
{
	fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
	      "<meta name=viewport content=\"width=device-width,initial-scale=1\"><title>perfwake: ", p->out);
	write_title(p);
	fprintf(p->out, "</title>\n<style>%s\n%s</style></head>\n<body>"
		"<svg width=0 height=0 style=\"position:absolute\" aria-hidden=true>", svg_style, style);
	svg_write_symbols(p->out);
	fprintf(p->out, "</svg>\n<header><h1 class=%c>perfwake: <b>", is_proved(p) ? 'P' : 'F');
	write_title(p);
	fputs("</b></h1>\n<nav aria-label=\"on this page\"><a href=\"#table\">Rules</a><a href=\"#failed\">What failed</a>"
	      "<a href=\"#runs\">Kernels</a><a href=\"#cases\">Cases</a><a href=\"#results\">Results</a></nav></header>\n<main>\n",
	      p->out);
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
	text(p, rule ? rule : "no rule");
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

/* How the run as a whole ended, in words of DESIGN's exit statuses. */
static const char *status_text(const struct report_kernel *k)
{
	static const char *const texts[] = {
		"ended well", "a rule does not hold", "bad set-up", "crashed, hung or warned",
	};

	if (!k->results.notes)
		return k->traces ? "traces only" : "no results";
	if (k->results.status < 0)
		return "broken off";
	return k->results.status < 4 ? texts[k->results.status] : "ended by a signal";
}

static void write_table(struct page *p)
{
	fputs("<section id=table><h2>Rule by kernel</h2>\n<div class=wide tabindex=0 role=region aria-label=\"rule by kernel\">"
	      "<table id=rules><thead><tr><th scope=col>rule", p->out);
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		fputs("<th scope=col>", p->out);
		text(p, p->r->kernels[k].label);
	}
	fputs("</thead><tbody>\n", p->out);
	for (uint32_t i = 0; i < p->nrules; i++)
		write_rule(p, p->rules[i]);
	if (any_without_rule(p))
		write_rule(p, NULL);
	fputs("<tr><th scope=row>the run", p->out);
	for (uint32_t k = 0; k < p->r->nkernels; k++)
		fprintf(p->out, "<td class=%c><b>%s</b>", report_proved(&p->r->kernels[k]) ? 'P' : 'F',
			status_text(&p->r->kernels[k]));
	fputs("\n</table></div></section>\n", p->out);
}

/* --- what failed */

static void write_different(struct page *p, const struct drawing *d)
{
	fprintf(p->out, "<article id=d%" PRIu32 "%s><h3>%s ", d->id, d->defects ? " class=k" : "",
		d->defects ? "Known defect:" : "Differs:");
	text(p, d->names);
	fputs(" <small>(", p->out);
	write_kernels(p, d->kernels);
	fprintf(p->out, ")</small></h3>\n<pre>%s</pre>%s\n", d->words, d->flow);
	if (d->state)
		fprintf(p->out, "<details><summary>The model's state around it</summary><div class=wide tabindex=0>%s</div></details>\n",
			d->state);
	fprintf(p->out, "<details><summary>The trace</summary><pre>%s</pre></details></article>\n", d->text);
}

static bool stands_out(const struct drawing *d)
{
	return d->different || d->defects;
}

/* Files of those that differ and are behind the budget; the others are in the lists of results. */
static void write_not_drawn(struct page *p, uint32_t n)
{
	fprintf(p->out, "<details><summary>%" PRIu32 " more: perfwake timeline FILE draws them</summary><ul>\n", n);
	for (uint32_t i = 0; i < p->r->ndrawings; i++) {
		if (stands_out(p->r->drawings[i]) && !p->r->drawings[i]->drawn) {
			fputs("<li>", p->out);
			text(p, p->r->drawings[i]->file);
		}
	}
	fputs("\n</ul></details>\n", p->out);
}

/* Write the drawings that stand out, or the others. */
static void write_drawings(struct page *p, bool out, void (*one)(struct page *p, const struct drawing *d))
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < p->r->ndrawings; i++) {
		const struct drawing *d = p->r->drawings[i];

		if (stands_out(d) == out && d->drawn)
			one(p, d);
		left += stands_out(d) == out && !d->drawn;
	}
	if (left && out)
		write_not_drawn(p, left);
	else if (left)
		fprintf(p->out, "<p>%" PRIu32 " more looks: perfwake timeline draws them out of the traces.\n", left);
}

/* Of a result that has no trace: what was printed in front of it. */
static void write_said(struct page *p, const struct result *result, uint32_t kernel)
{
	fputs("<article><h3>Failed: ", p->out);
	text(p, result->name);
	fputs(" <small>(", p->out);
	text(p, p->r->kernels[kernel].label);
	fputs(")</small></h3>", p->out);
	if (result->remark[0]) {
		fputs("<p>", p->out);
		text(p, result->remark);
	}
	if (result->said) {
		fputs("<pre>", p->out);
		text(p, result->said);
		fputs("</pre>", p->out);
	}
	fputs("</article>\n", p->out);
}

/* The drawing of the case that result @name is about, if there is one. */
static const struct drawing *drawing_of(const struct page *p, const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? report_drawing_of(p->r, slash + 1) : NULL;
}

static void write_failed(struct page *p)
{
	uint32_t told = 0;

	fputs("<details open><summary>How a timeline reads</summary>", p->out);
	svg_write_legend(p->out);
	fputs("</details>\n<section id=failed><h2>What failed</h2>\n", p->out);
	if (is_proved(p))
		fputs("<p>Nothing.\n", p->out);
	write_drawings(p, true, write_different);
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		const struct results *results = &p->r->kernels[k].results;

		if (!results->count) {
			told++;
			write_said(p, &(struct result){ .name = (char *)"no results", .remark = (char *)"" }, k);
		}
		for (uint32_t i = 0; i < results->count; i++) {
			const struct result *result = &results->results[i];
			const struct drawing *d = drawing_of(p, result->name);

			if (result->outcome == OUTCOME_FAILED && !(d && d->different) &&
			    told++ < SAID_RESULTS_MAX)
				write_said(p, result, k);
		}
	}
	if (told > SAID_RESULTS_MAX)
		fprintf(p->out, "<p>%" PRIu32 " more results failed; they are in the lists below.\n",
			told - SAID_RESULTS_MAX);
	fputs("</section>\n", p->out);
}

/* --- the runs */

static void write_lines(struct page *p, const char *head, const char *lines)
{
	if (!lines || !*lines)
		return;
	fprintf(p->out, "<h4>%s</h4><pre>", head);
	text(p, lines);
	fputs("</pre>", p->out);
}

static void write_runs(struct page *p, const char *version)
{
	fputs("<section id=runs><h2>Kernels</h2>\n<p>Judged by perfwake ", p->out);
	text(p, version);
	fputs(".\n", p->out);
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		const struct report_kernel *kernel = &p->r->kernels[k];
		bool proved = report_proved(kernel);

		fprintf(p->out, "<details%s><summary class=%c><b>%s</b> ",
			proved && p->r->nkernels > 1 ? "" : " open", proved ? 'P' : 'F',
			status_text(kernel));
		text(p, kernel->label);
		fprintf(p->out, ": %" PRIu32 " result%s, %" PRIu32 " trace%s</summary>", kernel->results.count,
			plural(kernel->results.count), kernel->traces, plural(kernel->traces));
		write_lines(p, "The run", kernel->results.notes);
		write_lines(p, "Kernel log", kernel->results.log);
		write_lines(p, "Seeds", kernel->results.seeds);
		fputs("</details>\n", p->out);
	}
	fputs("</section>\n", p->out);
}

/* --- cases, results */

static void write_passed(struct page *p, const struct drawing *d)
{
	fprintf(p->out, "<details id=d%" PRIu32 "><summary>ok ", d->id);
	text(p, d->names);
	fputs(" <small>(", p->out);
	write_kernels(p, d->kernels);
	fprintf(p->out, ")</small></summary>%s</details>\n", d->flow);
}

static void write_cases(struct page *p)
{
	uint32_t traces = 0;

	for (uint32_t k = 0; k < p->r->nkernels; k++)
		traces += p->r->kernels[k].traces;
	fprintf(p->out, "<section id=cases><h2>Cases as timelines</h2>\n<p>%" PRIu32 " trace%s, %" PRIu32
		" of different looks. Those that pass and look the same are drawn once; those that differ are above."
		" In a step that looks after each sample only what a look found is drawn.\n",
		traces, plural(traces), p->r->ndrawings);
	write_drawings(p, false, write_passed);
	fputs("</section>\n", p->out);
}

/* @skip: letters of the test's name, which stands above. @rules: a column for them. */
static void write_row(struct page *p, const struct row *row, size_t skip, bool rules)
{
	static const char *const words[] = {
		[OUTCOME_NONE] = "<td>-", [OUTCOME_PASSED] = "<td>ok", [OUTCOME_SKIPPED] = "<td>skipped",
		[OUTCOME_KNOWN] = "<td>known", [OUTCOME_FAILED] = "<td class=F>FAILED",
	};
	const struct drawing *d = drawing_of(p, row->name);

	fputs("<tr><td>", p->out);
	if (d && !d->drawn)
		d = NULL;
	if (d)
		fprintf(p->out, "<a href=#d%" PRIu32 ">", d->id);
	text(p, row->name[skip] ? row->name + skip + 1 : row->name);
	if (d)
		fputs("</a>", p->out);
	if (rules) {
		fputs("<td>", p->out);
		text(p, row->rules ? row->rules : "-");
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
	fprintf(p->out, ": %" PRIu32 " result%s", n, plural(n));
	if (!differ && p->rows[first].rules) {
		fputs(" about", p->out);
		text(p, p->rows[first].rules);
	}
	fprintf(p->out, "</summary><div class=wide tabindex=0><table class=l><thead><tr><th scope=col>result%s",
		differ ? "<th scope=col>rules" : "");
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		fputs("<th scope=col>", p->out);
		text(p, p->r->kernels[k].label);
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
			text(p, result->name);
			fputs(" (", p->out);
			text(p, p->r->kernels[k].label);
			fputs("): ", p->out);
			text(p, result->remark);
			fputc('\n', p->out);
		}
	}
}

static void write_results(struct page *p)
{
	fputs("<section id=results><h2>Results by test</h2>\n", p->out);
	for (uint32_t i = 0; i < p->nrows; i++)
		if (is_first_of_test(p, i))
			write_test(p, i);
	fputs("<details><summary>What was skipped or is known, and why</summary><ul>\n", p->out);
	write_skipped(p);
	fputs("</ul></details></section>\n", p->out);
}

int report_html_write(FILE *out, const struct report *r, const char *version)
{
	struct page p = { .out = out, .r = r };

	if (!add_rows(&p))
		return -ENOMEM;
	add_rules(&p);
	write_head(&p);
	write_table(&p);
	write_failed(&p);
	write_runs(&p, version);
	write_cases(&p);
	write_results(&p);
	fputs("</main></body></html>\n", out);
	free(p.rows);
	return 0;
}
