// SPDX-License-Identifier: GPL-2.0
/*
 * The parser: one line at a time, no line looks back further than its case. What is wrong is refused
 * at the word that is wrong.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace_lex.h"

/* Refuse what case_check_ring() or case_check_step() found, at the word that is to blame. */
static bool refuse_case(struct parser *p, enum case_error e, const char *id, const char *value)
{
	switch (e) {
	case CASE_SOUND:
		return true;
	case CASE_NAME_MISSING:
		return lex_refuse(p, id, "the case has no name: begin with 'name NAME'");
	case CASE_NAME_WRONG:
		return lex_refuse(p, id, "a name has 1 to %u letters, digits, '-', '_' and '.', and no '.' in front",
			      CASE_NAME_BYTES - 1);
	case CASE_NO_STEPS:
		return lex_refuse(p, id, "the case has no steps");
	case CASE_RING_TWICE:
		return lex_refuse(p, id, "this ring is declared already");
	case CASE_RING_UNDECLARED:
		return lex_refuse(p, id, "this ring is not declared: write 'ring' with its number first");
	case CASE_PAGES_MISSING:
		return lex_refuse(p, id, "pages= is missing");
	case CASE_PAGES_NOT_POWER_OF_TWO:
		return lex_refuse(p, value, "pages= is not a power of two");
	case CASE_COUNT_RANGE:
		return lex_refuse(p, id, "count= is missing");
	case CASE_COUNT_NESTING:
		return lex_refuse(p, value, "count= is no multiple of the contexts that from= nests");
	case CASE_SIZE_RANGE:
		return lex_refuse(p, id, "size= is missing");
	case CASE_SAMPLES_RANGE:
		return lex_refuse(p, value, "more than %u samples in one case", CASE_MAX_SAMPLES);
	case CASE_REDIRECT_TO:
		return lex_refuse(p, id, "to= names no declared ring");
	case CASE_CONSUME_FORWARD:
		return lex_refuse(p, id, "a forward ring in overwrite mode cannot be consumed: its records have no known start");
	case CASE_CONSUME_EVERY:
		return lex_refuse(p, id, "in overwrite mode reading takes nothing away: consume in steps of its own");
	case CASE_CONSUME_PART:
		return lex_refuse(p, id, "a backward ring is consumed whole: no records=");
	case CASE_INTERRUPTED_TWICE:
		return lex_refuse(p, value, "a case has one interrupted emit at most");
	case CASE_INTERRUPTED_COUNT:
		return lex_refuse(p, value, "an interrupted emit has count=2 to %u: one sample, and those that interrupt it",
				  1 + CASE_MAX_INNER);
	case CASE_OVERFLOW_SIZE_FIXED:
		return lex_refuse(p, value, "from=overflow has size=%u: the kernel fills it", CASE_OVERFLOW_SIZE);
	case CASE_OVERFLOW_PLACE:
		return lex_refuse(p, id, "from=overflow is on its ring's CPU, and has no index=");
	case CASE_WITHIN_COUNT:
		return lex_refuse(p, value, "within= goes with count=3: each sample is interrupted by the next");
	case CASE_INTERRUPTED_FROM:
		return lex_refuse(p, id, "at= and from= exclude each other");
	case CASE_INTERRUPTED_EVERY:
		return lex_refuse(p, id, "at= does not go with every= or index=");
	case CASE_VALUE_KIND:
		return lex_refuse(p, value, "this step has no such value");
	case CASE_VALUE_COUNT:
		return lex_refuse(p, value, "codes for more or fewer samples than the step emits");
	case CASE_RING_RANGE:
	case CASE_CPU_RANGE:
	case CASE_CONTEXTS_RANGE:
	case CASE_PAGES_RANGE:
		/* The keys' own ranges refuse these before. */
		return lex_refuse(p, id, "out of range");
	}
	return lex_refuse(p, id, "unknown fault");
}

static bool parse_name(struct parser *p)
{
	struct word w = lex_next(p);
	struct wake_case *c = &p->f->wcase;
	char name[CASE_NAME_BYTES];

	if (c->name[0])
		return lex_refuse(p, w.text, "the case has a name already");
	if (w.len >= sizeof(name) || memchr(w.text, 0, w.len))
		return refuse_case(p, CASE_NAME_WRONG, w.text, NULL);
	memcpy(name, w.text, w.len);
	name[w.len] = 0;
	if (!case_name_ok(name))
		return refuse_case(p, CASE_NAME_WRONG, w.text, NULL);
	memcpy(c->name, name, w.len + 1);
	return lex_end_of_line(p);
}

