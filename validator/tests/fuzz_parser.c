// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever the bytes: the parser refuses them with a place and a reason, or accepts a case that is
 * valid, is written and read back the same, and can be judged. For libFuzzer; with FUZZ_REPLAY
 * a program of its own that tries the files and folders named, and reports as KTAP.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace_text.h"

/* Beyond that, judging is skipped: time and memory are not what is looked for here. */
#define JUDGED_SAMPLES	20000u
#define JUDGED_RECORDS	(1u << 18)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void __attribute__((noreturn)) fault(const char *what, const char *text)
{
	fprintf(stderr, "fuzz_parser: %s\n%s\n", what, text);
	abort();
}

static char *write_text(const struct trace_file *f, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (!out)
		fault("no memory", "");
	trace_text_write(out, &f->wcase, f->observed ? &f->trace : NULL);
	if (fclose(out))
		fault("no memory", "");
	return text;
}

/* Written, read and written again it is the same text. */
static void check_round_trip(const struct trace_file *f)
{
	struct trace_file again;
	struct text_error err;
	size_t once_len, twice_len;
	char *once = write_text(f, &once_len), *twice;

	if (trace_text_parse(once, once_len, &again, &err))
		fault(err.reason, once);
	if (again.observed != f->observed || again.wcase.nsteps != f->wcase.nsteps)
		fault("steps or observations are gone", once);
	twice = write_text(&again, &twice_len);
	if (once_len != twice_len || memcmp(once, twice, once_len))
		fault("not the same when written again", twice);
	trace_file_free(&again);
	free(once);
	free(twice);
}

static void check_judging(const struct trace_file *f)
{
	const struct wake_case *c = &f->wcase;
	struct verdict_workspace w;
	struct verdict v;

	if (case_samples(c) > JUDGED_SAMPLES || model_records(c) > JUDGED_RECORDS)
		return;
	if (verdict_workspace_alloc(&w, c))
		fault("no memory", "");
	verdict_expectations(c, &w, &v);
	if (v.kind != VERDICT_PROVED && v.kind != VERDICT_EXPECTATION)
		fault("expectations are judged in another way", "");
	verdict_trace(&f->trace, &w, &v);
	if (v.kind == VERDICT_PROVED && (!v.judged || f->observed != c->nsteps))
		fault("proved although something was not seen", "");
	if (v.kind != VERDICT_PROVED && v.step > c->nsteps)
		fault("a difference behind the last step", "");
	verdict_workspace_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_file f;
	struct text_error err;
	uint32_t at;
	/* A copy of exactly that size, so that a sanitizer sees a byte read too far. */
	char *text = malloc(size ? size : 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	if (trace_text_parse(text, size, &f, &err)) {
		if (!err.line || !err.column || !err.reason[0])
			fault("refused without a place or a reason", err.reason);
		free(text);
		return 0;
	}
	free(text);
	if (case_validate(&f.wcase, &at))
		fault("accepted, but not valid", "");
	check_round_trip(&f);
	check_judging(&f);
	trace_file_free(&f);
	return 0;
}

#ifdef FUZZ_REPLAY
#include "support.h"
#include "tap.h"

static void try_file(const char *path)
{
	static uint8_t bytes[1 << 20];
	FILE *in = fopen(path, "r");
	size_t size;

	if (!in)
		tap_bail_out("%s cannot be read", path);
	size = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	LLVMFuzzerTestOneInput(bytes, size);
	/* Cut short, and with one bit turned. */
	for (size_t i = 0; i < size && i < 2000; i++) {
		LLVMFuzzerTestOneInput(bytes, i);
		bytes[i] ^= (uint8_t)(1u << i % 8);
		LLVMFuzzerTestOneInput(bytes, size);
		bytes[i] ^= (uint8_t)(1u << i % 8);
	}
	tap_check(true, "%s", path);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		tap_begin("parser: %s, whole, cut and bent", argv[i]);
		try_file(argv[i]);
	}
	return tap_done();
}
#endif
