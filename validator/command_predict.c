// SPDX-License-Identifier: GPL-2.0
/* Where a ring will wake, from the model alone: no rights, no kernel. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "prediction.h"
#include "report_words.h"
#include "trace_text.h"

/* Write @c with each step's expectation replaced by what the model says. */
static void write_predicted(const struct wake_case *c, struct verdict_workspace *w, struct trace *t)
{
	struct wake_case predicted = *c;

	model_init(&w->model, c, model_kernel(0), w->records);
	for (uint32_t i = 0; i < c->nsteps; i++) {
		model_step(&w->model, &c->steps[i], VALUE_NO_SAMPLE, &t->store, &t->seen[i]);
		t->seen[i].has &= ~(uint32_t)(VALUE_HEAD | VALUE_WAKES); /* true, but nobody writes it by hand */
		predicted.steps[i].expect = t->seen[i];
	}
	predicted.expected = t->store;
	trace_text_write(stdout, &predicted, NULL);
}

static int predict_file(const char *path)
{
	char *paths[] = { (char *)path };
	struct verdict_workspace w = { 0 };
	struct case_list list;
	struct trace t = { 0 };
	struct verdict v;
	int status = case_list_read(&list, paths, 1);

	if (!status && list.count != 1)
		status = complain("predict: %s: one file at a time", path);
	if (!status && (verdict_workspace_alloc(&w, &list.files[0]->wcase) ||
			trace_alloc(&t, &list.files[0]->wcase)))
		status = complain("predict: %s: no memory", path);
	if (!status) {
		const struct wake_case *c = &list.files[0]->wcase;

		verdict_expectations(c, &w, &v);
		status = verdict_status(&v, false);
		if (status)
			report_difference(stderr, "perfwake: ", path, NULL, c, NULL, &w.store, &v);
		else
			write_predicted(c, &w, &t);
	}
	trace_free(&t);
	verdict_workspace_free(&w);
	case_list_free(&list);
	return status;
}

static int option_number(const char *name, const char *text, uint32_t min, uint32_t max,
			 uint32_t *value)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || v < min || v > max)
		return complain("predict: --%s %s: a number from %" PRIu32 " to %" PRIu32
				" is expected", name, text, min, max);
	*value = (uint32_t)v;
	return 0;
}

enum { OPT_WAKEUP_EVENTS, OPT_WATERMARK, OPT_PAGES, OPT_SIZE, OPT_SAMPLES };

static int parse_options(struct prediction_input *in, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "wakeup-events", required_argument, NULL, OPT_WAKEUP_EVENTS },
		{ "watermark", required_argument, NULL, OPT_WATERMARK },
		{ "pages", required_argument, NULL, OPT_PAGES },
		{ "size", required_argument, NULL, OPT_SIZE },
		{ "samples", required_argument, NULL, OPT_SAMPLES },
		{ 0 },
	};
	/* Where each option's number goes, and its range. */
	const struct {
		uint32_t *value;
		uint32_t min, max;
	} to[] = {
		[OPT_WAKEUP_EVENTS] = { &in->ring.threshold, 0, UINT32_MAX },
		[OPT_WATERMARK] = { &in->ring.threshold, 0, UINT32_MAX },
		[OPT_PAGES] = { &in->ring.pages, 1, CASE_MAX_PAGES },
		[OPT_SIZE] = { &in->size, CASE_MIN_SIZE, CASE_MAX_SIZE },
		[OPT_SAMPLES] = { &in->samples, 1, CASE_MAX_SAMPLES },
	};
	bool given[5] = { false };
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (opt == ':')
			return complain("predict: %s needs a value", argv[optind - 1]);
		if (opt == '?')
			return complain_option("predict", argv);
		if (option_number(longs[opt].name, optarg, to[opt].min, to[opt].max,
				  to[opt].value))
			return EXIT_SETUP;
		given[opt] = true;
	}
	if (optind != argc)
		return complain("predict: either one FILE or options, not both");
	if (given[OPT_WAKEUP_EVENTS] == given[OPT_WATERMARK])
		return complain("predict: give one of --wakeup-events and --watermark");
	if (in->ring.pages & (in->ring.pages - 1))
		return complain("predict: --pages %" PRIu32 ": a power of two is expected",
				in->ring.pages);
	in->ring.by_watermark = given[OPT_WATERMARK];
	return 0;
}

int command_predict(int argc, char **argv)
{
	struct prediction_input in = {
		.ring = { .pages = 8, .declared = true },
		.size = 8,
		.samples = 10000,
	};
	struct prediction p;
	int status;

	if (argc == 2 && argv[1][0] != '-')
		return predict_file(argv[1]);
	if (argc < 2)
		return complain("predict: give a case file, or --wakeup-events N --pages P --size S");
	status = parse_options(&in, argc, argv);
	if (status)
		return status;
	if (prediction_make(&in, &p))
		return complain("predict: no memory");
	prediction_write(stdout, &in, &p);
	return 0;
}
