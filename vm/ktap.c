// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ktap.h"

#define MAX_NUMBER 1000000	/* results in one list; more is a mistake or an attack */

void ktap_init(struct ktap *k)
{
	memset(k, 0, sizeof(*k));
}

bool ktap_any(const struct ktap *k)
{
	return k->passed || k->failed || k->skipped;
}

bool ktap_all_skipped(const struct ktap *k)
{
	return k->skipped && !k->passed && !k->failed;
}

static struct ktap_level *top_level(struct ktap *k)
{
	return k->depth ? &k->level[k->depth - 1] : NULL;
}

__attribute__((format(printf, 3, 4)))
static void breach(struct ktap *k, unsigned int failures, const char *fmt, ...)
{
	char what[KTAP_ERROR_MAX - 32];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (!k->errors)
		snprintf(k->error, sizeof(k->error), "line %lu: %s", k->lines, what);
	k->errors++;
	k->failed += failures;
	k->breached += failures;
	if (k->depth)
		top_level(k)->failed += failures;
}

/*
 * End the deepest list. What it amounts to is kept for the parent's result, which comes
 * after its children.
 */
static void close_level(struct ktap *k)
{
	struct ktap_level *l = top_level(k), *parent;

	if (l->child)	/* the result above them never came */
		breach(k, l->child_failed ? 0 : 1, "a list of results without its parent's result");
	if (!l->planned)
		breach(k, 1, "%u results and no plan", l->results);
	else if (l->results < l->plan)
		breach(k, l->plan - l->results, "%u of %u planned results missing",
		       l->plan - l->results, l->plan);
	k->depth--;
	parent = top_level(k);
	if (!parent)
		return;
	parent->child |= l->results || l->skip_all;
	parent->child_failed += l->failed + l->child_failed;
}

/* End lists that are deeper than the line at hand. */
static void close_below(struct ktap *k, int column)
{
	while (k->depth && top_level(k)->column > column)
		close_level(k);
}

static struct ktap_level *open_level(struct ktap *k, int column, bool hashed)
{
	struct ktap_level *l;

	if (k->depth == KTAP_LEVELS) {
		breach(k, 1, "lists nested deeper than %d", KTAP_LEVELS);
		return NULL;
	}
	l = &k->level[k->depth++];
	memset(l, 0, sizeof(*l));
	l->column = column;
	l->hashed = hashed;
	return l;
}

/* A list is complete when another one may follow it at the same column. */
static bool is_complete(const struct ktap_level *l)
{
	return l->planned && l->results >= l->plan;
}

/* The list at this column; a new one where there is none, or where a new one is due. */
static struct ktap_level *level_at(struct ktap *k, int column, bool hashed, bool fresh)
{
	struct ktap_level *l = top_level(k);

	if (l && l->column == column && fresh) {
		close_level(k);
		l = NULL;
	}
	if (!l || l->column != column)
		l = open_level(k, column, hashed);
	return l;
}

static bool is_version(const char *s)
{
	const char *number;

	if (!strncmp(s, "KTAP version ", 13))
		number = s + 13;
	else if (!strncmp(s, "TAP version ", 12))
		number = s + 12;
	else
		return false;
	return number[strspn(number, "0123456789")] == '\0' && *number;
}

/* Read a decimal of up to MAX_NUMBER; returns what follows it, or NULL. */
static const char *read_number(const char *s, unsigned int *number)
{
	unsigned int n = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++) {
		n = n * 10 + (*s - '0');
		if (n > MAX_NUMBER)
			return NULL;
	}
	*number = n;
	return s;
}

/* "1..N", perhaps with a comment. */
static bool is_plan(const char *s, unsigned int *plan)
{
	if (strncmp(s, "1..", 3))
		return false;
	s = read_number(s + 3, plan);
	if (!s)
		return false;
	s += strspn(s, " \t");
	return *s == '\0' || *s == '#';
}

/* Where a line has this word as its directive, "# WORD why": what follows it, or NULL. */
static const char *directive(const char *s, const char *word)
{
	size_t len = strlen(word);

	for (s = strchr(s, '#'); s; s = strchr(s + 1, '#')) {
		const char *w = s + 1 + strspn(s + 1, " \t");

		if ((s[-1] == ' ' || s[-1] == '\t') && !strncasecmp(w, word, len) &&
		    !isalnum((unsigned char)w[len]))
			return w + len;
	}
	return NULL;
}

static void note_skip(struct ktap *k, const char *why)
{
	if (k->skip[0] || !why)
		return;
	snprintf(k->skip, sizeof(k->skip), "%s", why + strspn(why, " \t:"));
}

