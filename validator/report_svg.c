// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "markup.h"
#include "report_svg.h"
#include "trace_text.h"

/* Lengths are in pixels; text is monospaced, so that its width is known. */
#define CHAR		7	/* a character's width, rounded up */
#define PIECE_MAX	330	/* a telephone's width less margins */
#define LABEL_MAX	52	/* characters; with more a piece would be wider than a telephone */
#define PIECE_HEIGHT	92
#define ALONE_WIDTH	960
#define MARGIN		10
#define LINE_HEIGHT	15
#define REST_WIDTH	168
#define LANE_NAMES	62	/* width of the piece that names the lanes */

/* Where things lie in a piece, from above: what is expected, the samples, what was seen. */
#define Y_LABEL		10
#define Y_MODEL		25
#define Y_CROSSING	40
#define Y_AXIS		53
#define Y_SEEN		70
#define Y_NUMBER	88
#define TICK		6
#define TICK_WIDTH	7
#define MARK_WIDTH	16
#define SINGLE_MAX	4u	/* equal columns that are drawn one by one */

const char svg_style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1b1b;--dim:#595959;--model:#0b57a4;"
	"--bad:#b3261e;--good:#1d6b34;--line:#c9c9c9;--soft:#f2f2f2}"
	"@media(prefers-color-scheme:dark){:root{--bg:#16181b;--fg:#e8e8e8;--dim:#a8a8a8;"
	"--model:#7fb8f5;--bad:#ff8a80;--good:#7ddb96;--line:#45484d;--soft:#22252a}}"
	"svg{color:var(--fg);font:11px ui-monospace,monospace}"
	"svg text{fill:currentColor;white-space:pre}"
	".m{color:var(--model)}.d{color:var(--bad)}.n{color:var(--dim)}"
	".t{stroke:currentColor;fill:none;stroke-width:1.6}"
	".a{stroke:var(--dim);fill:none}.a.g{stroke-dasharray:2 3}"
	".f{stroke:var(--bad);fill:none;stroke-dasharray:4 2;stroke-width:1.5}"
	".o{stroke:currentColor;fill:none;stroke-width:1.6}.s{fill:currentColor;stroke:none}";

/* One mark: its id, its shape around 0,0 and what it means. */
static const struct mark {
	const char *id, *shape, *text;
} marks[] = {
	{ "r", "<circle r=\"5\" class=\"s\"/>", "ready: a look found the wake" },
	{ "q", "<circle r=\"4.5\" class=\"o\"/>", "quiet: a look found nothing" },
	{ "h", "<path class=\"o\" d=\"M-5-5H5V5H-5ZM-2-3V3M2-3V3M-2 0H2\"/>", "hang-up: there is no ring" },
	{ "e", "<path class=\"o\" d=\"M-5-5H5V5H-5ZM0-3V1M0 2.5V4\"/>", "a look found an error" },
	{ "k", "<path class=\"s\" d=\"M-5-4H5L0 5Z\"/>", "consumed: samples read, and what LOST records tell" },
	{ "x", "<path class=\"o\" d=\"M-4-4 4 4M-4 4 4-4\"/>", "an output that was refused" },
	{ "c", "<path class=\"s\" d=\"M0-6 5 0 0 6-5 0Z\"/>", "a crossing: N of the count, B of the bytes" },
	{ "l", "<path class=\"o\" d=\"M0-6 5 0 0 6-5 0ZM-3-3 3 3M-3 3 3-3\"/>", "a crossing of which no wake came" },
	{ "z", "<path class=\"o\" d=\"M-5-2H5M-5 2H5M-3 6 3-6\"/>", "the first difference" },
};

/* Drawn as a line with others, so no symbol. */
static const char tick_shape[] = "<path class=\"t\" d=\"M0-6V6\"/>";
static const char tick_text[] = "a sample: upper half expected, lower half seen";

