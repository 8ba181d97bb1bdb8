// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "commands.h"
#include "report_ktap.h"

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

static int replay_file(const struct trace_file *f, const char *path, uint32_t index, bool strict)
{
	struct verdict_workspace w;
	struct verdict v;

	if (verdict_workspace_alloc(&w, &f->wcase)) {
		report_ktap_set_up(stdout, index, path, &f->wcase, f->wcase.nsteps, "no memory");
		return EXIT_SETUP;
	}
	verdict_trace(&f->trace, &w, &v);
	report_ktap_case(stdout, index, &(struct report_case){
		.file = path,
		.command = "replay",
		.wcase = &f->wcase,
		.trace = &f->trace,
		.store = &w.store,
		.verdict = &v,
		.strict = strict,
	});
	verdict_workspace_free(&w);
	return verdict_status(&v, strict);
}

int command_replay(int argc, char **argv)
{
	struct case_list list;
	bool strict = false;
	int status;

	if (argc > 1 && !strcmp(argv[1], "--strict")) {
		strict = true;
		argc--;
		argv++;
	}
	if (argc < 2 || argv[1][0] == '-')
		return complain("replay: give recorded traces: perfwake replay FILE...");
	status = case_list_read(&list, argv + 1, argc - 1);
	for (uint32_t i = 0; !status && i < list.count; i++)
		if (!list.files[i]->observed)
			status = complain("%s: nothing was recorded in it; perform it with 'perfwake run'",
					  list.paths[i]);
	if (!status) {
		report_ktap_begin(stdout, list.count);
		for (uint32_t i = 0; i < list.count; i++)
			status = worse_status(status, replay_file(list.files[i], list.paths[i],
								  i + 1, strict));
	}
	case_list_free(&list);
	return status;
}