static bool parse_ring(struct parser *p)
{
	struct key keys[] = {
		{ .name = "cpu", .max = CASE_MAX_CPUS - 1 },
		{ .name = "pages", .min = 1, .max = CASE_MAX_PAGES },
		{ .name = "wakeup_events", .max = UINT32_MAX },
		{ .name = "watermark", .max = UINT32_MAX },
		{ .name = "backward", .flag = true },
		{ .name = "overwrite", .flag = true },
		{ .name = "consumer", .words = consumer_names + 1 },
		{ 0 },
	};
	struct word w = lex_next(p);
	struct ring_spec *r;
	enum case_error e;
	uint64_t id;

	if (!lex_number(p, w, "the ring's number", 0, CASE_MAX_RINGS - 1, &id))
		return false;
	r = &p->f->wcase.rings[id];
	if (r->declared)
		return refuse_case(p, CASE_RING_TWICE, w.text, NULL);
	if (!lex_keys(p, keys, "ring"))
		return false;
	if (keys[2].given && keys[3].given)
		return lex_refuse(p, keys[3].where, "wakeup_events= and watermark= exclude each other");
	if (!keys[2].given && !keys[3].given)
		return lex_refuse(p, w.text, "wakeup_events= or watermark= is missing");
	*r = (struct ring_spec){
		.cpu = keys[0].value,
		.pages = keys[1].value,
		.by_watermark = keys[3].given,
		.threshold = keys[3].given ? keys[3].value : keys[2].value,
		.backward = keys[4].given,
		.overwrite = keys[5].given,
		.consumer = keys[6].given ? (enum consumer_kind)(keys[6].value + 1) : CONSUMER_NOT_SAID,
		.declared = true,
	};
	e = case_check_ring(r, (uint32_t)id);
	if (e)
		return refuse_case(p, e, w.text, keys[1].where);
	return lex_end_of_line(p);
}

/* FUNCTION+0xOFFSET, as the kernel prints addresses. */
static bool parse_place(struct parser *p, const struct key *at, uint32_t visit, struct place *place)
{
	const char *end = at->where + at->length, *c;
	const char *plus = memchr(at->where, '+', at->length);

	if (!plus || plus == at->where || plus - at->where >= CASE_FUNCTION_BYTES || end - plus < 4 ||
	    end - plus > 7 || plus[1] != '0' || plus[2] != 'x')
		goto refused;
	*place = (struct place){ .visit = visit };
	for (c = at->where; c < plus; c++)
		if (*c < 0x21 || *c > 0x7e)
			goto refused;
	memcpy(place->function, at->where, (size_t)(plus - at->where));
	for (c = plus + 3; c < end; c++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, *c);

		if (!*c || !digit)
			goto refused;
		place->offset = place->offset << 4 | (uint32_t)(digit - digits);
	}
	return true;
refused:
	return lex_refuse(p, at->where, "%s= is FUNCTION+0xOFFSET, up to 0x%x", at->name, CASE_MAX_OFFSET);
}