void svg_write_symbols(FILE *out)
{
	fputs("<defs>", out);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		fprintf(out, "<g id=\"%s\">%s</g>", marks[i].id, marks[i].shape);
	fputs("</defs>", out);
}

static const char *mark_class(const char *id)
{
	return *id == 'z' ? "d" : *id == 'c' || *id == 'l' ? "m" : "i";
}

void svg_write_legend(FILE *out)
{
	fprintf(out, "<ul class=legend><li><svg width=16 height=16 viewBox=\"-8 -8 16 16\" aria-hidden=true>%s</svg> %s",
		tick_shape, tick_text);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		fprintf(out, "<li><svg width=16 height=16 viewBox=\"-8 -8 16 16\" aria-hidden=true>"
			"<use href=\"#%s\" class=%s /></svg> %s", marks[i].id, mark_class(marks[i].id),
			marks[i].text);
	fputs("</ul>\n", out);
}

/* --- how wide things are */

static int text_width(const char *text)
{
	return (int)strlen(text) * CHAR;
}

static int digits(uint32_t n)
{
	int d = 1;

	while (n /= 10)
		d++;
	return d;
}

static const char *readiness_mark(enum readiness readiness)
{
	switch (readiness) {
	case READINESS_QUIET:
		return "q";
	case READINESS_READY:
		return "r";
	case READINESS_HUP:
		return "h";
	case READINESS_ERR:
		break;
	}
	return "e";
}

/*
 * The mark of @s beside its tick, or NULL. In a step that looks after each sample, quiet is what
 * nearly all of them are: only what differs shows it.
 */
static const char *sight_mark(const struct column *c, const struct sight *s)
{
	bool sample = c->sample != VALUE_NO_SAMPLE;

	if (s->looked && (!sample || s->readiness != READINESS_QUIET || c->differs))
		return readiness_mark(s->readiness);
	if (s->consumed && !sample)
		return "k";
	return NULL;
}

static int sight_width(const struct column *c, const struct sight *s)
{
	return (sight_mark(c, s) ? MARK_WIDTH : 0) +
	       (s->consumed && c->sample != VALUE_NO_SAMPLE ? MARK_WIDTH : 0) +
	       (s->text[0] ? text_width(s->text) + 4 : 0);
}

static bool has_number(const struct column *c)
{
	return c->sample != VALUE_NO_SAMPLE &&
	       (c->crossing || c->differs || c->count > SINGLE_MAX || sight_width(c, &c->by[SIDE_MODEL]) ||
		sight_width(c, &c->by[SIDE_SEEN]));
}

