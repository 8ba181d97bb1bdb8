// SPDX-License-Identifier: GPL-2.0
/*
 * Many traces without a kernel: random cases of perfwake fuzz, observed on the model, some of them
 * falsified. And the results.ktap that a guest would have written about them.
 *
 *	make_traces FOLDER COUNT FALSE-OF-1000
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "flip.h"
#include "fuzz.h"
#include "trace_text.h"

static void die(const char *what)
{
	fprintf(stderr, "make_traces: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* The trace of a kernel without faults. */
static void observe(struct fuzz_case *f)
{
	value_store_clear(&f->trace.store);
	model_init(&f->work.model, &f->wcase, model_kernel(0), f->work.records);
	for (uint32_t i = 0; i < f->wcase.nsteps; i++)
		model_step(&f->work.model, &f->wcase.steps[i], VALUE_NO_SAMPLE, &f->trace.store,
			   &f->trace.seen[i]);
	if (f->trace.store.full)
		die("more was seen than fits");
}

/* Falsify the first value behind step @from that can be. */
static bool falsify(struct fuzz_case *f, uint32_t from)
{
	uint32_t first = 0;
	struct flip told;

	for (uint32_t i = 0; i < f->wcase.nsteps; i++) {
		const struct step *s = &f->wcase.steps[i];
		struct value *v = &f->trace.seen[i], flipped;

		for (uint32_t way = 0; i >= from && way < flip_ways(v); way++) {
			if (!flip_value(&f->trace.store, v, s, first, way, &flipped, &told))
				continue;
			*v = flipped;
			return true;
		}
		first += s->kind == STEP_EMIT ? s->count : 0;
	}
	return false;
}

static void write_case(const struct fuzz_case *f, const char *folder)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/traces/%s.trace", folder, f->wcase.name);
	out = fopen(path, "w");
	if (!out)
		die(path);
	trace_text_write(out, &f->wcase, &f->trace);
	if (fclose(out))
		die(path);
}

int main(int argc, char **argv)
{
	static struct fuzz_case f;
	uint32_t count, part, failed = 0;
	char path[4096];
	FILE *ktap;

	if (argc != 4) {
		fputs("usage: make_traces FOLDER COUNT FALSE-OF-1000\n", stderr);
		return 2;
	}
	count = (uint32_t)strtoul(argv[2], NULL, 10);
	part = (uint32_t)strtoul(argv[3], NULL, 10);
	snprintf(path, sizeof(path), "%s/traces", argv[1]);
	if (mkdir(argv[1], 0777) || mkdir(path, 0777))
		die(path);
	snprintf(path, sizeof(path), "%s/results.ktap", argv[1]);
	ktap = fopen(path, "w");
	if (!ktap || fuzz_case_open(&f))
		die(path);
	fprintf(ktap, "KTAP version 1\n1..1\n# made by make_traces\n  KTAP version 1\n  1..%u\n", count);
	for (uint32_t i = 0; i < count; i++) {
		bool bad;

		fuzz_generate(&f, i + 1, 2);
		observe(&f);
		bad = i % 1000 < part && falsify(&f, f.wcase.nsteps / 2);
		write_case(&f, argv[1]);
		fprintf(ktap, "  %sok %u %s\n", bad ? "not " : "", i + 1, f.wcase.name);
		failed += bad;
	}
	fprintf(ktap, "%sok 1 fuzz\n# status %d\n", failed ? "not " : "", failed ? 1 : 0);
	printf("%u traces, %u falsified\n", count, failed);
	return fclose(ktap) ? 2 : 0;
}
