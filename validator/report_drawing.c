// SPDX-License-Identifier: GPL-2.0
/* Traces judged again and drawn, for the page: those that look the same once. */
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
#include "trace_text.h"

#define TEXT_BYTES	6000	/* of a trace's text on the page; the file has it whole */
#define NAMES_BYTES	400	/* of the names of cases that look the same */

/* A case's first drawing, for links. */
struct case_name {
	char *name;
	const struct drawing *drawing;
};

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct drawing *)a)->key, ((const struct drawing *)b)->key);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct case_name *)a)->name, ((const struct case_name *)b)->name);
}

static void free_drawing(struct drawing *d)
{
	free(d->key);
	free(d->names);
	free(d->file);
	free(d->flow);
	free(d->words);
	free(d->state);
	free(d->text);
	free(d);
}

const struct drawing *report_drawing_of(const struct report *r, const char *name)
{
	const struct case_name wanted = { .name = (char *)name };
	void *found = tfind(&wanted, &r->by_name, compare_names);

	return found ? (*(struct case_name **)found)->drawing : NULL;
}

static int remember_name(struct report *r, const char *name, const struct drawing *d)
{
	struct case_name *n = calloc(1, sizeof(*n));
	void *slot;

	if (!n)
		return -ENOMEM;
	n->name = strdup(name);
	n->drawing = d;
	slot = n->name ? tsearch(n, &r->by_name, compare_names) : NULL;
	if (slot && *(struct case_name **)slot == n)
		return 0;
	free(n->name);
	free(n);
	return slot ? 0 : -ENOMEM;
}

/* Another name for @d, while there is room for it. */
static int add_name(struct drawing *d, const char *name)
{
	size_t len = strlen(d->names);
	char *longer;

	if (len + strlen(name) > NAMES_BYTES) {
		if (strstr(d->names, ", ..."))
			return 0;
		name = "...";
	}
	if (asprintf(&longer, "%s, %s", d->names, name) < 0)
		return -ENOMEM;
	free(d->names);
	d->names = longer;
	return 0;
}

/* Take @d, of case @name, over: as a drawing of its own, or as one more case of one that is there. */
static int take_drawing(struct report *r, struct drawing *d, const char *name)
{
	struct drawing **more, *same;
	void *slot = tsearch(d, &r->by_key, compare_keys);
	int ret = 0;

	if (!slot) {
		free_drawing(d);
		return -ENOMEM;
	}
	same = *(struct drawing **)slot;
	if (same != d) {
		same->cases++;
		same->kernels |= d->kernels;
		if (!report_drawing_of(r, name))
			ret = add_name(same, name);
		free_drawing(d);
		return ret ? ret : remember_name(r, name, same);
	}
	more = realloc(r->drawings, (r->ndrawings + 1) * sizeof(*more));
	if (!more) {
		tdelete(d, &r->by_key, compare_keys);
		free_drawing(d);
		return -ENOMEM;
	}
	r->drawings = more;
	d->id = r->ndrawings;
	r->drawings[r->ndrawings++] = d;
	return remember_name(r, name, d);
}

/* --- the parts of a drawing; each is a text of its own, NULL where there is no memory */

static void state_row(FILE *out, const char *name, const char *before, const char *after)
{
	fprintf(out, "<tr><th scope=row>%s<td>%s<td>%s\n", name, before, after);
}

static void state_number(FILE *out, const char *name, bool has_before, uint64_t before, bool has_after,
			 uint64_t after)
{
	char b[24] = "-", a[24] = "-";

	if (has_before)
		snprintf(b, sizeof(b), "%" PRId64, (int64_t)before);
	if (has_after)
		snprintf(a, sizeof(a), "%" PRId64, (int64_t)after);
	state_row(out, name, b, a);
}

/* Bytes that the byte rule compares with the watermark. */
static uint64_t produced(const struct model_ring *r)
{
	return (r->backward ? -r->head : r->head) - r->wakeup;
}

static void write_state(FILE *out, const struct timeline *l, const struct verdict *v)
{
	bool hb = v->before.output != MODEL_NO_RING, ha = l->has_after;
	const struct model_ring *b = &v->before_ring, *a = &l->after;

	fputs("<table class=state><thead><tr><th scope=col>the model's ring<th scope=col>before<th scope=col>after"
	      "</thead>\n", out);
	state_number(out, "head, bytes produced", hb, b->head, ha, a->head);
	state_number(out, "tail, bytes given back", hb, b->tail, ha, a->tail);
	state_number(out, "wakeup, the wake counter", hb, b->wakeup, ha, a->wakeup);
	state_number(out, "produced since the last byte step", hb, produced(b), ha, produced(a));
	state_number(out, "watermark, which that has to exceed", hb, b->watermark, ha, a->watermark);
	state_number(out, "events, samples counted", hb, (uint64_t)(int32_t)b->events, ha,
		     (uint64_t)(int32_t)a->events);
	if (!v->before.by_watermark)
		state_number(out, "wakeup_events, which they have to reach", true,
			     (uint64_t)v->before.wakeup_events, true, (uint64_t)v->before.wakeup_events);
	state_number(out, "losses not told yet", hb, b->lost, ha, a->lost);
	state_row(out, "readiness flag", !hb ? "-" : b->poll ? "ready" : "quiet",
		  !ha ? "-" : a->poll ? "ready" : "quiet");
	state_row(out, "output", !hb ? "no ring" : b->paused ? "paused" : "on",
		  !ha ? "no ring" : a->paused ? "paused" : "on");
	fputs("</table>\n", out);
}