/* Samples that one drawn column of @c stands for: 1, or all where there are too many. */
static uint32_t drawn_count(const struct column *c)
{
	return c->count > SINGLE_MAX ? c->count : 1;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* One drawn column. */
static int one_width(const struct column *c)
{
	int width = max_int(sight_width(c, &c->by[SIDE_MODEL]), sight_width(c, &c->by[SIDE_SEEN]));

	if (c->sample != VALUE_NO_SAMPLE)
		width = max_int(width, c->count > SINGLE_MAX ? 4 * TICK_WIDTH : TICK_WIDTH);
	for (int side = 0; side < SIDES; side++)
		if (c->by[side].code)
			width = max_int(width, 10);
	if (c->crossing)
		width = max_int(width, MARK_WIDTH + 2 * CHAR);
	if (has_number(c))
		width = max_int(width, digits(c->sample) * CHAR + 5 +
				(c->count > SINGLE_MAX ?
				 (digits(c->sample + c->count - 1) + 2) * CHAR : 0));
	/* Its frame, and its mark behind the number. */
	if (c->differs)
		width = max_int(width, (has_number(c) ? digits(c->sample) * CHAR : 0) + MARK_WIDTH) + 8;
	return width;
}

static int column_width(const struct column *c)
{
	return one_width(c) * (int)(c->count > SINGLE_MAX || !c->count ? 1 : c->count);
}

/* --- pieces: columns of one step, or some of them */

struct piece {
	uint32_t from, to;	/* columns */
	int width;
	char label[160];
};

static void make_label(const struct timeline *l, struct piece *p)
{
	const struct column *c = &l->columns[p->from];
	bool continued = p->from && c[-1].step == c->step;
	FILE *out;

	memset(p->label, 0, sizeof(p->label));
	out = fmemopen(p->label, sizeof(p->label) - 1, "w");
	if (!out)
		return;
	if (p->from == TIMELINE_HEAD && l->left_out)
		fprintf(out, "(%" PRIu32 " marks left out) ", l->left_out);
	if (continued)
		fputs("...", out);
	else
		trace_text_write_step(out, l->wcase, &l->wcase->steps[c->step]);
	fclose(out);
	if (strlen(p->label) > LABEL_MAX)
		strcpy(p->label + LABEL_MAX - 3, "...");
}

/* The piece that begins at column @from. */
static void piece_find(const struct timeline *l, uint32_t from, struct piece *p)
{
	uint32_t step = l->columns[from].step;

	p->from = p->to = from;
	p->width = 0;
	while (p->to < l->ncolumns && l->columns[p->to].step == step &&
	       (p->to == from || p->width + column_width(&l->columns[p->to]) < PIECE_MAX) &&
	       (p->to == from || p->to != TIMELINE_HEAD || !l->left_out))
		p->width += column_width(&l->columns[p->to++]);
	make_label(l, p);
	p->width = max_int(p->width, text_width(p->label)) + 8;
}

/* --- drawing */

static void use(FILE *out, const char *id, int x, int y, const char *class)
{
	fprintf(out, "<use href=\"#%s\" x=\"%d\" y=\"%d\"", id, x, y);
	if (class)
		fprintf(out, " class=\"%s\"", class);
	fputs("/>", out);
}

static void draw_text(FILE *out, int x, int y, const char *class, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\"", x, y);
	if (class)
		fprintf(out, " class=\"%s\"", class);
	fputc('>', out);
	markup_text(out, text);
	fputs("</text>", out);
}

/* The marks and words of one side, beside the axis. */
static void draw_sight(FILE *out, const struct column *c, enum side side, int x)
{
	const struct sight *s = &c->by[side];
	const char *class = side == SIDE_MODEL ? "m" : NULL, *mark = sight_mark(c, s);
	int y = side == SIDE_MODEL ? Y_MODEL : Y_SEEN;

	if (mark) {
		use(out, mark, x + 6, y, class);
		x += MARK_WIDTH;
	}
	if (s->consumed && c->sample != VALUE_NO_SAMPLE)
		use(out, "k", x + 6, y, class);
	if (s->text[0])
		draw_text(out, x, y + 4, class, s->text);
	else if (!s->said && c->differs)
		draw_text(out, x, y + 4, class, "?");
}

/* What came of one side's output: a tick to its side of the axis, or a cross. */
static void draw_output(FILE *out, const struct column *c, enum side side, int x)
{
	const struct sight *s = &c->by[side];
	const char *class = side == SIDE_MODEL ? "m" : NULL;
	int up = side == SIDE_MODEL ? -1 : 1;

	if (!s->said)
		return;
	if (s->code)
		use(out, "x", x + 2, Y_AXIS + up * 6, class);
	else
		fprintf(out, "<path class=\"t%s\" d=\"M%d %dv%d\"/>", side == SIDE_MODEL ? " m" : "", x,
			Y_AXIS, up * TICK);
}

static void draw_number(FILE *out, const struct column *c, uint32_t sample, int x)
{
	char text[32];

	if (c->count > SINGLE_MAX)
		snprintf(text, sizeof(text), "%" PRIu32 "..%" PRIu32, sample, sample + c->count - 1);
	else
		snprintf(text, sizeof(text), "%" PRIu32, sample);
	draw_text(out, x - 2, Y_NUMBER, "n", text);
}

