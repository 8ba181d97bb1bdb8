// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command_world.h"
#include "commands.h"
#include "fuzz.h"
#include "report_ktap.h"
#include "terminal.h"

#define SHRINK_ATTEMPTS 3000

struct fuzz_options {
	uint64_t seed;
	uint64_t ops;			/* steps, a sample counting as one; 0: no bound */
	uint64_t time_s;		/* 0: no bound */
	enum emitter_kind emitter;
	enum witness_wish witness;
	const char *traces;
};

/* What a run has reached: which outcomes of which kinds of step were seen. */
struct fuzz_reach {
	uint64_t cases, steps, samples, refused, wakes, lost;
	bool code[STEP_KINDS][CODES];
	bool look[VIAS][READINESS_ERR + 1];
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void reach_add(struct fuzz_reach *r, const struct fuzz_case *f)
{
	const struct wake_case *c = &f->wcase;
	const struct value_store *st = &f->trace.store;

	r->cases++;
	r->steps += f->verdict.judged;
	for (uint32_t i = 0; i < c->nsteps; i++) {
		const struct value *v = &f->trace.seen[i];

		for (uint32_t k = 0; k < v->codes.count; k++) {
			const struct code_run *run = &st->codes[v->codes.start + k];

			r->code[c->steps[i].kind][run->code] = true;
			if (c->steps[i].kind == STEP_EMIT)
				*(run->code ? &r->refused : &r->samples) += run->count;
		}
		if (v->has & VALUE_READINESS)
			r->look[c->steps[i].via][v->readiness] = true;
		for (uint32_t k = 0; k < v->ready_at.count; k++) {
			const struct range *at = &st->ready_at[v->ready_at.start + k];

			r->wakes += at->last - at->first + 1;
		}
		r->wakes += (v->has & VALUE_READINESS) && v->readiness == READINESS_READY;
		r->lost += v->lost;
	}
}

/* Outcomes that the generated steps can have by the rules: a code, or what a look finds. */
static const struct {
	enum step_kind kind;
	enum code code;
} code_outcomes[] = {
	{ STEP_EMIT, CODE_OK },		{ STEP_EMIT, CODE_ENOSPC },
	{ STEP_EMIT, CODE_ENOENT },	{ STEP_EMIT, CODE_EOPNOTSUPP },
	{ STEP_EMIT, CODE_E2BIG },	{ STEP_PAUSE, CODE_OK },
	{ STEP_PAUSE, CODE_EINVAL },	{ STEP_RESUME, CODE_OK },
	{ STEP_RESUME, CODE_EINVAL },	{ STEP_DISABLE, CODE_OK },
	{ STEP_ENABLE, CODE_OK },	{ STEP_REMAP, CODE_OK },
	{ STEP_REMAP, CODE_EINVAL },	{ STEP_UNMAP, CODE_OK },
	{ STEP_UNMAP, CODE_EINVAL },	{ STEP_MAP, CODE_OK },
	{ STEP_MAP, CODE_EBUSY },	{ STEP_DROP_SLOT, CODE_OK },
	{ STEP_DROP_SLOT, CODE_ENOENT }, { STEP_REDIRECT, CODE_OK },
	{ STEP_REDIRECT, CODE_EINVAL },
};

/* EPOLL_CTL_MOD swallows every ready, and an outer epoll only knows ready. */
static bool look_possible(enum look_via via, enum readiness readiness)
{
	return !(via == VIA_MOD && readiness == READINESS_READY) &&
	       !(via == VIA_NESTED && readiness == READINESS_HUP);
}

static void reach_write(FILE *out, const struct fuzz_reach *r)
{
	size_t n = sizeof(code_outcomes) / sizeof(code_outcomes[0]), all = n, seen = 0;

	for (size_t i = 0; i < n; i++)
		seen += r->code[code_outcomes[i].kind][code_outcomes[i].code];
	for (enum look_via via = 0; via < VIAS; via++) {
		for (enum readiness k = READINESS_QUIET; k <= READINESS_HUP; k++) {
			all += look_possible(via, k);
			seen += r->look[via][k];
		}
	}
	fprintf(out, "%" PRIu64 " cases, %" PRIu64 " steps: %" PRIu64 " samples, %" PRIu64
		" refused, %" PRIu64 " wakes, %" PRIu64 " told lost; %zu of %zu outcomes",
		r->cases, r->steps, r->samples, r->refused, r->wakes, r->lost, seen, all);
}

/* Lines as write_trace() writes them: name, kernel, the rings, then one a step. */
static void number_lines(struct wake_case *c)
{
	uint32_t line = 3;

	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		line += c->rings[id].declared;
	for (uint32_t i = 0; i < c->nsteps; i++)
		c->steps[i].line = line++;
}

/*
 * The case that differs: its trace and its difference at once, then shrunk. One that does not differ
 * again keeps the trace of the first time.
 */
static int report_find(const struct fuzz_options *o, struct fuzz_case *f,
		       struct instruments *with)
{
	struct report_case r = {
		.command = "run",
		.wcase = &f->wcase,
		.trace = &f->trace,
		.store = &f->work.store,
		.verdict = &f->verdict,
	};
	struct runner_error err;
	uint32_t steps = f->wcase.nsteps;
	char path[4096];
	int tries;

