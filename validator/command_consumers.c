// SPDX-License-Identifier: GPL-2.0
/* Which consumer does what on this kernel: a table, as Markdown, of cases and probes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "command_world.h"
#include "commands.h"
#include "consumer_probe.h"
#include "deviation.h"
#include "report_words.h"
#include "runner.h"
#include "trace_text.h"

#define ROWS_MAX 64

/* The table while it is filled in. */
struct table {
	const struct case_list *cases;
	enum answer answers[ROWS_MAX][CONSUMERS];	/* cases first, then probes */
	char head[CONSUMERS][80];	/* a column's; empty: the consumer cannot be had */
	char missing[CONSUMERS][240];	/* why not */
};

static const char *row_id(const struct table *t, uint32_t row)
{
	return row < t->cases->count ? t->cases->files[row]->wcase.name :
				       probes[row - t->cases->count].id;
}

/* What a case shows is said by its first line, "# TEXT". */
static const char *row_text(const struct table *t, uint32_t row)
{
	static char line[200];
	FILE *f;

	if (row >= t->cases->count)
		return probes[row - t->cases->count].text;
	f = fopen(t->cases->paths[row], "r");
	if (!f || !fgets(line, sizeof(line), f) || strncmp(line, "# ", 2))
		snprintf(line, sizeof(line), "# %s", row_id(t, row));
	if (f)
		fclose(f);
	line[strcspn(line, "\n")] = 0;
	return line + 2;
}

static uint32_t rows(const struct table *t)
{
	uint32_t n = t->cases->count;

	while (probes[n - t->cases->count].id)
		n++;
	return n;
}

/* --- asking */

/* Perform one case; what differs without being a known deviation is told in full. */
static enum answer ask_case(struct instruments *with, struct consumer *c,
			    const struct wake_case *as_written, const char *path)
{
	struct wake_case wc = *as_written;
	struct verdict_workspace w = { 0 };
	enum answer answer = ANSWER_NONE;
	struct runner_error err;
	struct trace t = { 0 };
	struct verdict v;

	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		wc.rings[id].consumer = c->kind;
	if (consumer_lacks(c, &wc))
		return ANSWER_NO;
	if (trace_alloc(&t, &wc) || verdict_workspace_alloc(&w, &wc)) {
		complain("consumers: no memory");
	} else if (runner_run(&wc, with, &t, &err)) {
		complain("consumers: %s: %s: %s", path, consumer_names[c->kind], err.reason);
	} else {
		verdict_trace(&t, &w, &v);
		answer = v.kind == VERDICT_PROVED ? ANSWER_YES :
			 verdict_status(&v, true) == EXIT_RULE ? ANSWER_ELSE : ANSWER_NONE;
		if (answer != ANSWER_YES && !deviation_of(c->kind, wc.name))
			report_difference(stderr, "perfwake: ", path, NULL, &wc, &t, &w.store,
					  &v);
	}
	verdict_workspace_free(&w);
	trace_free(&t);
	return answer;
}

static void ask_all(struct table *t, struct instruments *with, struct consumer *c)
{
	snprintf(t->head[c->kind], sizeof(t->head[0]), "%s %s", consumer_names[c->kind], c->version);
	for (uint32_t row = 0; row < rows(t); row++)
		t->answers[row][c->kind] = row < t->cases->count ?
			ask_case(with, c, &t->cases->files[row]->wcase, t->cases->paths[row]) :
			probes[row - t->cases->count].ask(c, &with->emitter);
}

static int ask_consumer(struct table *t, enum consumer_kind kind)
{
	uint32_t slots = consumer_slots(kind);
	struct instruments with;
	struct consumers all;
	struct consumer *c;
	const char *why;
	int status = open_instruments("consumers", &with, EMITTER_TEST_RUN, slots, WITNESS_NONE);

	if (status) {
		close_instruments(&with);
		return status;
	}
	with.consumers = &all;
	consumers_init(&all, with.emitter.slots_fd, slots);
	c = consumers_get(&all, kind, &why);
	if (c)
		ask_all(t, &with, c);
	else
		snprintf(t->missing[kind], sizeof(t->missing[0]), "%s", why);
	consumers_stop(&all);
	close_instruments(&with);
	die_of_signal();
	return 0;
}

