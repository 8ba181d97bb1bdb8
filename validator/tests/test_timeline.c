// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines and their drawings: every sample has its column, every wake that a trace tells of its
 * mark, the first difference one frame, and what comes out is sound XML.
 *
 *	test_timeline FILE...		cases, and traces whole or falsified
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "report_svg.h"
#include "support.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* --- escaping */

static void check_markup(void)
{
	static const struct {
		const char *in, *out;
	} table[] = {
		{ "", "" },
		{ "plain 0..9\n\tx", "plain 0..9\n\tx" },
		{ "<b a=\"1\" c='2'>&amp;", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;" },
		{ "\x1b[31m\x7f\x01", "\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xff<\xc3", "\xef\xbf\xbd&lt;\xef\xbf\xbd" },
		{ "\xc0\xbc\xe0\x80\xbc", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80\xef\xbf\xbe\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc2\x85", "\xef\xbf\xbd" },
	};

	tap_begin("text from outside is escaped");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char text[200] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		markup_text(out, table[i].in);
		fclose(out);
		tap_check(!strcmp(text, table[i].out), "row %zu is '%s', not '%s'", i, text, table[i].out);
	}
}

/* --- XML, as far as drawings use it */

static const char *skip_name(const char *at)
{
	while (isalnum((unsigned char)*at) || *at == '-' || *at == ':')
		at++;
	return at;
}

/* Attributes up to ">" or "/>"; NULL where they are not sound. */
static const char *skip_attributes(const char *at)
{
	while (*at == ' ') {
		const char *name = ++at;

		at = skip_name(at);
		if (at == name || at[0] != '=' || at[1] != '"')
			return *name == '/' ? name : NULL;
		at += 2 + strcspn(at + 2, "\"<");
		if (*at++ != '"')
			return NULL;
	}
	return at;
}

/* Where @text stops being sound XML; NULL: it is. */
static const char *xml_fault(const char *text)
{
	char open[32][16];
	int depth = 0;

	for (const char *at = text; *at;) {
		bool closes = at[1] == '/';
		const char *name = at + 1 + closes, *end;

		if (*at == '&' && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) &&
		    strncmp(at, "&amp;", 5) && strncmp(at, "&quot;", 6) && strncmp(at, "&#39;", 5))
			return at;
		if (*at != '<') {
			at++;
			continue;
		}
		end = skip_name(name);
		if (end == name || end - name > 15 || depth == ARRAY_SIZE(open) - 1)
			return at;
		if (closes) {
			if (!depth-- || strncmp(open[depth], name, (size_t)(end - name)) || *end != '>')
				return at;
		} else {
			snprintf(open[depth], sizeof(open[0]), "%.*s", (int)(end - name), name);
			end = skip_attributes(end);
			if (!end || (*end != '>' && strncmp(end, "/>", 2)))
				return at;
			depth += *end == '>';
			end += *end == '/';
		}
		at = end + 1;
	}
	return depth ? text + strlen(text) : NULL;
}

static void check_xml_reader(void)
{
	static const struct {
		const char *text;
		bool sound;
	} table[] = {
		{ "<a><b c=\"d\"/>e&lt;</a>", true }, { "<a><b></a></b>", false }, { "<a", false },
		{ "<a b=c/>", false }, { "<a>&x</a>", false }, { "<a>", false }, { "<a b=\"<\"/>", false },
		{ "</a>", false }, { "a<b", false },
	};

	tap_begin("the reader of XML tells sound from unsound");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		tap_check(!xml_fault(table[i].text) == table[i].sound, "wrong about '%s'", table[i].text);
}

/* --- drawings */

static uint32_t count_of(const char *text, const char *what)
{
	uint32_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* Of all steps: looks that found ready, told by the lists of the trace and not by the timeline. */
static uint32_t readies(const struct value *values, const struct value_store *st, uint32_t nsteps)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nsteps; i++) {
		const struct value *v = &values[i];

		n += (v->has & VALUE_READINESS) && v->readiness == READINESS_READY;
		for (uint32_t k = 0; (v->has & VALUE_READY_AT) && k < v->ready_at.count; k++) {
			const struct range *r = &st->ready_at[v->ready_at.start + k];

			n += r->last - r->first + 1;
		}
	}
	return n;
}

/* The timeline of @f, and its drawings; free() them. */
struct drawn {
	struct timeline l;
	struct verdict v;
	char *flow, *alone;
};