/* What each step knows; one table a kind, so that a line without keys costs nothing. */
static bool parse_emit_keys(struct parser *p, struct step *s, const char **count)
{
	static const char *const every[] = { "nothing", "look", "look-consume", NULL };
	struct wake_case *c = &p->f->wcase;
	struct key keys[] = {
		{ .name = "count", .min = 1, .max = CASE_MAX_SAMPLES },
		{ .name = "size", .min = CASE_MIN_SIZE, .max = CASE_MAX_SIZE },
		{ .name = "cpu", .max = CASE_MAX_CPUS - 1 },
		{ .name = "every", .words = every },
		{ .name = "from", .words = from_names },
		{ .name = "index", .min = CASE_MAX_RINGS, .max = UINT32_MAX - 1 },
		{ .name = "at", .text = true },
		{ .name = "visit", .max = CASE_MAX_VISIT },
		{ .name = "inner", .min = CASE_MIN_SIZE, .max = CASE_MAX_INNER_SIZE },
		{ .name = "within", .text = true },
		{ 0 },
	};

	if (!lex_keys(p, keys, "emit"))
		return false;
	*count = keys[0].where;
	s->count = keys[0].value;
	s->size = keys[1].value;
	if (keys[2].given)
		s->cpu = keys[2].value;
	s->every = (enum every)keys[3].value;
	s->overflow = keys[4].given && keys[4].value == FROM_OVERFLOW;
	s->contexts = keys[4].given && !s->overflow ? from_contexts(keys[4].value) : 0;
	s->index = keys[5].value;
	s->has_index = keys[5].given;
	s->interrupted = keys[6].given;
	for (int i = 7; !s->interrupted && i <= 9; i++)
		if (keys[i].given)
			return lex_refuse(p, keys[i].where, "at= is missing");
	if (!s->interrupted)
		return true;
	if (c->place.function[0])
		return refuse_case(p, CASE_INTERRUPTED_TWICE, NULL, keys[6].where);
	c->inner_size = keys[8].given ? keys[8].value : s->size;
	return parse_place(p, &keys[6], keys[7].value, &c->place) &&
	       (!keys[9].given || parse_place(p, &keys[9], 0, &c->within));
}

/* The other steps have one key at most. */
static bool parse_other_keys(struct parser *p, struct step *s, struct word ring)
{
	struct key keys[2] = { 0 };

	if (s->kind == STEP_LOOK)
		keys[0] = (struct key){ .name = "via", .words = look_via_names };
	else if (s->kind == STEP_CONSUME)
		keys[0] = (struct key){ .name = "records", .min = 1, .max = CASE_MAX_SAMPLES };
	else if (s->kind == STEP_REDIRECT)
		keys[0] = (struct key){ .name = "to", .max = CASE_MAX_RINGS - 1 };
	if (!lex_keys(p, keys, step_kind_name(s->kind)))
		return false;
	if (s->kind == STEP_LOOK)
		s->via = (enum look_via)keys[0].value;
	else if (s->kind == STEP_CONSUME)
		s->count = keys[0].value;
	else if (s->kind == STEP_REDIRECT)
		s->to = keys[0].value;
	return s->kind != STEP_REDIRECT || keys[0].given ||
	       lex_refuse(p, ring.text, "to= is missing");
}

/* The step's own words: ring and keys. */
static bool parse_step_keys(struct parser *p, struct step *s, struct word *ring, const char **count)
{
	uint64_t id;

	*ring = lex_next(p);
	if (!lex_number(p, *ring, "the ring's number", 0, CASE_MAX_RINGS - 1, &id))
		return false;
	s->ring = (uint32_t)id;
	s->cpu = p->f->wcase.rings[id].cpu;
	if (s->kind == STEP_EMIT)
		return parse_emit_keys(p, s, count);
	return parse_other_keys(p, s, *ring);
}

/* One step at most for each line, so nothing has to grow. Returns false without memory. */
static bool alloc_steps(struct parser *p, const char *text, const char *end)
{
	struct trace_file *f = p->f;
	uint32_t lines = 1;

	while ((text = memchr(text, '\n', (size_t)(end - text))) && lines < CASE_MAX_STEPS) {
		text++;
		lines++;
	}
	p->steps_capacity = lines;
	f->wcase.steps = malloc(lines * sizeof(*f->wcase.steps));
	f->trace.seen = malloc(lines * sizeof(*f->trace.seen));
	return f->wcase.steps && f->trace.seen;
}

/* "= VALUE" or "-> VALUE" of step @s, of which @word has just been read. */
static bool parse_step_value(struct parser *p, struct step *s, struct value_store *st,
			     struct value *v)
{
	const char *where = lex_peek(p).text;
	struct value judged;

	if (!parse_value(p, s, st, v))
		return false;
	judged = *v;
	/* A consumer that gives up ends an observation with its code; nobody expects that. */
	if (s->kind == STEP_CONSUME && st == &p->f->trace.store)
		judged.has &= ~(uint32_t)VALUE_CODE;
	return refuse_case(p, case_check_value(s, &judged, st), where, where);
}

