// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"

/* Where the parser is. */
struct parser {
	struct change *change;
	struct change_error *error;
	const char *path;	/* of the hunks that follow, NULL at first */
	struct change_hunk *hunk;	/* that the next line belongs to, NULL between two */
	bool alternative;	/* an "or" waits for its hunk */
	unsigned int line;
};

__attribute__((format(printf, 3, 4)))
static int wrong(struct change_error *e, unsigned int line, const char *fmt, ...)
{
	va_list args;

	e->line = line;
	va_start(args, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Append a line, and the newline that was cut off. */
static int append(char **text, const char *line)
{
	size_t had = strlen(*text), len = strlen(line);
	char *longer = realloc(*text, had + len + 2);

	if (!longer)
		return -ENOMEM;
	memcpy(longer + had, line, len);
	memcpy(longer + had + len, "\n", 2);
	*text = longer;
	return 0;
}

static int end_hunk(struct parser *p)
{
	const struct change_hunk *h = p->hunk;

	p->hunk = NULL;
	if (!h)
		return 0;
	if (!*h->old_text)
		return wrong(p->error, h->line, "a hunk without old text has no place: add a line that stays in front of it");
	if (!strcmp(h->old_text, h->new_text))
		return wrong(p->error, h->line, "a hunk that changes nothing: its lines need a - or + in front");
	return 0;
}

static int begin_hunk(struct parser *p)
{
	struct change *c = p->change;
	struct change_hunk *h;

	if (!p->path)
		return wrong(p->error, p->line, "a hunk before any file: say file PATH first");
	if (c->hunks == CHANGE_HUNKS)
		return wrong(p->error, p->line, "more than %d hunks", CHANGE_HUNKS);
	h = &c->hunk[c->hunks];
	h->path = p->path;
	h->line = p->line;
	h->alternative = p->alternative;
	h->old_text = calloc(1, 1);
	h->new_text = calloc(1, 1);
	c->hunks++;
	p->alternative = false;
	p->hunk = h;
	return h->old_text && h->new_text ? 0 : -ENOMEM;
}

static int hunk_line(struct parser *p, const char *line)
{
	int err = p->hunk ? 0 : begin_hunk(p);

	if (!err && *line != '+')
		err = append(&p->hunk->old_text, line + 1);
	if (!err && *line != '-')
		err = append(&p->hunk->new_text, line + 1);
	return err;
}

/* It is a file's name and a word of reports. */
static bool is_id(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return len && len <= CHANGE_ID_MAX && !s[len] && *s != '-';
}

/* It must not lead out of the source. */
static bool is_path(const char *s)
{
	return *s && *s != '/' && !strstr(s, "..") && !strpbrk(s, " \t") && s[strlen(s) - 1] != '/';
}

static int set_once(struct parser *p, const char **field, const char *word, const char *value)
{
	if (*field)
		return wrong(p->error, p->line, "%s is there twice", word);
	if (!*value || strlen(value) > CHANGE_WHY_MAX || strchr(value, '\t'))
		return wrong(p->error, p->line, "%s needs 1 to %d characters, none of them a tab", word,
			     CHANGE_WHY_MAX);
	*field = value;
	return 0;
}

static int word_line(struct parser *p, char *line)
{
	struct change *c = p->change;
	char *value = line + strcspn(line, " \t");
	int err = end_hunk(p);

	if (err)
		return err;
	if (*value)
		*value++ = '\0';
	value += strspn(value, " \t");
	if (p->alternative)
		return wrong(p->error, p->line, "no hunk behind or");
	if (!strcmp(line, "or") && !*value) {
		if (!c->hunks || c->hunk[c->hunks - 1].path != p->path)
			return wrong(p->error, p->line, "no hunk of this file in front of or");
		p->alternative = true;
		return 0;
	}
	if (!strcmp(line, "file")) {
		if (!is_path(value))
			return wrong(p->error, p->line, "file %s: a path below the top of the source", value);
		p->path = value;
		return 0;
	}
	if (!strcmp(line, "id")) {
		if (!is_id(value))
			return wrong(p->error, p->line, "id %s: up to %d of a-z, 0-9 and -", value,
				     CHANGE_ID_MAX);
		return set_once(p, &c->id, line, value);
	}
	if (!strcmp(line, "rule"))
		return set_once(p, &c->rule, line, value);
	if (!strcmp(line, "why"))
		return set_once(p, &c->why, line, value);
	return wrong(p->error, p->line, "unknown word %.40s: a hunk's lines begin with a blank, - or +, others with id, rule, why, file or or",
		     line);
}

static int parse_line(struct parser *p, char *line)
{
	switch (*line) {
	case ' ':
	case '-':
	case '+':
		return hunk_line(p, line);
	case '\0':
	case '#':
		return end_hunk(p);
	}
	return word_line(p, line);
}

int change_parse(struct change *c, char *text, struct change_error *error)
{
	struct parser p = { .change = c, .error = error };
	int err;

	*c = (struct change){ 0 };
	while (*text) {
		char *line = text, *end = strchr(text, '\n');

		p.line++;
		if (!end)
			return wrong(error, p.line, "the last line has no end: the file seems cut");
		*end = '\0';
		text = end + 1;
		err = parse_line(&p, line);
		if (err)
			return err;
	}
	err = end_hunk(&p);
	if (err)
		return err;
	if (p.alternative)
		return wrong(error, p.line, "no hunk behind or");
	if (!c->id || !c->rule || !c->why)
		return wrong(error, 0, "no line %s", !c->id ? "id" : !c->rule ? "rule" : "why");
	if (!c->hunks)
		return wrong(error, 0, "no hunk: it changes nothing");
	return 0;
}

void change_free(struct change *c)
{
	for (unsigned int i = 0; i < c->hunks; i++) {
		free(c->hunk[i].old_text);
		free(c->hunk[i].new_text);
	}
	c->hunks = 0;
}

/* The first place in source, from on, where whole lines are text; NULL if there is none. */
static const char *find_lines(const char *source, const char *from, const char *text)
{
	for (; (from = strstr(from, text)); from++)
		if (from == source || from[-1] == '\n')
			return from;
	return NULL;
}

/* How many lines of text are at the place at. */
static unsigned int lines_alike(const char *at, const char *text)
{
	unsigned int lines = 0;

	for (; *text && *at == *text; at++, text++)
		lines += *text == '\n';
	return lines;
}

/* Where in source the old text of a hunk goes along with it longest. */
struct likeness {
	const struct change_hunk *hunk;
	unsigned int lines;	/* so many of the old text are there */
	unsigned int at;	/* from this line of source on */
};

static void look_alike(struct likeness *best, const struct change_hunk *h, const char *source)
{
	unsigned int line = 1;

	for (const char *at = source; at; line++) {
		unsigned int lines = lines_alike(at, h->old_text);

		if (!best->hunk || lines > best->lines)
			*best = (struct likeness){ h, lines, line };
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
}

/* Say of texts that are nowhere how far the most alike goes along with the source. */
static void not_found(const struct change_hunk *h, const struct change_hunk *end, const char *source,
		      struct change_error *error)
{
	const char *none = end - h > 1 ? "no alternative is" : "the old text is not";
	struct likeness best = { 0 };
	const char *differs;

	for (; h < end; h++)
		look_alike(&best, h, source);
	differs = best.hunk->old_text;
	for (unsigned int i = 0; i < best.lines; i++)
		differs = strchr(differs, '\n') + 1;
	differs += strspn(differs, " \t");
	if (best.lines)
		wrong(error, best.hunk->line, "%s: %s in it; line %u and on are alike, but not as far as: %.*s",
		      best.hunk->path, none, best.at, (int)strcspn(differs, "\n"), differs);
	else
		wrong(error, best.hunk->line, "%s: %s in it, not even its first line: %.*s",
		      best.hunk->path, none, (int)strcspn(differs, "\n"), differs);
}

static char *replace(const char *source, const char *place, const struct change_hunk *h)
{
	size_t before = place - source, old_len = strlen(h->old_text), new_len = strlen(h->new_text);
	size_t after = strlen(place + old_len);
	char *text = malloc(before + new_len + after + 1);

	if (!text)
		return NULL;
	memcpy(text, source, before);
	memcpy(text + before, h->new_text, new_len);
	memcpy(text + before + new_len, place + old_len, after + 1);
	return text;
}

char *change_apply(const struct change *c, unsigned int at, const char *source,
		   unsigned int *next, struct change_error *error)
{
	const struct change_hunk *fits = NULL, *first = &c->hunk[at];
	const char *place = NULL;
	unsigned int end = at + 1;
	char *text;

	while (end < c->hunks && c->hunk[end].alternative)
		end++;
	for (const struct change_hunk *h = first; h < c->hunk + end; h++) {
		const char *found = find_lines(source, source, h->old_text);

		if (!found)
			continue;
		if (find_lines(source, found + 1, h->old_text)) {
			wrong(error, h->line, "%s: the old text is in it more than once: add lines that stay", h->path);
			return NULL;
		}
		if (fits) {
			wrong(error, h->line, "%s: this text and its alternative of line %u are both in it", h->path, fits->line);
			return NULL;
		}
		fits = h;
		place = found;
	}
	if (!fits) {
		not_found(first, c->hunk + end, source, error);
		return NULL;
	}
	*next = end;
	text = replace(source, place, fits);
	if (!text)
		wrong(error, fits->line, "no memory");
	return text;
}
