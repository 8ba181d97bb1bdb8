// SPDX-License-Identifier: GPL-2.0
/*
 * What the reports print, byte for byte: for each NAME.trace of the folder NAME.ktap, and for each
 * row of a table NAME.predict. With --write the files are written: then read them, line by line.
 *
 *	test_golden FOLDER [--write]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prediction.h"
#include "report_ktap.h"
#include "support.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static bool write_files;

static char *read_file(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = calloc(1, 1 << 16);
	size_t len;

	if (!in || !text)
		tap_bail_out("%s: %s", path, strerror(errno));
	len = fread(text, 1, (1 << 16) - 1, in);
	if (len == (1 << 16) - 1 || ferror(in))
		tap_bail_out("%s cannot be read", path);
	fclose(in);
	return text;
}

/* Tell the first line that differs. */
static void check_same(const char *is, const char *golden)
{
	for (int line = 1;; line++) {
		int a = (int)strcspn(is, "\n"), b = (int)strcspn(golden, "\n");

		if (!tap_check(a == b && !memcmp(is, golden, (size_t)a) && is[a] == golden[b],
			       "line %d is  '%.*s', not '%.*s'", line, a, is, b, golden) || !is[a])
			return;
		is += a + 1;
		golden += b + 1;
	}
}

static void compare(const char *path, char *is)
{
	char *golden;

	if (write_files) {
		FILE *out = fopen(path, "w");

		if (!out || fputs(is, out) < 0 || fclose(out))
			tap_bail_out("%s: %s", path, strerror(errno));
	}
	golden = read_file(path);
	check_same(is, golden);
	free(golden);
	free(is);
}

/* The report of one trace, as perfwake replay prints it for this file alone. */
static char *ktap_text(const struct trace_file *f, const char *file)
{
	struct verdict_workspace w;
	struct verdict v;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out || verdict_workspace_alloc(&w, &f->wcase))
		tap_bail_out("no memory");
	verdict_trace(&f->trace, &w, &v);
	report_ktap_begin(out, 1);
	report_ktap_case(out, 1, &(struct report_case){
		.file = file,
		.command = "replay",
		.wcase = &f->wcase,
		.trace = &f->trace,
		.store = &w.store,
		.verdict = &v,
	});
	fclose(out);
	verdict_workspace_free(&w);
	return text;
}

static void check_traces(const char *folder)
{
	struct folder traces = folder_read(folder, ".trace");

	for (size_t i = 0; i < traces.count; i++) {
		const char *file = strrchr(traces.paths[i], '/') + 1;
		char path[4096];
		struct trace_file f;

		tap_begin("report of %s", file);
		path_to_file(traces.paths[i], &f);
		snprintf(path, sizeof(path), "%s/%s.ktap", folder, f.wcase.name);
		compare(path, ktap_text(&f, file));
		trace_file_free(&f);
	}
	folder_free(&traces);
}

/* What is not a difference: a full store, a set-up that failed, the end by a signal. */
static void check_other_reports(const char *folder)
{
	static const char text[] = "name full\nring 0 pages=1 wakeup_events=1\nlook 0 -> quiet\n";
	struct trace_file f;
	char path[4096], *out_text = NULL;
	size_t len = 0;
	FILE *out;

	text_to_file(text, &f);
	f.trace.store.full = true;
	snprintf(path, sizeof(path), "%s/full.ktap", folder);
	tap_begin("report of a trace that shows more than fits");
	compare(path, ktap_text(&f, "full.trace"));

	out = open_memstream(&out_text, &len);
	if (!out)
		tap_bail_out("no memory");
	report_ktap_set_up(out, 1, "full.case", &f.wcase, 0,
			   "emitting sample 0 failed: No such device");
	report_ktap_set_up(out, 2, "full.case", &f.wcase, f.wcase.nsteps, "no memory");
	report_ktap_bail_out(out, "interrupted");
	fclose(out);
	snprintf(path, sizeof(path), "%s/set-up.ktap", folder);
	tap_begin("report of a set-up that failed");
	compare(path, out_text);
	trace_file_free(&f);
}

static void check_predictions(const char *folder)
{
	static const struct {
		const char *name;
		struct prediction_input in;
	} table[] = {
		{ "cadence-4", { { .pages = 8, .threshold = 4 }, 8, 40 } },
		{ "cadence-100-one-page", { { .pages = 1, .threshold = 100 }, 8, 600 } },
		{ "one-of-one", { { .pages = 8, .threshold = 1 }, 8, 3 } },
		{ "beyond-the-ring", { { .pages = 1, .threshold = 1000 }, 4, 600 } },
		{ "no-count", { { .pages = 1 }, 4, 600 } },
		{ "negative", { { .pages = 8, .threshold = 1u << 31 }, 8, 5 } },
		{ "negative-half", { { .pages = 8, .threshold = 2147483650 }, 8, 24 } },
		{ "negative-few", { { .pages = 8, .threshold = 3000000000 }, 8, 24 } },
		{ "one-sample", { { .pages = 1, .threshold = 2 }, 2500, 1 } },
		{ "watermark-one", { { .pages = 1, .by_watermark = true, .threshold = 1 }, 8, 3 } },
		{ "never-fits", { { .pages = 1, .threshold = 1 }, 4077, 10 } },
		{ "too-few", { { .pages = 8, .threshold = 1000 }, 8, 37 } },
		{ "watermark", { { .pages = 1, .by_watermark = true, .threshold = 100 }, 8, 20 } },
		{ "watermark-zero", { { .pages = 1, .by_watermark = true }, 4, 300 } },
		{ "watermark-above-ring",
		  { { .pages = 1, .by_watermark = true, .threshold = 5000 }, 4, 300 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct prediction_input in = table[i].in;
		struct prediction p;
		char path[4096], *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		tap_begin("prediction: %s", table[i].name);
		in.ring.declared = true;
		if (!out || prediction_make(&in, &p))
			tap_bail_out("no memory");
		prediction_write(out, &in, &p);
		fclose(out);
		snprintf(path, sizeof(path), "%s/%s.predict", folder, table[i].name);
		compare(path, text);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		tap_bail_out("usage: test_golden FOLDER [--write]");
	write_files = argc > 2 && !strcmp(argv[2], "--write");
	check_traces(argv[1]);
	check_other_reports(argv[1]);
	check_predictions(argv[1]);
	return tap_done();
}