static bool parse_step(struct parser *p, enum step_kind kind)
{
	struct wake_case *c = &p->f->wcase;
	const char *count = NULL;
	struct word ring, w;
	struct value *seen;
	struct step *s;

	if (c->nsteps == p->steps_capacity)
		return lex_refuse(p, p->line_start, "more than %u steps in one case", CASE_MAX_STEPS);
	s = &c->steps[c->nsteps];
	seen = &p->f->trace.seen[c->nsteps];
	*s = (struct step){ .kind = kind, .line = p->line };
	*seen = (struct value){ 0 };
	if (!parse_step_keys(p, s, &ring, &count) ||
	    !refuse_case(p, case_check_step(c, s, p->samples), ring.text, count))
		return false;
	w = lex_next(p);
	if (lex_is(w, "=")) {
		if (!parse_step_value(p, s, &c->expected, &s->expect))
			return false;
		w = lex_next(p);
	}
	if (lex_is(w, "->")) {
		if (!parse_step_value(p, s, &p->f->trace.store, seen))
			return false;
		p->f->observed++;
	}
	if (!lex_end_of_line(p))
		return false;
	c->nsteps++;
	if (kind == STEP_EMIT)
		p->samples += s->count;
	return true;
}

/* "kernel 6.1.192": what a trace was seen on. */
static bool parse_kernel(struct parser *p)
{
	struct word w = lex_next(p);
	const char *at = w.text, *end = w.text + w.len;
	uint64_t part[3] = { 0 };

	if (p->f->trace.kernel)
		return lex_refuse(p, w.text, "the kernel is named already");
	for (int i = 0; i < 3; i++) {
		if (!lex_take_number(&at, end, 65535, &part[i]) || (i < 2 && (at == end || *at++ != '.')))
			return lex_refuse(p, w.text, "a kernel's version is MAJOR.MINOR.PATCH");
	}
	if (at != end || part[0] > 255 || part[1] > 255)
		return lex_refuse(p, w.text, "a kernel's version is MAJOR.MINOR.PATCH");
	p->f->trace.kernel = TRACE_KERNEL(part[0], part[1], part[2]);
	return lex_end_of_line(p);
}

static bool parse_line(struct parser *p)
{
	struct word w = lex_next(p);

	if (!w.len)
		return true;
	if (lex_is(w, "name"))
		return parse_name(p);
	if (lex_is(w, "kernel"))
		return parse_kernel(p);
	if (lex_is(w, "ring"))
		return parse_ring(p);
	for (enum step_kind kind = STEP_EMIT; kind < STEP_KINDS; kind++)
		if (lex_is(w, step_kind_name(kind)))
			return parse_step(p, kind);
	return lex_refuse(p, w.text, "'%s' is neither 'name', 'ring' nor a step", lex_shown(w));
}

/* The case as a whole, once its last line was read. */
static bool parse_end(struct parser *p)
{
	const struct wake_case *c = &p->f->wcase;

	p->line_start = p->at;
	if (!c->name[0])
		return refuse_case(p, CASE_NAME_MISSING, p->at, NULL);
	return c->nsteps || refuse_case(p, CASE_NO_STEPS, p->at, NULL);
}

int trace_text_parse(const char *text, size_t len, struct trace_file *f, struct text_error *err)
{
	const char *end = text + len;
	struct parser p = { .at = text, .f = f, .err = err };

	*err = (struct text_error){ 0 };
	if (len > TRACE_TEXT_MAX_BYTES) {
		snprintf(err->reason, sizeof(err->reason), "longer than %u bytes",
			 TRACE_TEXT_MAX_BYTES);
		*f = (struct trace_file){ 0 };
		return -EINVAL;
	}
	if (trace_file_alloc(f, len))
		return -ENOMEM;
	if (!alloc_steps(&p, text, end)) {
		trace_file_free(f);
		return -ENOMEM;
	}
	while (p.at < end) {
		const char *newline = memchr(p.at, '\n', (size_t)(end - p.at));

		p.line++;
		p.line_start = p.at;
		p.line_end = newline ? newline : end;
		if (!parse_line(&p))
			goto refused;
		p.at = newline ? newline + 1 : end;
	}
	p.line_end = end;
	p.line++;
	if (!parse_end(&p))
		goto refused;
	return 0;
refused:
	trace_file_free(f);
	return -EINVAL;
}
