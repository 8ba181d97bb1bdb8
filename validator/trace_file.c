// SPDX-License-Identifier: GPL-2.0
/* Memory for cases and traces, and reading them from files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace_text.h"

int value_store_alloc(struct value_store *st, uint32_t capacity)
{
	*st = (struct value_store){ .capacity = capacity };
	st->codes = malloc(capacity * sizeof(*st->codes));
	st->ready_at = malloc(capacity * sizeof(*st->ready_at));
	st->numbers = malloc(capacity * sizeof(*st->numbers));
	st->torn = malloc(capacity * sizeof(*st->torn));
	if (st->codes && st->ready_at && st->numbers && st->torn)
		return 0;
	value_store_free(st);
	return -ENOMEM;
}

void value_store_free(struct value_store *st)
{
	free(st->codes);
	free(st->ready_at);
	free(st->numbers);
	free(st->torn);
	*st = (struct value_store){ 0 };
}

int trace_file_alloc(struct trace_file *f, size_t len)
{
	/* Each entry of a list takes at least two bytes of text. */
	uint32_t capacity = (uint32_t)(len / 2 + 2);

	*f = (struct trace_file){ 0 };
	f->trace.wcase = &f->wcase;
	if (!value_store_alloc(&f->wcase.expected, capacity) &&
	    !value_store_alloc(&f->trace.store, capacity))
		return 0;
	trace_file_free(f);
	return -ENOMEM;
}

void trace_file_free(struct trace_file *f)
{
	value_store_free(&f->wcase.expected);
	value_store_free(&f->trace.store);
	free(f->wcase.steps);
	free(f->trace.seen);
	*f = (struct trace_file){ 0 };
}

int trace_alloc(struct trace *t, const struct wake_case *c)
{
	*t = (struct trace){ .wcase = c };
	t->seen = calloc(c->nsteps, sizeof(*t->seen));
	if (t->seen && !value_store_alloc(&t->store, trace_capacity(c)))
		return 0;
	trace_free(t);
	return -ENOMEM;
}

void trace_free(struct trace *t)
{
	free(t->seen);
	value_store_free(&t->store);
	*t = (struct trace){ 0 };
}

int verdict_workspace_alloc(struct verdict_workspace *w, const struct wake_case *c)
{
	*w = (struct verdict_workspace){ 0 };
	w->records = calloc(model_records(c) + 1, sizeof(*w->records));
	if (w->records && !value_store_alloc(&w->store, trace_capacity(c)))
		return 0;
	verdict_workspace_free(w);
	return -ENOMEM;
}

void verdict_workspace_free(struct verdict_workspace *w)
{
	free(w->records);
	value_store_free(&w->store);
	*w = (struct verdict_workspace){ 0 };
}

static int refuse_file(struct text_error *err, int error)
{
	*err = (struct text_error){ 0 };
	snprintf(err->reason, sizeof(err->reason), "cannot be read: %s", strerror(error));
	return -error;
}

/* The whole of @in as one allocation of the caller's. */
static int read_all(FILE *in, char **text, size_t *len)
{
	size_t capacity = 1 << 16;
	char *buf = NULL;

	for (*len = 0;;) {
		char *more = realloc(buf, capacity);

		if (!more)
			break;
		buf = more;
		*len += fread(buf + *len, 1, capacity - *len, in);
		if (*len < capacity || *len > TRACE_TEXT_MAX_BYTES) {
			*text = buf;
			return ferror(in) ? -errno : 0;
		}
		capacity *= 2;
	}
	free(buf);
	return -ENOMEM;
}

int trace_text_read(const char *path, struct trace_file *f, struct text_error *err)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t len;
	int ret;

	*f = (struct trace_file){ 0 };
	if (!in)
		return refuse_file(err, errno);
	ret = read_all(in, &text, &len);
	fclose(in);
	if (ret) {
		free(text);
		return refuse_file(err, -ret);
	}
	ret = trace_text_parse(text, len, f, err);
	free(text);
	return ret == -ENOMEM ? refuse_file(err, ENOMEM) : ret;
}