static char *state_of(const struct timeline *l, const struct verdict *v)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	write_state(out, l, v);
	return fclose(out) ? NULL : text;
}

/* What @plain says, escaped, and cut at @bytes. */
static char *as_markup(char *plain, size_t bytes)
{
	char *text = NULL;
	size_t len;
	FILE *out = plain ? open_memstream(&text, &len) : NULL;

	if (!out)
		return NULL;
	if (strlen(plain) > bytes) {
		plain[bytes] = 0;
		markup_text(out, plain);
		fputs("\n(cut: the file has it whole)", out);
	} else {
		markup_text(out, plain);
	}
	return fclose(out) ? NULL : text;
}

static char *words_of(const struct trace_file *f, const char *path, const struct value_store *store,
		      const struct verdict *v)
{
	char *plain = NULL, *text;
	size_t len;
	FILE *out = open_memstream(&plain, &len);

	if (!out)
		return NULL;
	report_verdict(out, "", path, "replay", &f->wcase, &f->trace, store, v);
	fclose(out);
	text = as_markup(plain, TEXT_BYTES);
	free(plain);
	return text;
}

static char *text_of(const struct trace_file *f)
{
	char *plain = NULL, *text;
	size_t len;
	FILE *out = open_memstream(&plain, &len);

	if (!out)
		return NULL;
	trace_text_write(out, &f->wcase, &f->trace);
	fclose(out);
	text = as_markup(plain, TEXT_BYTES);
	free(plain);
	return text;
}

static void write_rings(FILE *out, const struct wake_case *c)
{
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		const struct ring_spec *r = &c->rings[id];

		if (r->declared)
			fprintf(out, "<li>ring %" PRIu32 ": cpu %" PRIu32 ", %" PRIu32 " page%s, %s %" PRIu32 "%s%s%s%s\n",
				id, r->cpu, r->pages, r->pages == 1 ? "" : "s",
				r->by_watermark ? "watermark" : "wakeup_events", r->threshold,
				r->backward ? ", backward" : "", r->overwrite ? ", overwrite" : "",
				r->consumer ? ", read by " : "", consumer_names[r->consumer]);
	}
}

static char *flow_of(const struct timeline *l)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs("<ul class=rings>", out);
	write_rings(out, l->wcase);
	fprintf(out, "</ul><div class=flow role=img aria-label=\"timeline of %" PRIu32 " step%s and %" PRIu32
		" samples: expected above, seen below%s\">", l->wcase->nsteps, l->wcase->nsteps == 1 ? "" : "s",
		case_samples(l->wcase), l->marked ? ", the first difference framed" : "");
	svg_write_flow(out, l);
	fputs("</div>", out);
	return fclose(out) ? NULL : text;
}

static struct drawing *make_drawing(const struct trace_file *f, const char *path, uint32_t kernel,
				    struct verdict_workspace *w, const struct verdict *v)
{
	struct drawing *d = calloc(1, sizeof(*d));
	struct timeline *l = malloc(sizeof(*l));
	bool good;

	if (!d || !l) {
		free(d);
		free(l);
		return NULL;
	}
	d->cases = 1;
	d->kernels = 1u << kernel;
	d->defects = v->kind == VERDICT_DEFECT ? v->defects : 0;
	d->different = v->kind != VERDICT_PROVED && v->kind != VERDICT_DEFECT;
	d->names = strdup(f->wcase.name);
	d->file = strdup(path);
	d->words = words_of(f, path, &w->store, v);
	timeline_make(l, &f->wcase, &f->trace, w, v);
	d->flow = flow_of(l);
	good = d->names && d->file && d->words && d->flow;
	if (d->different && v->kind != VERDICT_UNJUDGED && v->kind != VERDICT_MISSING)
		good &= (d->state = state_of(l, v)) != NULL;
	if (d->different || d->defects)
		good &= (d->text = text_of(f)) != NULL;
	/* What passed is the same by its looks; what did not, also by its name. */
	if (!good || asprintf(&d->key, "%s\n%s", d->different || d->defects ? d->names : "", d->flow) < 0) {
		d->key = NULL;
		free_drawing(d);
		d = NULL;
	}
	free(l);
	return d;
}

int report_draw(struct report *r, const struct trace_file *f, const char *path,
		struct verdict_workspace *w, const struct verdict *v)
{
	struct drawing *d = make_drawing(f, path, r->nkernels, w, v);

	return d ? take_drawing(r, d, f->wcase.name) : -ENOMEM;
}

static size_t bytes_of(const struct drawing *d)
{
	return strlen(d->flow) + strlen(d->words) + (d->state ? strlen(d->state) : 0) +
	       (d->text ? strlen(d->text) : 0);
}

void report_choose(struct report *r)
{
	size_t different = 0, passed = 0;

	for (uint32_t i = 0; i < r->ndrawings; i++) {
		struct drawing *d = r->drawings[i];
		bool out = d->different || d->defects;
		size_t *used = out ? &different : &passed;

		*used += bytes_of(d);
		d->drawn = *used <= (out ? REPORT_DIFFERENT_BYTES : REPORT_PASSED_BYTES);
	}
}

static void free_name(void *node)
{
	struct case_name *n = node;

	free(n->name);
	free(n);
}

static void keep(void *node)
{
	(void)node;
}

void report_free_drawings(struct report *r)
{
	tdestroy(r->by_key, keep);
	tdestroy(r->by_name, free_name);
	for (uint32_t i = 0; i < r->ndrawings; i++)
		free_drawing(r->drawings[i]);
	free(r->drawings);
}
