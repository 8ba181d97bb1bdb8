// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "trace_lex.h"

/* Refuse the text at @where, which lies in the current line. Returns false, for the caller to return. */
bool __attribute__((format(printf, 3, 4)))
lex_refuse(struct parser *p, const char *where, const char *fmt, ...)
{
	va_list ap;

	p->err->line = p->line;
	p->err->column = (uint32_t)(where - p->line_start) + 1;
	va_start(ap, fmt);
	vsnprintf(p->err->reason, sizeof(p->err->reason), fmt, ap);
	va_end(ap);
	return false;
}

/* A word for a message: bounded, and nothing unprintable. */
const char *lex_shown(struct word w)
{
	static _Thread_local char text[40];
	size_t n = w.len < sizeof(text) - 4 ? w.len : sizeof(text) - 4;

	for (size_t i = 0; i < n; i++)
		text[i] = w.text[i] < 0x21 || w.text[i] > 0x7e ? '?' : w.text[i];
	strcpy(text + n, n < w.len ? "..." : "");
	return text;
}

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' && (c == ' ' || c == '\t' || c == '\r');
}

/* The next word of the line; an empty word at its end or at a comment. */
struct word lex_next(struct parser *p)
{
	const char *at = p->at, *end = p->line_end;	/* a char could alias *p: keep them out of it */
	struct word w;

	while (at < end && is_blank(*at))
		at++;
	w.text = at;
	while (at < end && !is_blank(*at) && *at != '#')
		at++;
	w.len = (size_t)(at - w.text);
	p->at = at;
	return w;
}

struct word lex_peek(struct parser *p)
{
	const char *at = p->at;
	struct word w = lex_next(p);

	p->at = at;
	return w;
}

bool lex_is(struct word w, const char *text)
{
	size_t i;

	for (i = 0; i < w.len; i++)
		if (w.text[i] != text[i] || !text[i])
			return false;
	return !text[i];
}

/* Decimal digits at *@at, up to @max; advances *@at. Returns false, with *@at at the culprit. */
bool lex_take_number(const char **at, const char *end, uint64_t max, uint64_t *value)
{
	const char *start = *at;
	uint64_t v = 0;

	for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		uint64_t digit = (uint64_t)(**at - '0');

		if (v > (max - digit) / 10) {
			*at = start;
			return false;
		}
		v = v * 10 + digit;
	}
	*value = v;
	return *at > start;
}

/* A whole word that is a number from @min to @max; @what says what it is for. */
bool lex_number(struct parser *p, struct word w, const char *what, uint64_t min,
			uint64_t max, uint64_t *value)
{
	const char *at = w.text, *end = w.text + w.len;

	if (!w.len)
		return lex_refuse(p, w.text, "%s is missing", what);
	if (lex_take_number(&at, end, max, value) && at == end && *value >= min)
		return true;
	for (const char *c = w.text; c < end; c++)
		if (*c < '0' || *c > '9')
			return lex_refuse(p, w.text, "%s: '%s' is not a number", what, lex_shown(w));
	at = w.text;
	if (!lex_take_number(&at, end, max, value) || *value < min)
		return lex_refuse(p, w.text, "%s: %s is out of range, %" PRIu64 " to %" PRIu64, what,
			      lex_shown(w), min, max);
	return true;
}

bool lex_end_of_line(struct parser *p)
{
	struct word w = lex_next(p);

	return !w.len || lex_refuse(p, w.text, "'%s' is one word too many", lex_shown(w));
}

static bool key_value(struct parser *p, struct key *k, struct word w)
{
	const char *at = w.text, *end = w.text + w.len;
	uint64_t value;

	k->where = w.text;
	k->length = w.len;
	if (k->text)
		return w.len || lex_refuse(p, w.text, "%s= is empty", k->name);
	if (!k->words) {
		/* What is wrong with it, and the key's name for a message, only when it is wrong. */
		if (lex_take_number(&at, end, k->max, &value) && at == end && value >= k->min) {
			k->value = (uint32_t)value;
			return true;
		}
		char what[32];

		snprintf(what, sizeof(what), "%s=", k->name);
		return lex_number(p, w, what, k->min, k->max, &value);
	}
	for (k->value = 0; k->words[k->value]; k->value++)
		if (lex_is(w, k->words[k->value]))
			return true;
	return lex_refuse(p, w.text, "%s= does not know '%s'", k->name, lex_shown(w));
}

/* The keys up to the end of the line, or up to "=" or "->". @keys ends with a NULL name. */
bool lex_keys(struct parser *p, struct key *keys, const char *of)
{
	for (;;) {
		const char *at = p->at;
		struct word w = lex_next(p), name = w;
		const char *equals;
		struct key *k = keys;

		if (!w.len || lex_is(w, "=") || lex_is(w, "->")) {
			p->at = at;
			return true;
		}
		if (w.text[0] == '=' || (w.len > 2 && !memcmp(w.text, "->", 2)))
			return lex_refuse(p, w.text, "'%s': a blank is missing in front of the value",
					  lex_shown(w));
		equals = memchr(w.text, '=', w.len);
		if (equals)
			name.len = (size_t)(equals - w.text);
		while (k->name && (!lex_is(name, k->name) || k->flag == !!equals))
			k++;
		if (!k->name && !equals)
			return lex_refuse(p, w.text, "'%s' is not of the form key=value", lex_shown(w));
		if (!k->name)
			return lex_refuse(p, w.text, "'%s' does not know %s=", of, lex_shown(name));
		if (k->given)
			return lex_refuse(p, w.text, "%s%s is given twice", k->name, k->flag ? "" : "=");
		k->given = true;
		if (k->flag)
			continue;
		if (!key_value(p, k, (struct word){ equals + 1, (size_t)(p->at - equals - 1) }))
			return false;
	}
}
