/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for cases, traces and verdicts: the core works in what it is given, this gives it. Each
 * _alloc returns 0 or -ENOMEM and then holds nothing; each _free accepts what is zeroed or freed.
 */
#ifndef PERFWAKE_TRACE_FILE_H
#define PERFWAKE_TRACE_FILE_H

#include "verdict.h"

/* A parsed file; owns everything it points to. */
struct trace_file {
	struct wake_case wcase;
	struct trace trace;		/* trace.wcase is &wcase, so the struct must not move */
	uint32_t observed;		/* steps with an observation; 0: a case, not a trace */
};

/* @capacity entries for each array. */
int value_store_alloc(struct value_store *st, uint32_t capacity);
void value_store_free(struct value_store *st);

/* Room for whatever @len bytes of text can say. */
int trace_file_alloc(struct trace_file *f, size_t len);
void trace_file_free(struct trace_file *f);

/* Room for all that performing @c can show. */
int trace_alloc(struct trace *t, const struct wake_case *c);
void trace_free(struct trace *t);

/* Room to judge @c in. */
int verdict_workspace_alloc(struct verdict_workspace *w, const struct wake_case *c);
void verdict_workspace_free(struct verdict_workspace *w);

#endif
