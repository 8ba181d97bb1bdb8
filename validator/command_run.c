// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_world.h"
#include "commands.h"
#include "deviation.h"
#include "report_json.h"
#include "runner.h"
#include "terminal.h"

struct run_options {
	enum emitter_kind emitter;
	enum witness_wish witness;
	enum injector_kind probe;	/* for cases that interrupt a sample */
	enum consumer_kind consumer;	/* of rings that do not name one */
	const char *traces;		/* folder for traces, or NULL */
	const char *json;		/* file, or NULL */
	bool strict;			/* a known defect or deviation is a failure */
};

/* What the cases of a run share, and how many were performed. */
struct run {
	const struct run_options *o;
	struct instruments with;
	struct consumers consumers;
	struct emitter module;	/* for cases that need the test module, unless @with has it */
	int module_status;	/* of opening it, 0 where no case needs it */
	struct report_json json;
	uint32_t performed;
};

/* The known deviation of the case's consumer that this case is the smallest of, or NULL. */
static const struct deviation *known_deviation(const struct wake_case *c)
{
	uint32_t id = 0;

	while (!c->rings[id].declared)
		id++;
	return deviation_of(c->rings[id].consumer, c->name);
}

static int judge(struct run *r, const char *path, const struct trace *t, uint32_t index)
{
	const struct run_options *o = r->o;
	const struct deviation *d = o->strict ? NULL : known_deviation(t->wcase);
	struct verdict_workspace w;
	char command[40] = "run";
	struct report_case report;
	struct verdict v;

	if (o->consumer != CONSUMER_RAW)
		snprintf(command, sizeof(command), "run --consumer %s", consumer_names[o->consumer]);
	if (verdict_workspace_alloc(&w, t->wcase)) {
		report_ktap_set_up(stdout, index, path, t->wcase, t->wcase->nsteps, "no memory");
		report_json_other(&r->json, path, t->wcase, "set-up", "no memory");
		return EXIT_SETUP;
	}
	verdict_trace(t, &w, &v);
	if (d && v.kind == VERDICT_PROVED)
		printf("# fixed: %s no longer shows\n", d->id);
	if (d && verdict_status(&v, true) == EXIT_RULE) {
		report_ktap_xfail(stdout, index, t->wcase, d->id, d->reason);
		report_json_other(&r->json, path, t->wcase, "deviation", d->id);
		verdict_workspace_free(&w);
		return 0;
	}
	report = (struct report_case){
		.file = path,
		.command = command,
		.wcase = t->wcase,
		.trace = t,
		.store = &w.store,
		.verdict = &v,
		.strict = o->strict,
	};
	report_ktap_case(stdout, index, &report);
	report_json_case(&r->json, &report);
	verdict_workspace_free(&w);
	return verdict_status(&v, o->strict);
}

/* Why a consumer of @c cannot do what the case wants, or NULL. */
static const char *lacks(struct run *r, const struct wake_case *c)
{
	const char *why = NULL, *missing;

	for (uint32_t id = 0; !why && id < CASE_MAX_RINGS; id++) {
		const struct ring_spec *ring = &c->rings[id];
		struct consumer *consumer = ring->declared ?
			consumers_get(&r->consumers, ring->consumer, &missing) : NULL;

		if (consumer)
			why = consumer_lacks(consumer, c);
	}
	return why;
}

/* Where a case needs it; that it is not to be had is told of each such case. */
static void open_module(struct run *r, const struct case_list *list)
{
	bool needed = false;

	for (uint32_t i = 0; i < list->count; i++)
		needed |= case_needs_module(&list->files[i]->wcase);
	if (needed && r->o->emitter != EMITTER_MODULE)
		r->module_status = emitter_open(&r->module, EMITTER_MODULE);
}

/* Why the machine cannot perform @c, or NULL. */
static const char *lacks_module(const struct run *r, const struct wake_case *c)
{
	if (!case_needs_module(c) || r->o->emitter == EMITTER_MODULE)
		return NULL;
	if (r->module_status == -ENOENT)
		return "the test module is not loaded (vm/build-module makes it)";
	return r->o->consumer == CONSUMER_RAW ? NULL : "this consumer needs --emitter module for it";
}

/* With the module's emitter where @c needs it. Returns as runner_run() does. */
static int perform(struct run *r, const struct wake_case *c, struct trace *t,
		   struct runner_error *err)
{
	struct instruments by_module;

	if (!case_needs_module(c) || r->o->emitter == EMITTER_MODULE)
		return runner_run(c, &r->with, t, err);
	*err = (struct runner_error){ .step = c->nsteps };
	if (r->module_status) {
		snprintf(err->reason, sizeof(err->reason), "%s failed: %s", r->module.failed,
			 strerror(-r->module_status));
		return r->module_status;
	}
	by_module = r->with;
	by_module.emitter = r->module;
	by_module.consumers = NULL;	/* ours, in the slots of that emitter */
	return runner_run(c, &by_module, t, err);
}

