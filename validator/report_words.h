/* SPDX-License-Identifier: GPL-2.0 */
/* What reports say of rules and differences: the only place with sentences about them. */
#ifndef PERFWAKE_REPORT_WORDS_H
#define PERFWAKE_REPORT_WORDS_H

#include <stdio.h>

#include "trace_text.h"
#include "verdict.h"

/* "K1" and so on, and the rule in one clause. */
const char *rule_id(enum rule rule);
const char *rule_text(enum rule rule);

/* What the chapter of the kernel's rules with this id is about, in a few words. */
const char *rule_title(const char *id);

/* The known defects in @bits (enum model_defect), two lines each. */
void report_defects(FILE *out, const char *prefix, uint32_t bits);

/*
 * The difference that @v found in @t (NULL where only expectations were judged), of case file @file:
 * lines that each begin with @prefix. The first three say what was expected and seen, which rule that
 * breaks, and how to see it again (@command: perfwake's, or NULL); the others the state of the model.
 * @store is the one that @v->predicted points into.
 */
void report_difference(FILE *out, const char *prefix, const char *file, const char *command,
		       const struct wake_case *c, const struct trace *t,
		       const struct value_store *store, const struct verdict *v);

/* Who says what of a difference. */
enum witness_of {
	WITNESS_MODEL,
	WITNESS_PERSON,
	WITNESS_SEEN,
	WITNESSES
};

/* What each of them says, to a stream of its own; one who says nothing of it writes nothing. */
void report_witnesses(FILE *out[WITNESSES], const struct wake_case *c, const struct trace *t,
		      const struct value_store *store, const struct verdict *v);

/* All that @v found of the case: that it is proved, known defects, the difference, or why it was not judged. */
void report_verdict(FILE *out, const char *prefix, const char *file, const char *command,
		    const struct wake_case *c, const struct trace *t,
		    const struct value_store *store, const struct verdict *v);

#endif
