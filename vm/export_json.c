// SPDX-License-Identifier: GPL-2.0
/* As docs/results.schema.json describes it. */
#include "export.h"

static const char *const word[] = {
	[FAILED] = "failed",
	[PASSED] = "passed",
	[SKIPPED] = "skipped",
};

/* What is no ASCII becomes '?': it comes from a guest, and need not be UTF-8. */
static void put_string(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", f);
		else if (*s == '\t')
			fputs("\\t", f);
		else
			putc(*s < ' ' || *s > '~' ? '?' : *s, f);
	}
	putc('"', f);
}

static void put_member(FILE *f, const char *name, const char *s)
{
	fprintf(f, ", \"%s\": ", name);
	put_string(f, s);
}

static void put_result(FILE *f, const struct result *r)
{
	fputs("        {\"name\": ", f);
	put_string(f, r->name);
	put_member(f, "outcome", word[r->outcome]);
	if (*r->reason)
		put_member(f, "reason", r->reason);
	if (*r->details)
		put_member(f, "details", r->details);
	putc('}', f);
}

static void put_test(FILE *f, const struct export *e, const struct test *t)
{
	fputs("    {\"name\": ", f);
	put_string(f, t->name);
	put_member(f, "outcome", word[t->outcome]);
	if (*t->reason)
		put_member(f, "reason", t->reason);
	fputs(", \"results\": [", f);
	for (size_t i = 0; i < t->results; i++) {
		fputs(i ? ",\n" : "\n", f);
		put_result(f, &e->result[t->first + i]);
	}
	fputs(t->results ? "\n    ]}" : "]}", f);
}

void export_json(FILE *f, const struct export *e)
{
	fputs("{\n  \"format\": \"perfwake-results-1\",\n  \"kernel\": ", f);
	if (e->kernel)
		put_string(f, e->kernel);
	else
		fputs("null", f);
	if (e->status >= 0)
		fprintf(f, ",\n  \"status\": %d", e->status);
	else
		fputs(",\n  \"status\": null", f);
	fprintf(f, ",\n  \"complete\": %s,\n", e->partial || e->status < 0 ? "false" : "true");
	fprintf(f, "  \"passed\": %lu,\n  \"failed\": %lu,\n  \"skipped\": %lu,\n", e->total[PASSED],
		e->total[FAILED], e->total[SKIPPED]);
	fputs("  \"notes\": [", f);
	for (size_t i = 0; i < e->notes; i++) {
		fputs(i ? ",\n    " : "\n    ", f);
		put_string(f, e->note[i]);
	}
	fputs(e->notes ? "\n  ],\n" : "],\n", f);
	fputs("  \"tests\": [", f);
	for (size_t i = 0; i < e->tests; i++) {
		fputs(i ? ",\n" : "\n", f);
		put_test(f, e, &e->test[i]);
	}
	fputs(e->tests ? "\n  ]\n}\n" : "]\n}\n", f);
}
