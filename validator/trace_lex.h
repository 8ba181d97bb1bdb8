/* SPDX-License-Identifier: GPL-2.0 */
/* Words, numbers and key=value pairs of one line of text; the lower half of the parser. */
#ifndef PERFWAKE_TRACE_LEX_H
#define PERFWAKE_TRACE_LEX_H

#include "trace_text.h"

struct word {
	const char *text;
	size_t len;		/* 0: the line ended */
};

struct parser {
	const char *at;		/* the next byte */
	const char *line_start;
	const char *line_end;
	uint32_t line;
	struct trace_file *f;
	struct text_error *err;
	uint32_t steps_capacity;
	uint32_t samples;	/* that the steps parsed so far emit */
};

/* A key of a line; it may be given once. Tables of keys end with a NULL name. */
struct key {
	const char *name;
	uint64_t min, max;
	const char *const *words;	/* instead of a number: the words allowed, NULL at the end */
	bool flag;			/* the name alone, no value */
	bool text;			/* any word, @length bytes at @where */
	bool given;
	const char *where;		/* of the value */
	size_t length;
	uint32_t value;			/* the number, or the index of the word */
};

/* Refuse the text at @where, which lies in the current line. Returns false, for the caller to return. */
bool __attribute__((format(printf, 3, 4)))
lex_refuse(struct parser *p, const char *where, const char *fmt, ...);

/* A word for a message: bounded, nothing unprintable. Valid until the next call in this thread. */
const char *lex_shown(struct word w);

struct word lex_next(struct parser *p);
struct word lex_peek(struct parser *p);
bool lex_is(struct word w, const char *text);

/* Decimal digits at *@at, up to @max. Returns false, with *@at at the culprit; else *@at is behind them. */
bool lex_take_number(const char **at, const char *end, uint64_t max, uint64_t *value);

/* A whole word that is a number from @min to @max; @what names it in messages. */
bool lex_number(struct parser *p, struct word w, const char *what, uint64_t min, uint64_t max,
		uint64_t *value);

/* The keys up to the end of the line, or up to "=" or "->"; @of names the line in messages. */
bool lex_keys(struct parser *p, struct key *keys, const char *of);

bool lex_end_of_line(struct parser *p);

/* What stands behind "=" or "->" (trace_parse_value.c). */
bool parse_value(struct parser *p, const struct step *s, struct value_store *st, struct value *v);

#endif