static struct drawn *draw(const struct trace_file *f)
{
	struct drawn *d = calloc(1, sizeof(*d));
	struct verdict_workspace w;
	size_t len;
	FILE *out;

	if (!d || verdict_workspace_alloc(&w, &f->wcase))
		tap_bail_out("no memory");
	if (f->observed)
		verdict_trace(&f->trace, &w, &d->v);
	else
		verdict_expectations(&f->wcase, &w, &d->v);
	timeline_make(&d->l, &f->wcase, f->observed ? &f->trace : NULL, &w, &d->v);
	verdict_workspace_free(&w);
	out = open_memstream(&d->flow, &len);
	svg_write_flow(out, &d->l);
	fclose(out);
	out = open_memstream(&d->alone, &len);
	svg_write_alone(out, &d->l, "words <with> \"marks\" & such\nand a second line");
	fclose(out);
	return d;
}

static void free_drawn(struct drawn *d)
{
	free(d->flow);
	free(d->alone);
	free(d);
}

static uint32_t samples_in(const struct timeline *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->ncolumns; i++)
		if (l->columns[i].sample != VALUE_NO_SAMPLE)
			n += l->columns[i].count;
	return n;
}

static bool differs(const struct verdict *v)
{
	return v->kind == VERDICT_KERNEL || v->kind == VERDICT_EXPECTATION || v->kind == VERDICT_MISSING;
}

static void check_difference(const struct drawn *d)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; i < d->l.ncolumns; i++) {
		const struct column *c = &d->l.columns[i];

		if (!c->differs)
			continue;
		marked++;
		tap_check(c->step == d->v.step, "marked in step %u, not in %u", c->step, d->v.step);
		if (d->v.part == VALUE_READY_AT)
			tap_check(c->sample == d->v.sample && c->by[0].readiness != c->by[1].readiness &&
				  c->by[0].looked && c->by[1].looked, "marked at sample %u, not at %u",
				  c->sample, d->v.sample);
		if (d->v.part == VALUE_CODE && d->l.wcase->steps[c->step].kind == STEP_EMIT)
			tap_check(c->sample == d->v.sample && c->by[0].code != c->by[1].code,
				  "marked at sample %u, not at %u", c->sample, d->v.sample);
	}
	tap_check(marked == differs(&d->v), "%u columns marked", marked);
	tap_check(count_of(d->flow, "#z\"") == marked, "%u marks drawn", count_of(d->flow, "#z\""));
}

static void check_sound(const char *what, const char *text)
{
	const char *fault = xml_fault(text);

	tap_check(!fault, "%s is not sound at: %.60s", what, fault ? fault : "");
}

static void check_file(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct trace_file f;
	uint32_t model, seen;
	struct drawn *d;

	tap_begin("%s", name);
	path_to_file(path, &f);
	d = draw(&f);
	check_sound("the flow", d->flow);
	check_sound("the document", d->alone);
	tap_check(d->l.seen == (f.observed != 0), "seen or not");
	/* With a person's difference the expectation differs and neither side of the drawing. */
	if (d->v.kind != VERDICT_EXPECTATION)
		check_difference(d);
	if (!d->l.left_out && !d->l.rest) {
		tap_check(samples_in(&d->l) == case_samples(&f.wcase), "%u samples drawn of %u",
			  samples_in(&d->l), case_samples(&f.wcase));
		/* Equal ones are drawn once, so only where there are few. */
		seen = readies(f.trace.seen, &f.trace.store, f.observed ? f.wcase.nsteps : 0);
		observe_model(&f);
		model = readies(f.trace.seen, &f.trace.store, f.wcase.nsteps);
		if (!strstr(d->flow, "class=\"a g\"") && d->v.kind != VERDICT_DEFECT)
			tap_check(count_of(d->flow, "#r\"") == model + seen, "%u ready marks, not %u and %u",
				  count_of(d->flow, "#r\""), model, seen);
	}
	free_drawn(d);
	trace_file_free(&f);
}

/* --- crossings by hand */

