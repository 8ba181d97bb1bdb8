// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "defects.h"
#include "markup.h"
#include "report_json.h"

static const char *outcome_word(enum verdict_kind kind)
{
	switch (kind) {
	case VERDICT_PROVED:
		return "proved";
	case VERDICT_KERNEL:
		return "differs";
	case VERDICT_EXPECTATION:
		return "expectation";
	case VERDICT_DEFECT:
		return "defect";
	case VERDICT_MISSING:
		return "missing";
	case VERDICT_UNJUDGED:
		break;
	}
	return "unjudged";
}

static void member(struct report_json *j, const char *name, const char *text)
{
	fprintf(j->out, ", \"%s\": ", name);
	markup_json(j->out, text);
}

int report_json_open(struct report_json *j, const char *path, const char *command, uint32_t cases)
{
	*j = (struct report_json){ .path = path, .planned = cases };
	if (!path)
		return 0;
	if (asprintf(&j->part, "%s.part", path) < 0) {
		j->part = NULL;
		return -ENOMEM;
	}
	j->out = fopen(j->part, "w");
	if (!j->out) {
		int ret = -errno;

		free(j->part);
		j->part = NULL;
		return ret;
	}
	fputs("{\"format\": \"perfwake-report-1\"", j->out);
	member(j, "perfwake", perfwake_version);
	member(j, "command", command);
	fprintf(j->out, ", \"planned\": %" PRIu32 ", \"cases\": [", cases);
	return 0;
}

/* Begin a case. */
static void begin(struct report_json *j, const char *file, const struct wake_case *c, const char *outcome)
{
	fprintf(j->out, "%s\n{\"name\": ", j->cases++ ? "," : "");
	markup_json(j->out, c->name);
	member(j, "file", file);
	member(j, "outcome", outcome);
}

static void write_step(struct report_json *j, const struct report_case *r)
{
	const struct step *s = &r->wcase->steps[r->verdict->step];
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out) {
		trace_text_write_step(out, r->wcase, s);
		fclose(out);
	}
	fprintf(j->out, ", \"line\": %" PRIu32, s->line);
	member(j, "step", text);
	if (r->verdict->sample != VALUE_NO_SAMPLE)
		fprintf(j->out, ", \"sample\": %" PRIu32, r->verdict->sample);
	free(text);
}

static void write_witnesses(struct report_json *j, const struct report_case *r)
{
	static const char *const names[] = {
		[WITNESS_MODEL] = "expected", [WITNESS_PERSON] = "case_expects", [WITNESS_SEEN] = "seen",
	};
	FILE *out[WITNESSES] = { NULL };
	char *text[WITNESSES] = { NULL };
	size_t len[WITNESSES];
	bool good = true;

	for (int i = 0; i < WITNESSES; i++)
		good &= (out[i] = open_memstream(&text[i], &len[i])) != NULL;
	if (good)
		report_witnesses(out, r->wcase, r->trace, r->store, r->verdict);
	for (int i = 0; i < WITNESSES; i++) {
		if (out[i])
			fclose(out[i]);
		if (text[i] && *text[i])
			member(j, names[i], text[i]);
		free(text[i]);
	}
}

static void write_defects(struct report_json *j, uint32_t bits)
{
	const char *gap = "";

	fputs(", \"defects\": [", j->out);
	for (int i = 0; i < DEFECTS; i++) {
		if (bits & defects[i].bit) {
			fprintf(j->out, "%s\"%s\"", gap, defects[i].id);
			gap = ", ";
		}
	}
	fputc(']', j->out);
}

void report_json_case(struct report_json *j, const struct report_case *r)
{
	const struct verdict *v = r->verdict;
	char *again = NULL;

	if (!j->out)
		return;
	begin(j, r->file, r->wcase, outcome_word(v->kind));
	fprintf(j->out, ", \"compared\": %" PRIu64, v->judged);
	if (v->kind == VERDICT_DEFECT)
		write_defects(j, v->defects);
	if (v->kind == VERDICT_KERNEL || v->kind == VERDICT_EXPECTATION || v->kind == VERDICT_MISSING)
		write_step(j, r);
	if (v->kind == VERDICT_KERNEL || v->kind == VERDICT_EXPECTATION) {
		write_witnesses(j, r);
		member(j, "rule", rule_id(v->rule));
		member(j, "rule_text", rule_text(v->rule));
	}
	if (v->kind != VERDICT_PROVED && asprintf(&again, "perfwake %s %s", r->command, r->file) >= 0) {
		member(j, "again", again);
		free(again);
	}
	fputc('}', j->out);
}

void report_json_other(struct report_json *j, const char *file, const struct wake_case *c,
		       const char *outcome, const char *reason)
{
	if (!j->out)
		return;
	begin(j, file, c, outcome);
	member(j, "reason", reason);
	fputc('}', j->out);
}

int report_json_close(struct report_json *j, int status)
{
	int ret = 0;

	if (j->out) {
		fprintf(j->out, "\n], \"complete\": %s, \"status\": %d}\n",
			j->cases == j->planned ? "true" : "false", status);
		ret = ferror(j->out) ? -EIO : 0;
		if (fclose(j->out) && !ret)
			ret = -errno;
		if (!ret && rename(j->part, j->path))
			ret = -errno;
		if (ret)
			unlink(j->part);
	}
	free(j->part);
	*j = (struct report_json){ .path = j->path };
	return ret;
}

int open_json(const char *command, struct report_json *j, const char *path, uint32_t cases)
{
	int ret = report_json_open(j, path, command, cases);

	return ret ? complain("%s: --json %s: %s", command, path, strerror(-ret)) : 0;
}

int close_json(const char *command, struct report_json *j, int status)
{
	int ret = report_json_close(j, status);

	if (ret)
		complain("%s: --json %s: %s", command, j->path, strerror(-ret));
	return ret ? worse_status(status, EXIT_SETUP) : status;
}
