// SPDX-License-Identifier: GPL-2.0
/*
 * JUnit, as CI servers read it: a test is a suite, each result below it a case. Elements and
 * attributes are those that the schemas in use have in common.
 */
#include "export.h"

/* Character data or an attribute. What is no ASCII, or not allowed in XML, becomes '?'. */
static void put_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\n':
		case '\t':
			putc(*s, f);
			break;
		default:
			putc(*s < ' ' || *s > '~' ? '?' : *s, f);
		}
	}
}

static void put_attribute(FILE *f, const char *name, const char *s)
{
	fprintf(f, " %s=\"", name);
	put_text(f, s);
	putc('"', f);
}

static void put_case(FILE *f, const struct result *r, const struct test *t)
{
	fputs("    <testcase", f);
	put_attribute(f, "classname", t->name);
	put_attribute(f, "name", r->name);
	if (r->outcome == PASSED && !*r->reason) {
		fputs("/>\n", f);
		return;
	}
	putc('>', f);
	switch (r->outcome) {
	case FAILED:
		fputs("<failure", f);
		put_attribute(f, "message", *r->reason ? r->reason : "failed");
		putc('>', f);
		put_text(f, r->details);
		fputs("</failure>", f);
		break;
	case SKIPPED:
		fputs("<skipped", f);
		put_attribute(f, "message", r->reason);
		fputs("/>", f);
		break;
	case PASSED:	/* with a defect that is known */
		fputs("<system-out>", f);
		put_text(f, r->reason);
		fputs("</system-out>", f);
		break;
	case OUTCOMES:
		break;
	}
	fputs("</testcase>\n", f);
}

static void put_suite(FILE *f, const struct export *e, const struct test *t)
{
	unsigned long total[OUTCOMES] = { 0 };

	for (size_t i = 0; i < t->results; i++)
		total[e->result[t->first + i].outcome]++;
	fputs("  <testsuite", f);
	put_attribute(f, "name", t->name);
	fprintf(f, " tests=\"%zu\" failures=\"%lu\" errors=\"0\" skipped=\"%lu\">\n", t->results,
		total[FAILED], total[SKIPPED]);
	for (size_t i = 0; i < t->results; i++)
		put_case(f, &e->result[t->first + i], t);
	fputs("  </testsuite>\n", f);
}

void export_junit(FILE *f, const struct export *e)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", f);
	put_attribute(f, "name", e->kernel ? e->kernel : "perfwake");
	fprintf(f, " tests=\"%zu\" failures=\"%lu\" errors=\"0\">\n", e->results, e->total[FAILED]);
	for (size_t i = 0; i < e->tests; i++)
		put_suite(f, e, &e->test[i]);
	fputs("</testsuites>\n", f);
}