static void check_crossings(void)
{
	static const char text[] = "name every-third\nring 0 pages=1 wakeup_events=3\n"
				   "emit 0 count=8 size=8 every=look -> ok ready 2,5\nemit 0 count=6 size=500 -> ok\n";
	/* The count at 2, 5, 8, 11; bytes: 8 times 24 and five times 512 are more than 2048 and 3. */
	static const struct {
		uint32_t sample, crossing;
	} table[] = { { 2, CAUSE_COUNT }, { 5, CAUSE_COUNT }, { 8, CAUSE_COUNT },
		      { 11, CAUSE_COUNT | CAUSE_BYTES } };
	struct trace_file f;
	struct drawn *d;
	uint32_t n = 0;

	tap_begin("crossings of count and bytes are where arithmetic puts them");
	text_to_file(text, &f);
	d = draw(&f);
	for (uint32_t i = 0; i < d->l.ncolumns; i++) {
		const struct column *c = &d->l.columns[i];

		if (!c->crossing)
			continue;
		tap_check(n < ARRAY_SIZE(table) && c->sample == table[n].sample &&
			  c->crossing == table[n].crossing && c->count == 1 && !c->owed,
			  "crossing %u is of rule %u at %u", n, c->crossing, c->sample);
		n++;
	}
	tap_check(n == ARRAY_SIZE(table), "%u crossings", n);
	tap_check(count_of(d->flow, "#c\"") == n, "%u drawn", count_of(d->flow, "#c\""));
	free_drawn(d);
	trace_file_free(&f);
}

/* K8a: the crossing is there, its wake is not. */
static void check_owed(void)
{
	static const char text[] = "name lost-wake\nring 0 pages=1 wakeup_events=2\nemit 0 count=1 size=8 -> ok\n"
				   "emit 0 count=2 size=8 at=f+0x1 -> ok\nlook 0 -> quiet\n";
	struct trace_file f;
	struct drawn *d;

	tap_begin("a crossing whose wake is lost is drawn as such");
	text_to_file(text, &f);
	d = draw(&f);
	tap_check(d->v.kind == VERDICT_DEFECT, "a %s", kind_name(d->v.kind));
	tap_check(count_of(d->flow, "#l\"") == 1 && !count_of(d->flow, "#c\""), "not so");
	free_drawn(d);
	trace_file_free(&f);
}

/* --- long ones */

/* Many samples of which every second wakes (72 bytes are more than 48, 48 are not), and one of these wakes is missing far inside. */
static void check_long(void)
{
	static const char head[] = "name long\nring 0 pages=8 watermark=48\n"
				   "emit 0 count=200000 size=8 every=look-consume -> ok ready ";
	struct trace_file f;
	struct drawn *d;
	size_t len;
	char *text;
	FILE *out = open_memstream(&text, &len);
	bool found = false;

	tap_begin("of a long trace the beginning and what is around the difference is drawn");
	fputs(head, out);
	for (uint32_t i = 2; i < 200000; i += 2)
		if (i != 123456)
			fprintf(out, "%s%u", i > 2 ? "," : "", i);
	fputs(" consumed ", out);
	for (uint32_t i = 2, from = 0; i < 200000; i += 2) {
		if (i == 123456)
			continue;
		fprintf(out, "%s%u..%u", i > 2 ? "," : "", from, i);
		from = i + 1;
	}
	fputs(" lost 0\nlook 0 -> quiet\n", out);
	fclose(out);
	text_to_file(text, &f);
	d = draw(&f);
	tap_check(d->v.sample == 123456, "the difference is at %u", d->v.sample);
	tap_check(d->l.ncolumns == TIMELINE_COLUMNS && d->l.left_out && d->l.rest, "%u columns, %u left out, %u more",
		  d->l.ncolumns, d->l.left_out, d->l.rest);
	tap_check(d->l.columns[0].sample == 0, "begins at %u", d->l.columns[0].sample);
	for (uint32_t i = TIMELINE_HEAD; i < d->l.ncolumns; i++)
		found |= d->l.columns[i].differs && d->l.columns[i].sample == 123456 &&
			 d->l.columns[i - 2].sample == 123454;
	tap_check(found, "the difference is not drawn with what was before it");
	tap_check(strstr(d->flow, "marks left out") && strstr(d->flow, "marks more)"), "not told what is left out");
	tap_check(strlen(d->flow) < 40000, "%zu bytes", strlen(d->flow));
	check_sound("the document", d->alone);
	free_drawn(d);
	free(text);
	trace_file_free(&f);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		tap_bail_out("usage: test_timeline FILE...");
	check_markup();
	check_xml_reader();
	check_crossings();
	check_owed();
	check_long();
	for (int i = 1; i < argc; i++)
		check_file(argv[i]);
	return tap_done();
}
