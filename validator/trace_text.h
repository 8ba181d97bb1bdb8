/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text format of cases and traces (DESIGN section 4): one parser reads both, one writer writes
 * both, and what is written reads back the same.
 */
#ifndef PERFWAKE_TRACE_TEXT_H
#define PERFWAKE_TRACE_TEXT_H

#include <stdio.h>

#include "trace_file.h"

#define TRACE_TEXT_MAX_BYTES (64u << 20)

/* Why a text was refused. Lines and columns count from 1; column in bytes. Line 0: the file itself. */
struct text_error {
	uint32_t line;
	uint32_t column;
	char reason[200];
};

/*
 * Parse @len bytes of @text; checks everything that case_validate() checks. Returns 0, -EINVAL with
 * @err filled in, or -ENOMEM. On error @f holds nothing.
 */
int trace_text_parse(const char *text, size_t len, struct trace_file *f, struct text_error *err);

/* The same for a file. Unreadable files give the errno, with the reason in @err. */
int trace_text_read(const char *path, struct trace_file *f, struct text_error *err);

/*
 * Write @c as text, with the observations of @t where @t is not NULL.
 */
void trace_text_write(FILE *out, const struct wake_case *c, const struct trace *t);

/* One value as text, as it stands behind "=" or "->" of step @s. */
void trace_text_write_value(FILE *out, const struct step *s, const struct value_store *st,
			    const struct value *v);

/* One step as text, without values and without a newline. */
void trace_text_write_step(FILE *out, const struct wake_case *c, const struct step *s);

/* Names as the format spells them. */
const char *step_kind_name(enum step_kind kind);
extern const char *const look_via_names[VIAS + 1];	/* NULL at the end */
extern const char *const consumer_names[CONSUMERS + 1];	/* the same; the first says nothing */
#define FROM_OVERFLOW 16	/* the index of the name that says no context */
extern const char *const from_names[];	/* NULL at the end */
uint32_t from_contexts(uint32_t index);	/* what the name at @index says, as step.contexts */
const char *from_name(uint32_t contexts);
const char *code_name(enum code code);
const char *readiness_name(enum readiness readiness);

/* The code for a positive @error number of this machine; 0 is CODE_OK. */
enum code code_from_errno(int error);

#endif