/* --- writing */

/* One cell. Returns the status that it asks for. */
static int write_cell(const struct table *t, uint32_t row, enum consumer_kind kind)
{
	const struct deviation *d = deviation_of(kind, row_id(t, row));

	switch (t->answers[row][kind]) {
	case ANSWER_YES:
		printf(" yes%s |", d ? " (no longer a deviation)" : "");
		return 0;
	case ANSWER_NO:
		printf(" no |");
		return 0;
	case ANSWER_NOT_ASKED:
		printf(" – |");
		return 0;
	case ANSWER_ELSE:
		printf(" %s |", d ? d->id : "**unknown deviation**");
		return d ? 0 : EXIT_RULE;
	case ANSWER_NONE:
		break;
	}
	printf(" **failed** |");
	return EXIT_RULE;
}

static int write_rows(const struct table *t)
{
	int status = 0;

	printf("| behaviour |");
	for (enum consumer_kind kind = CONSUMER_RAW; kind < CONSUMERS; kind++)
		if (t->head[kind][0])
			printf(" %s |", t->head[kind]);
	printf("\n| --- |");
	for (enum consumer_kind kind = CONSUMER_RAW; kind < CONSUMERS; kind++)
		if (t->head[kind][0])
			printf(" --- |");
	printf("\n");
	for (uint32_t row = 0; row < rows(t); row++) {
		printf("| %s (`%s`) |", row_text(t, row), row_id(t, row));
		for (enum consumer_kind kind = CONSUMER_RAW; kind < CONSUMERS; kind++)
			if (t->head[kind][0])
				status = worse_status(status, write_cell(t, row, kind));
		printf("\n");
	}
	return status;
}

static void write_deviations(void)
{
	printf("\n## Deviations\n\nWhere a library does otherwise than it documents, or than its callers take it to.\n"
	       "The smallest case or probe is the row of the table that has the id.\n\n"
	       "| id | of | seen in | shown by | what |\n| --- | --- | --- | --- | --- |\n");
	for (const struct deviation *d = deviations; d->id; d++) {
		const char *gap = "";

		printf("| %s | ", d->id);
		for (enum consumer_kind kind = CONSUMER_RAW; kind < CONSUMERS; kind++) {
			if (d->consumers & 1u << kind) {
				printf("%s%s", gap, consumer_names[kind]);
				gap = ", ";
			}
		}
		printf(" | %s | `%s` | %s |\n", d->seen, d->shows, d->reason);
	}
}

static int write_table(const struct table *t)
{
	struct utsname u;
	int status;

	uname(&u);
	printf("# What consumers do\n\nWritten by `make consumers`, on Linux %s. \"no\": not offered, and a case that needs it is\n"
	       "skipped with the reason; \"–\": the question makes no sense for it; a word: a deviation, below.\n\n",
	       u.release);
	status = write_rows(t);
	for (enum consumer_kind kind = CONSUMER_RAW; kind < CONSUMERS; kind++)
		if (t->missing[kind][0])
			printf("\n%s could not be asked: %s\n", consumer_names[kind], t->missing[kind]);
	write_deviations();
	return status;
}

int command_consumers(int argc, char **argv)
{
	struct table *t = calloc(1, sizeof(*t));
	struct case_list list;
	cpu_set_t set;
	int status;

	if (argc < 2 || argv[1][0] == '-') {
		free(t);
		return complain("consumers: give the cases that it asks: perfwake consumers FILE...");
	}
	CPU_ZERO(&set);
	CPU_SET(0, &set);	/* probes emit there */
	status = case_list_read(&list, argv + 1, argc - 1);
	if (!status && (!t || sched_setaffinity(0, sizeof(set), &set)))
		status = complain("consumers: %s", strerror(errno));
	if (!status) {
		t->cases = &list;
		if (rows(t) > ROWS_MAX)
			status = complain("consumers: more than %u rows", ROWS_MAX);
	}
	for (enum consumer_kind kind = CONSUMER_RAW; !status && kind < CONSUMERS; kind++)
		status = ask_consumer(t, kind);
	if (!status)
		status = write_table(t);
	case_list_free(&list);
	free(t);
	return status;
}
