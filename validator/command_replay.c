// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <string.h>

#include "commands.h"
#include "report_json.h"

int verdict_status(const struct verdict *v, bool strict)
{
	switch (v->kind) {
	case VERDICT_PROVED:
		return EXIT_PROVED;
	case VERDICT_DEFECT:
		return strict ? EXIT_RULE : EXIT_PROVED;
	case VERDICT_KERNEL:
	case VERDICT_EXPECTATION:
		return EXIT_RULE;
	case VERDICT_UNJUDGED:
	case VERDICT_MISSING:
		break;
	}
	return EXIT_SETUP;
}

struct replay_options {
	const char *json;	/* file, or NULL */
	bool strict;
};

static int replay_file(struct report_json *j, const struct trace_file *f, const char *path,
		       uint32_t index, bool strict)
{
	struct verdict_workspace w;
	struct report_case r;
	struct verdict v;

	if (verdict_workspace_alloc(&w, &f->wcase)) {
		report_ktap_set_up(stdout, index, path, &f->wcase, f->wcase.nsteps, "no memory");
		report_json_other(j, path, &f->wcase, "set-up", "no memory");
		return EXIT_SETUP;
	}
	verdict_trace(&f->trace, &w, &v);
	r = (struct report_case){
		.file = path,
		.command = "replay",
		.wcase = &f->wcase,
		.trace = &f->trace,
		.store = &w.store,
		.verdict = &v,
		.strict = strict,
	};
	report_ktap_case(stdout, index, &r);
	report_json_case(j, &r);
	verdict_workspace_free(&w);
	return verdict_status(&v, strict);
}

static int replay_files(const struct replay_options *o, const struct case_list *list)
{
	struct report_json json;
	int status = open_json("replay", &json, o->json, list->count);

	if (status)
		return status;
	report_ktap_begin(stdout, list->count);
	for (uint32_t i = 0; i < list->count; i++)
		status = worse_status(status, replay_file(&json, list->files[i], list->paths[i], i + 1,
							  o->strict));
	return close_json("replay", &json, status);
}

static int parse_options(struct replay_options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "strict", no_argument, NULL, 's' },
		{ 0 },
	};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (opt == 'j')
			o->json = optarg;
		else if (opt == 's')
			o->strict = true;
		else if (opt == ':')
			return complain("replay: %s needs a value", argv[optind - 1]);
		else
			return complain_option("replay", argv);
	}
	if (optind == argc)
		return complain("replay: give recorded traces: perfwake replay FILE...");
	return 0;
}

int command_replay(int argc, char **argv)
{
	struct replay_options o = { 0 };
	struct case_list list;
	int status = parse_options(&o, argc, argv);

	if (status)
		return status;
	status = case_list_read(&list, argv + optind, argc - optind);
	for (uint32_t i = 0; !status && i < list.count; i++)
		if (!list.files[i]->observed)
			status = complain("%s: nothing was recorded in it; perform it with 'perfwake run'",
					  list.paths[i]);
	if (!status)
		status = replay_files(&o, &list);
	case_list_free(&list);
	return status;
}