static void draw_crossing(FILE *out, const struct column *c, int x)
{
	use(out, c->owed ? "l" : "c", x + 4, Y_CROSSING, "m");
	draw_text(out, x + 11, Y_CROSSING + 4, "m",
		  c->crossing == CAUSE_COUNT ? "N" : c->crossing == CAUSE_BYTES ? "B" : "NB");
}

/* One drawn column, of sample @sample. */
static void draw_one(FILE *out, const struct column *c, uint32_t sample, int x, int width)
{
	bool many = c->count > SINGLE_MAX;

	if (c->differs) {
		fprintf(out, "<path class=\"f\" d=\"M%d 15h%dv62h-%dz\"/>", x - 2, width - 4, width - 4);
		use(out, "z", x + width - 12, Y_NUMBER - 3, "d");
		x += 3;
	}
	draw_sight(out, c, SIDE_MODEL, x);
	if (c->sample != VALUE_NO_SAMPLE) {
		for (int side = 0; side < SIDES; side++) {
			draw_output(out, c, side, x + 2);
			if (many)
				draw_output(out, c, side, x + width - TICK_WIDTH);
		}
		if (many)
			fprintf(out, "<path class=\"a g\" d=\"M%d %dH%d\"/>", x + 4, Y_AXIS,
				x + width - TICK_WIDTH);
	}
	if (c->crossing)
		draw_crossing(out, c, x + (many ? width / 2 - 8 : 0));
	draw_sight(out, c, SIDE_SEEN, x);
	if (has_number(c))
		draw_number(out, c, sample, x + 2);
}

static void draw_piece(FILE *out, const struct timeline *l, const struct piece *p)
{
	bool axis = l->columns[p->from].sample != VALUE_NO_SAMPLE;
	int x = 4;

	draw_text(out, 2, Y_LABEL, NULL, p->label);
	if (axis)
		fprintf(out, "<path class=\"a\" d=\"M2 %dH%d\"/>", Y_AXIS, p->width - 4);
	for (uint32_t i = p->from; i < p->to; i++) {
		const struct column *c = &l->columns[i];
		int width = one_width(c);
		uint32_t sample = c->sample;

		for (uint32_t n = 0; n < c->count; n += drawn_count(c)) {
			draw_one(out, c, sample, x, width);
			x += width;
			sample++;
		}
	}
}

static void draw_lane_names(FILE *out, const struct timeline *l)
{
	draw_text(out, 0, Y_MODEL + 4, "m", "expected");
	draw_text(out, 0, Y_AXIS + 4, "n", "samples");
	draw_text(out, 0, Y_SEEN + 4, NULL, l->seen ? "seen" : "not run");
}

static void open_piece(FILE *out, int width)
{
	fprintf(out, "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">", width, PIECE_HEIGHT, width,
		PIECE_HEIGHT);
}

/* What lies behind the last column that is drawn. */
static void draw_rest(FILE *out, const struct timeline *l, int x, int y)
{
	char text[REST_WIDTH / CHAR + 1];

	snprintf(text, sizeof(text), "(%" PRIu32 " marks more)", l->rest);
	draw_text(out, x + 2, y, "n", text);
}

void svg_write_flow(FILE *out, const struct timeline *l)
{
	struct piece p;

	open_piece(out, LANE_NAMES);
	draw_lane_names(out, l);
	fputs("</svg>", out);
	for (uint32_t from = 0; from < l->ncolumns; from = p.to) {
		piece_find(l, from, &p);
		open_piece(out, p.width);
		draw_piece(out, l, &p);
		fputs("</svg>", out);
	}
	if (l->rest) {
		open_piece(out, REST_WIDTH);
		draw_rest(out, l, 0, Y_LABEL);
		fputs("</svg>", out);
	}
}

/* --- a document of its own */