static int run_case(struct run *r, const struct wake_case *as_written, const char *path,
		    uint32_t index)
{
	struct wake_case c = *as_written;
	struct runner_error err;
	const char *why;
	struct trace t;
	int ret, status;

	/* The trace says who read. */
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		if (!c.rings[id].consumer)
			c.rings[id].consumer = r->o->consumer;
	why = lacks_module(r, &c);
	if (!why)
		why = lacks(r, &c);
	if (why) {
		report_ktap_skip(stdout, index, &c, why);
		report_json_other(&r->json, path, &c, "skipped", why);
		return 0;
	}
	if (trace_alloc(&t, &c)) {
		report_ktap_set_up(stdout, index, path, &c, c.nsteps, "no memory");
		report_json_other(&r->json, path, &c, "set-up", "no memory");
		return EXIT_SETUP;
	}
	ret = perform(r, &c, &t, &err);
	if (ret == -EOPNOTSUPP && case_needs_module(&c)) {
		report_ktap_skip(stdout, index, &c, err.reason);
		report_json_other(&r->json, path, &c, "skipped", err.reason);
		trace_free(&t);
		return 0;
	}
	r->performed++;
	if (ret && ret != -EINTR) {
		report_ktap_set_up(stdout, index, path, &c, err.step, err.reason);
		report_json_other(&r->json, path, &c, "set-up", err.reason);
	}
	status = ret ? EXIT_SETUP : judge(r, path, &t, index);
	if (r->o->traces && write_trace(r->o->traces, &t))
		status = worse_status(status, EXIT_SETUP);
	trace_free(&t);
	return status;
}

/* The consumer that was asked for has to be there; others only when a case names them. */
static int open_consumers(struct run *r)
{
	const char *why;

	r->with.consumers = &r->consumers;
	if (consumers_get(&r->consumers, r->o->consumer, &why))
		return 0;
	return complain("run: --consumer %s: %s", consumer_names[r->o->consumer], why);
}

static void report_consumer(struct run *r)
{
	const struct consumer *c = &r->consumers.by_kind[r->o->consumer];

	if (c->kind != CONSUMER_RAW)
		printf("# consumer %s %s: %" PRIu32 " cases performed, %" PRIu64 " callbacks\n",
		       consumer_names[c->kind], c->version, r->performed, c->callbacks);
}

static int run_cases(const struct run_options *o, const struct case_list *list)
{
	struct run r = { .o = o };
	int status = open_instruments("run", &r.with, o->emitter, consumer_slots(o->consumer),
				      o->witness);

	consumers_init(&r.consumers, r.with.emitter.slots_fd, consumer_slots(o->consumer));
	if (!status)
		status = open_consumers(&r);
	for (uint32_t i = 0; !status && i < list->count; i++)
		if (case_interrupted(&list->files[i]->wcase) && !r.with.injector.bpf)
			status = open_injector("run", &r.with, o->probe);
	if (!status)
		status = open_json("run", &r.json, o->json, list->count);
	if (!status) {
		open_module(&r, list);
		report_ktap_begin(stdout, list->count);
		for (uint32_t i = 0; i < list->count && !runner_stopped(); i++) {
			if (!terminal_can_progress(stdout))
				terminal_progress(stderr, "%" PRIu32 " of %" PRIu32 ": %s ", i + 1,
						  list->count, list->files[i]->wcase.name);
			status = worse_status(status, run_case(&r, &list->files[i]->wcase,
							       list->paths[i], i + 1));
		}
		terminal_clear(stderr);
		report_consumer(&r);
		if (!r.performed && !runner_stopped())
			status = complain("run: nothing was judged: none of these cases can be performed here");
		status = close_json("run", &r.json, status);
	}
	consumers_stop(&r.consumers);
	if (r.module.kind == EMITTER_MODULE)
		emitter_close(&r.module);
	close_instruments(&r.with);
	die_of_signal();
	return status;
}

/* Traces are named after cases, so names have to differ. */
static int check_names(const struct case_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(list->files[i]->wcase.name, list->files[j]->wcase.name))
				return complain("%s and %s: both are named %s; give one another name",
						list->paths[j], list->paths[i],
						list->files[i]->wcase.name);
	return 0;
}

static int parse_options(struct run_options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "emitter", required_argument, NULL, 'e' },
		{ "consumer", required_argument, NULL, 'c' },
		{ "traces", required_argument, NULL, 't' },
		{ "witness", no_argument, NULL, 'w' },
		{ "no-witness", no_argument, NULL, 'n' },
		{ "strict", no_argument, NULL, 's' },
		{ "json", required_argument, NULL, 'j' },
		{ "probe", required_argument, NULL, 'p' },
		{ 0 },
	};
	struct stat st;
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		switch (opt) {
		case 'e':
			if (option_emitter("run", optarg, &o->emitter))
				return EXIT_SETUP;
			break;
		case 'c':
			if (option_consumer("run", optarg, &o->consumer))
				return EXIT_SETUP;
			break;
		case 't':
			o->traces = optarg;
			break;
		case 'w':
			o->witness = WITNESS_REQUIRED;
			break;
		case 'n':
			o->witness = WITNESS_NONE;
			break;
		case 'p':
			if (option_probe("run", optarg, &o->probe))
				return EXIT_SETUP;
			break;
		case 's':
			o->strict = true;
			break;
		case 'j':
			o->json = optarg;
			break;
		case ':':
			return complain("run: %s needs a value", argv[optind - 1]);
		default:
			return complain_option("run", argv);
		}
	}
	if (optind == argc)
		return complain("run: give case files: perfwake run FILE...");
	if (o->traces && !stat(o->traces, &st) && !S_ISDIR(st.st_mode))
		return complain("run: --traces %s: %s", o->traces, strerror(ENOTDIR));
	if (o->traces && access(o->traces, W_OK | X_OK))
		return complain("run: --traces %s: %s", o->traces, strerror(errno));
	return 0;
}

int command_run(int argc, char **argv)
{
	struct run_options o = { .consumer = CONSUMER_RAW };
	struct case_list list;
	int status = parse_options(&o, argc, argv);

	if (status)
		return status;
	status = case_list_read(&list, argv + optind, argc - optind);
	if (!status)
		status = check_names(&list);
	if (!status)
		status = run_cases(&o, &list);
	case_list_free(&list);
	return status;
}
