// SPDX-License-Identifier: GPL-2.0
/* The page. All text from outside goes through markup_text(). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "report_page.h"
#include "report_svg.h"

#define SAID_RESULTS_MAX 200u	/* results that failed and are told in full */

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

/* --- small things */

void page_text(struct page *p, const char *s)
{
	markup_text(p->out, s);
}

const char *page_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *page_status_text(const struct report_kernel *k)
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

const struct drawing *page_drawing_of(const struct page *p, const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? report_drawing_of(p->r, slash + 1) : NULL;
}

static void write_kernels(struct page *p, uint32_t bits)
{
	const char *gap = "";

	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		if (bits & 1u << k) {
			fputs(gap, p->out);
			page_text(p, p->r->kernels[k].label);
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
		fprintf(p->out, "%" PRIu32 " result%s failed%s", p->failed, page_plural(p->failed),
			p->different ? ", " : "");
	if (p->different)
		fprintf(p->out, "%" PRIu32 " trace%s differ%s", p->different, page_plural(p->different),
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

/* --- what failed */

static void write_different(struct page *p, const struct drawing *d)
{
	fprintf(p->out, "<article id=d%" PRIu32 "%s><h3>%s ", d->id, d->defects ? " class=k" : "",
		d->defects ? "Known defect:" : "Differs:");
	page_text(p, d->names);
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
			page_text(p, p->r->drawings[i]->file);
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
	page_text(p, result->name);
	fputs(" <small>(", p->out);
	page_text(p, p->r->kernels[kernel].label);
	fputs(")</small></h3>", p->out);
	if (result->remark[0]) {
		fputs("<p>", p->out);
		page_text(p, result->remark);
	}
	if (result->said) {
		fputs("<pre>", p->out);
		page_text(p, result->said);
		fputs("</pre>", p->out);
	}
	fputs("</article>\n", p->out);
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
			const struct drawing *d = page_drawing_of(p, result->name);

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
	page_text(p, lines);
	fputs("</pre>", p->out);
}

static void write_runs(struct page *p, const char *version)
{
	fputs("<section id=runs><h2>Kernels</h2>\n<p>Judged by perfwake ", p->out);
	page_text(p, version);
	fputs(".\n", p->out);
	for (uint32_t k = 0; k < p->r->nkernels; k++) {
		const struct report_kernel *kernel = &p->r->kernels[k];
		bool proved = report_proved(kernel);

		fprintf(p->out, "<details%s><summary class=%c><b>%s</b> ",
			proved && p->r->nkernels > 1 ? "" : " open", proved ? 'P' : 'F',
			page_status_text(kernel));
		page_text(p, kernel->label);
		fprintf(p->out, ": %" PRIu32 " result%s, %" PRIu32 " trace%s</summary>", kernel->results.count,
			page_plural(kernel->results.count), kernel->traces, page_plural(kernel->traces));
		write_lines(p, "The run", kernel->results.notes);
		write_lines(p, "Kernel log", kernel->results.log);
		write_lines(p, "Seeds", kernel->results.seeds);
		fputs("</details>\n", p->out);
	}
	fputs("</section>\n", p->out);
}

/* --- cases */

static void write_passed(struct page *p, const struct drawing *d)
{
	fprintf(p->out, "<details id=d%" PRIu32 "><summary>ok ", d->id);
	page_text(p, d->names);
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
		traces, page_plural(traces), p->r->ndrawings);
	write_drawings(p, false, write_passed);
	fputs("</section>\n", p->out);
}

int report_html_write(FILE *out, const struct report *r, const char *version)
{
	struct page p = { .out = out, .r = r };

	if (!page_gather(&p))
		return -ENOMEM;
	write_head(&p);
	page_write_table(&p);
	write_failed(&p);
	write_runs(&p, version);
	write_cases(&p);
	page_write_results(&p);
	fputs("</main></body></html>\n", out);
	free(p.rows);
	return 0;
}
