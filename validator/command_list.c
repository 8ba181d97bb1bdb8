// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "commands.h"
#include "deviation.h"
#include "emitter.h"
#include "report_words.h"

/* What this build knows: steps of case files, ways to emit, who reads, rules it judges by. */
static void list_words(void)
{
	printf("steps\n");
	for (enum step_kind kind = STEP_EMIT; kind < STEP_KINDS; kind++)
		printf("  %s\n", step_kind_name(kind));
	printf("emitters\n");
	for (enum emitter_kind kind = EMITTER_TEST_RUN; kind < EMITTERS; kind++)
		printf("  %s\n", emitter_name(kind));
	printf("consumers\n");
	for (enum consumer_kind kind = CONSUMER_RAW; kind < CONSUMERS; kind++)
		printf("  %s\n", consumer_names[kind]);
	printf("deviations\n");
	for (const struct deviation *d = deviations; d->id; d++)
		printf("  %s  %s\n", d->id, d->reason);
	printf("contexts\n");
	for (uint32_t i = 0; from_names[i]; i++)
		printf("  %s\n", from_names[i]);
	printf("rules\n");
	for (enum rule rule = RULE_NONE + 1; rule < RULES; rule++)
		printf("  %s  %s\n", rule_id(rule), rule_text(rule));
}

int command_list(int argc, char **argv)
{
	struct case_list list;
	int status;

	if (argc > 1 && argv[1][0] == '-')
		return complain("list: unknown option %s; see perfwake --help", argv[1]);
	if (argc == 1) {
		list_words();
		return 0;
	}
	status = case_list_read(&list, argv + 1, argc - 1);
	for (uint32_t i = 0; i < list.count; i++) {
		const struct wake_case *c = &list.files[i]->wcase;
		uint32_t rings = 0;

		for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
			rings += c->rings[id].declared;
		printf("%-32s %2" PRIu32 " ring%s %4" PRIu32 " step%s %7" PRIu32 " samples  %s\n",
		       c->name, rings, rings == 1 ? " " : "s", c->nsteps,
		       c->nsteps == 1 ? " " : "s", case_samples(c), list.paths[i]);
	}
	case_list_free(&list);
	return status;
}
