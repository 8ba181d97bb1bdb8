// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "report_ktap.h"
#include "runner.h"

struct run_options {
	enum emitter_kind emitter;
	const char *traces;		/* folder for traces, or NULL */
};

static volatile sig_atomic_t signalled;

static void on_signal(int sig)
{
	signalled = sig;
	runner_stop();
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

/* FOLDER/NAME.trace, complete or not at all. */
static int write_trace(const char *folder, const struct trace *t)
{
	char path[4096], part[4096 + 8];
	FILE *out;
	bool failed;

	if (snprintf(path, sizeof(path), "%s/%s.trace", folder, t->wcase->name) >=
	    (int)sizeof(path))
		return complain("%s: the name is too long", folder);
	snprintf(part, sizeof(part), "%s.part", path);
	out = fopen(part, "w");
	if (!out)
		return complain("%s: cannot be written: %s", part, strerror(errno));
	trace_text_write(out, t->wcase, t);
	failed = ferror(out);
	if (fclose(out) || failed || rename(part, path)) {
		complain("%s: cannot be written: %s", path, strerror(errno));
		unlink(part);
		return EXIT_SETUP;
	}
	return 0;
}

static int judge(const char *path, const struct trace *t, uint32_t index)
{
	struct verdict_workspace w;
	struct verdict v;

	if (verdict_workspace_alloc(&w, t->wcase)) {
		report_ktap_set_up(stdout, index, path, t->wcase, t->wcase->nsteps, "no memory");
		return EXIT_SETUP;
	}
	verdict_trace(t, &w, &v);
	report_ktap_case(stdout, index, &(struct report_case){
		.file = path,
		.command = "run",
		.wcase = t->wcase,
		.trace = t,
		.store = &w.store,
		.verdict = &v,
	});
	verdict_workspace_free(&w);
	return verdict_status(&v);
}

static int run_case(const struct run_options *o, struct emitter *e, const struct wake_case *c,
		    const char *path, uint32_t index)
{
	struct runner_error err;
	struct trace t;
	int ret, status;

	if (trace_alloc(&t, c)) {
		report_ktap_set_up(stdout, index, path, c, c->nsteps, "no memory");
		return EXIT_SETUP;
	}
	ret = runner_run(c, e, &t, &err);
	if (ret && ret != -EINTR)
		report_ktap_set_up(stdout, index, path, c, err.step, err.reason);
	status = ret ? EXIT_SETUP : judge(path, &t, index);
	if (o->traces && write_trace(o->traces, &t))
		status = worse_status(status, EXIT_SETUP);
	trace_free(&t);
	return status;
}

static int complain_emitter(const struct emitter *e, int ret)
{
	const char *hint = "";

	if (ret == -EPERM || ret == -EACCES)
		hint = ": run as root, or with CAP_BPF and CAP_PERFMON";
	else if (ret == -ENOENT && e->kind == EMITTER_ATTACHED)
		hint = ": mount tracefs at /sys/kernel/tracing, in a kernel with CONFIG_FTRACE_SYSCALLS";
	else if (ret == -EINVAL || ret == -EOPNOTSUPP || ret == -524 /* ENOTSUPP */)
		hint = ": this kernel lacks the feature; 5.10 or later with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS is needed";
	return complain("run: %s failed: %s%s", e->failed, strerror(-ret), hint);
}

static int run_cases(const struct run_options *o, const struct case_list *list)
{
	struct emitter e;
	int ret, status = EXIT_PROVED;

	ret = emitter_open(&e, o->emitter);
	if (ret)
		return complain_emitter(&e, ret);
	catch_signals();
	report_ktap_begin(stdout, list->count);
	for (uint32_t i = 0; i < list->count && !runner_stopped(); i++)
		status = worse_status(status, run_case(o, &e, &list->files[i]->wcase,
						       list->paths[i], i + 1));
	emitter_close(&e);
	if (signalled) {
		/* Die of the signal, so that a caller's loop ends too. */
		report_ktap_bail_out(stdout, "interrupted; finished steps are kept");
		signal(signalled, SIG_DFL);
		raise(signalled);
	}
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
		{ "traces", required_argument, NULL, 't' },
		{ 0 },
	};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		switch (opt) {
		case 'e':
			for (o->emitter = 0; o->emitter < EMITTERS; o->emitter++)
				if (!strcmp(optarg, emitter_name(o->emitter)))
					break;
			if (o->emitter == EMITTERS)
				return complain("run: --emitter %s: 'test-run' or 'attached' is expected",
						optarg);
			break;
		case 't':
			o->traces = optarg;
			break;
		case ':':
			return complain("run: %s needs a value", argv[optind - 1]);
		default:
			return complain("run: unknown option %s; see perfwake --help",
					argv[optind - 1]);
		}
	}
	if (optind == argc)
		return complain("run: give case files: perfwake run FILE...");
	if (o->traces && access(o->traces, W_OK | X_OK))
		return complain("run: --traces %s: %s", o->traces, strerror(errno));
	return 0;
}

int command_run(int argc, char **argv)
{
	struct run_options o = { 0 };
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