/* Where the next piece goes: behind the last one, or in a new row. */
struct place_at {
	int x, y;
};

static void advance(struct place_at *at, int width)
{
	if (at->x + width > ALONE_WIDTH - MARGIN && at->x > MARGIN + LANE_NAMES) {
		at->x = MARGIN + LANE_NAMES;
		at->y += PIECE_HEIGHT + MARGIN;
	}
}

/* Draw all pieces, or with @out NULL only find where the last row ends. */
static int draw_rows(FILE *out, const struct timeline *l)
{
	struct place_at at = { MARGIN + LANE_NAMES, 50 };
	struct piece p;

	for (uint32_t from = 0; from < l->ncolumns; from = p.to) {
		piece_find(l, from, &p);
		advance(&at, p.width);
		if (out && at.x == MARGIN + LANE_NAMES) {
			fprintf(out, "<g transform=\"translate(%d %d)\">", MARGIN, at.y);
			draw_lane_names(out, l);
			fputs("</g>", out);
		}
		if (out) {
			fprintf(out, "<g transform=\"translate(%d %d)\">", at.x, at.y);
			draw_piece(out, l, &p);
			fputs("</g>\n", out);
		}
		at.x += p.width;
	}
	if (l->rest && out)
		draw_rest(out, l, at.x, at.y + Y_SEEN);
	return at.y + PIECE_HEIGHT + MARGIN;
}

/* Draw @words, broken into lines that fit, or with @out NULL only count them. Returns how many. */
static int draw_words(FILE *out, const char *words, int y)
{
	const size_t fits = (ALONE_WIDTH - 2 * MARGIN) / CHAR;
	char line[(ALONE_WIDTH - 2 * MARGIN) / CHAR + 1];
	int lines = 0;

	while (words && *words) {
		size_t len = strcspn(words, "\n"), cut = len;

		if (len > fits)
			for (cut = fits; cut > fits / 2 && words[cut] != ' '; cut--)
				;
		snprintf(line, sizeof(line), "%.*s", (int)cut, words);
		if (out)
			draw_text(out, MARGIN, y + lines * LINE_HEIGHT, NULL, line);
		lines++;
		words += cut + (words[cut] == '\n' || words[cut] == ' ');
	}
	return lines;
}

static void draw_legend(FILE *out, int y)
{
	size_t n = sizeof(marks) / sizeof(marks[0]);

	for (size_t i = 0; i <= n; i++) {
		int x = MARGIN + 8 + (int)(i % 2) * ALONE_WIDTH / 2;

		if (i == n)
			fprintf(out, "<g transform=\"translate(%d %d)\">%s</g>", x, y, tick_shape);
		else
			use(out, marks[i].id, x, y, mark_class(marks[i].id));
		draw_text(out, x + 16, y + 4, "n", i == n ? tick_text : marks[i].text);
		y += i % 2 ? 18 : 0;
	}
}

void svg_write_alone(FILE *out, const struct timeline *l, const char *words)
{
	int rows = draw_rows(NULL, l), lines = draw_words(NULL, words, 0);
	int legend = rows + lines * LINE_HEIGHT + 20, height = legend + 5 * 18 + MARGIN;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">"
		"<title>", ALONE_WIDTH, height, ALONE_WIDTH, height);
	markup_text(out, l->wcase->name);
	fprintf(out, "</title><style>%s</style>", svg_style);
	svg_write_symbols(out);
	fprintf(out, "<rect width=\"%d\" height=\"%d\" style=\"fill:var(--bg)\"/>\n", ALONE_WIDTH, height);
	fprintf(out, "<g style=\"font-size:15px;font-weight:bold\">");
	draw_text(out, MARGIN, 24, NULL, l->wcase->name);
	fputs("</g>\n", out);
	draw_rows(out, l);
	draw_words(out, words, rows + 10);
	draw_legend(out, legend);
	fputs("</svg>\n", out);
}