	snprintf(path, sizeof(path), "%s/%s.trace", o->traces, f->wcase.name);
	r.file = path;
	number_lines(&f->wcase);
	if (write_trace(o->traces, &f->trace))
		return EXIT_SETUP;
	report_difference(stdout, "# first    ", path, "replay", r.wcase, r.trace, r.store, r.verdict);
	tries = fuzz_shrink(f, with, SHRINK_ATTEMPTS, &err);
	if (tries < 0)
		return complain("fuzz: shrinking failed: %s", err.reason);
	if (f->verdict.kind != VERDICT_KERNEL) {
		printf("# it did not differ again; the trace is that of the first time\nnot ok 1 %s\n",
		       f->wcase.name);
		return EXIT_RULE;
	}
	printf("# shrunk from %" PRIu32 " steps to %" PRIu32 " in %d tries\n", steps,
	       f->wcase.nsteps, tries);
	number_lines(&f->wcase);
	if (write_trace(o->traces, &f->trace))
		return EXIT_SETUP;
	report_ktap_case(stdout, 1, &r);
	return EXIT_RULE;
}

static int fuzz(const struct fuzz_options *o, struct fuzz_case *f, struct instruments *with)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t start = now_ms(), ms = 0;
	struct fuzz_reach reach = { 0 };
	struct runner_error err;
	int status = EXIT_PROVED;

	report_ktap_begin(stdout, 1);
	printf("# seed %" PRIu64 ", emitter %s\n", o->seed, emitter_name(o->emitter));
	for (uint64_t i = 0; status == EXIT_PROVED && !runner_stopped(); i++) {
		ms = now_ms() - start;
		if ((o->ops && reach.steps >= o->ops) || (o->time_s && ms >= o->time_s * 1000))
			break;
		fuzz_generate(f, o->seed + i, cpus);
		if (fuzz_perform(f, with, &err))
			return runner_stopped() ? EXIT_SETUP :
						  complain("fuzz: %s: %s", f->wcase.name, err.reason);
		if (f->verdict.kind == VERDICT_PROVED)
			reach_add(&reach, f);
		else
			status = report_find(o, f, with);
		terminal_progress(stderr, "%" PRIu64 " cases, %" PRIu64 " steps, %" PRIu64 " wakes, %" PRIu64
				  " s ", reach.cases, reach.steps, reach.wakes, ms / 1000);
	}
	terminal_clear(stderr);
	printf("# ");
	reach_write(stdout, &reach);
	printf("; %" PRIu64 " steps/s\n", reach.steps * 1000 / (ms ? ms : 1));
	if (status == EXIT_PROVED)
		printf("ok 1 fuzz-%" PRIx64 "\n", o->seed);
	return status;
}

static int option_number(const char *name, const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (text[0] < '0' || text[0] > '9' || *end || errno)
		return complain("fuzz: --%s %s: a number is expected", name, text);
	return 0;
}

static int parse_options(struct fuzz_options *o, int argc, char **argv)
{
	enum { OPT_SEED, OPT_OPS, OPT_TIME, OPT_EMITTER, OPT_TRACES, OPT_NO_WITNESS };
	static const struct option longs[] = {
		{ "seed", required_argument, NULL, OPT_SEED },
		{ "ops", required_argument, NULL, OPT_OPS },
		{ "time", required_argument, NULL, OPT_TIME },
		{ "emitter", required_argument, NULL, OPT_EMITTER },
		{ "traces", required_argument, NULL, OPT_TRACES },
		{ "no-witness", no_argument, NULL, OPT_NO_WITNESS },
		{ 0 },
	};
	int opt, status = 0;

	opterr = 0;
	while (!status && (opt = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (opt == ':')
			status = complain("fuzz: %s needs a value", argv[optind - 1]);
		else if (opt == OPT_SEED)
			status = option_number("seed", optarg, &o->seed);
		else if (opt == OPT_OPS)
			status = option_number("ops", optarg, &o->ops);
		else if (opt == OPT_TIME)
			status = option_number("time", optarg, &o->time_s);
		else if (opt == OPT_EMITTER)
			status = option_emitter("fuzz", optarg, &o->emitter);
		else if (opt == OPT_TRACES)
			o->traces = optarg;
		else if (opt == OPT_NO_WITNESS)
			o->witness = WITNESS_NONE;
		else
			status = complain("fuzz: unknown option %s; see perfwake --help",
					  argv[optind - 1]);
	}
	if (!status && optind != argc)
		status = complain("fuzz: '%s': no word is expected here", argv[optind]);
	if (!status && !o->ops && !o->time_s)
		o->time_s = 10;
	return status;
}

int command_fuzz(int argc, char **argv)
{
	struct fuzz_options o = { .seed = (uint64_t)time(NULL), .traces = "." };
	struct fuzz_case *f;
	struct instruments with;
	int status = parse_options(&o, argc, argv);

	if (status)
		return status;
	f = malloc(sizeof(*f));
	if (!f || fuzz_case_open(f)) {
		free(f);
		return complain("fuzz: no memory");
	}
	status = open_instruments("fuzz", &with, o.emitter, CASE_MAX_RINGS, o.witness);
	if (!status)
		status = fuzz(&o, f, &with);
	close_instruments(&with);
	fuzz_case_close(f);
	free(f);
	die_of_signal();
	return status;
}