static enum ktap_kind feed_plan(struct ktap *k, int column, bool hashed, const char *s,
				unsigned int plan)
{
	struct ktap_level *l = top_level(k);
	bool fresh;

	close_below(k, column);
	l = top_level(k);
	fresh = l && l->column == column && is_complete(l) && (l->results || l->skip_all);
	l = level_at(k, column, hashed, fresh);
	if (!l)
		return KTAP_PLAN;
	if (l->planned) {
		breach(k, 1, "a second plan");
	} else if (plan < l->results) {
		l->planned = true;
		breach(k, 1, "%u results where %u were planned", l->results, plan);
	} else {
		l->planned = true;
		l->plan = plan;
		l->skip_all = !plan;
		k->skipped += !plan;
		note_skip(k, plan ? NULL : directive(s, "SKIP"));
	}
	return KTAP_PLAN;
}

/* Count one result, of which the children, if any, are counted already. */
static void count_result(struct ktap *k, struct ktap_level *l, enum ktap_kind kind)
{
	unsigned int below = l->child_failed;
	bool child = l->child;

	l->child = false;
	l->child_failed = 0;
	l->failed += below;
	if (kind == KTAP_NOT_OK && !below) {
		k->failed++;
		l->failed++;
	} else if (kind != KTAP_NOT_OK && below) {
		breach(k, 0, "result %u is not a failure although something below it failed",
		       l->results);
	} else if (!child) {
		k->skipped += kind == KTAP_SKIP;
		k->passed += kind == KTAP_OK;
	}
}

/*
 * "ok" or "not ok", then a number. An expected failure (XFAIL, TODO) counts as passed:
 * it turned out as announced.
 */
static enum ktap_kind feed_result(struct ktap *k, int column, bool hashed, const char *s, bool ok)
{
	enum ktap_kind kind = ok ? KTAP_OK : KTAP_NOT_OK;
	unsigned int number = 0;
	struct ktap_level *l;

	if (directive(s, "SKIP")) {
		kind = KTAP_SKIP;
		note_skip(k, directive(s, "SKIP"));
	} else if (directive(s, "XFAIL") || directive(s, "TODO")) {
		kind = KTAP_OK;
	}
	close_below(k, column);
	l = level_at(k, column, hashed, false);
	if (!l)
		return kind;
	l->results++;
	read_number(s + strspn(s, " "), &number);
	if (number != l->results) {
		breach(k, 1, "result %u where %u was due", number, l->results);
		l->results = number > l->results ? number : l->results;
	} else if (l->planned && number > l->plan) {
		breach(k, 1, "result %u where %u were planned", number, l->plan);
	}
	count_result(k, l, kind);
	return kind;
}

/* A result line has a number after its words; without one it is a program's own words. */
static const char *is_result(const struct ktap *k, const char *s, bool *ok)
{
	unsigned int number;
	const char *rest;

	*ok = strncmp(s, "not ", 4) != 0;
	if (!*ok)
		s += 4;
	if (strncmp(s, "ok", 2) || (s[2] != ' ' && s[2] != '\0'))
		return NULL;
	rest = read_number(s + 2 + strspn(s + 2, " "), &number);
	if (rest && (*rest == '\0' || *rest == ' ' || *rest == '\t'))
		return s + 2;
	/* Inside a list a result without its number would otherwise be lost unseen. */
	return k->depth ? s + 2 : NULL;
}

/*
 * Skip indentation and, where a runner's "# " is in force or begins, that too. Returns
 * what is left of the line.
 */
static const char *strip(const struct ktap *k, const char *line, int *column, bool *hashed)
{
	const char *s = line;

	*hashed = false;
	for (;;) {
		bool known = false;

		s += strspn(s, " ");
		if (s[0] != '#' || s[1] != ' ')
			break;
		for (int i = 0; i < k->depth; i++)
			known |= k->level[i].hashed && k->level[i].column > s - line;
		if (!known && !is_version(s + 2 + strspn(s + 2, " ")))
			break;
		*hashed = true;
		s += 2;
	}
	*column = s - line;
	return s;
}

enum ktap_kind ktap_feed(struct ktap *k, const char *line)
{
	unsigned int plan;
	const char *s, *rest;
	int column;
	bool hashed, ok;

	k->lines++;
	s = strip(k, line, &column, &hashed);
	if (is_version(s)) {
		close_below(k, column);
		level_at(k, column, hashed, true);
		return KTAP_VERSION;
	}
	if (is_plan(s, &plan))
		return feed_plan(k, column, hashed, s, plan);
	rest = is_result(k, s, &ok);
	if (rest)
		return feed_result(k, column, hashed, rest, ok);
	if (!strncmp(s, "Bail out!", 9)) {
		breach(k, 1, "the test gave up: %.80s", s);
		return KTAP_BAIL;
	}
	return *s == '#' ? KTAP_DIAG : KTAP_OTHER;
}

void ktap_finish(struct ktap *k)
{
	while (k->depth)
		close_level(k);
}
