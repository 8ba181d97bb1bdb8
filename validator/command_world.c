// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command_world.h"
#include "commands.h"
#include "report_ktap.h"
#include "ring.h"
#include "runner.h"
#include "trace_text.h"

static volatile sig_atomic_t signalled;

static void on_signal(int sig)
{
	signalled = sig;
	runner_stop();
}

void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

int write_trace(const char *folder, const struct trace *t)
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

void die_of_signal(void)
{
	if (!signalled)
		return;
	report_ktap_bail_out(stdout, "interrupted; finished steps are kept");
	signal(signalled, SIG_DFL);
	raise(signalled);
}

int option_emitter(const char *command, const char *text, enum emitter_kind *kind)
{
	for (*kind = 0; *kind < EMITTERS; ++*kind)
		if (!strcmp(text, emitter_name(*kind)))
			return 0;
	return complain("%s: --emitter %s: 'test-run', 'attached', 'module' or 'packet' is expected", command, text);
}

int option_probe(const char *command, const char *text, enum injector_kind *kind)
{
	for (*kind = 0; *kind < INJECTORS; ++*kind)
		if (!strcmp(text, injector_name(*kind)))
			return 0;
	return complain("%s: --probe %s: 'breakpoint' or 'kprobe' is expected", command, text);
}

int option_consumer(const char *command, const char *text, enum consumer_kind *kind)
{
	for (*kind = CONSUMER_RAW; *kind < CONSUMERS; ++*kind)
		if (!strcmp(text, consumer_names[*kind]))
			return 0;
	return complain("%s: --consumer %s: not known; see perfwake list", command, text);
}

static int complain_emitter(const char *command, const struct emitter *e, int ret)
{
	const char *hint = "";

	if (ret == -EPERM || ret == -EACCES)
		hint = ": run as root, or with CAP_BPF and CAP_PERFMON";
	else if (ret == -ENOENT && e->kind == EMITTER_ATTACHED)
		hint = ": mount tracefs at /sys/kernel/tracing, in a kernel with CONFIG_FTRACE_SYSCALLS";
	else if (ret == -ENOENT && e->kind == EMITTER_MODULE)
		hint = ": load the test module; vm/build-module makes it and vm/run.sh loads it";
	else if (ret == -EBUSY && e->kind == EMITTER_MODULE)
		hint = ": another process uses it; wait for its end";
	else if (ret == -EINVAL || ret == -EOPNOTSUPP || ret == -524 /* ENOTSUPP */)
		hint = ": this kernel lacks the feature; 5.10 or later with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS is needed";
	return complain("%s: %s failed: %s%s", command, e->failed, strerror(-ret), hint);
}

static int open_witness(const char *command, struct witness *w, struct emitter *e, enum witness_wish wish)
{
	int ret;

	*w = (struct witness){ 0 };
	if (wish == WITNESS_NONE)
		return 0;
	ret = witness_open(w, e);
	if (ret && wish == WITNESS_REQUIRED)
		return complain("%s: no second witness: %s: %s; leave --witness out to do without",
				command, w->missing, strerror(-ret));
	if (ret)
		printf("# no second witness: %s\n", w->missing);
	else
		printf("# second witness: %s on perf_event_wakeup\n", w->by);
	return 0;
}

int open_instruments(const char *command, struct instruments *with, enum emitter_kind emitter,
		     uint32_t slots, enum witness_wish witness)
{
	int ret;

	*with = (struct instruments){ .anchor = ring_open_anchor() };
	ret = emitter_open_slots(&with->emitter, emitter, slots);
	if (ret)
		return complain_emitter(command, &with->emitter, ret);
	catch_signals();
	return open_witness(command, &with->witness, &with->emitter, witness);
}

int open_injector(const char *command, struct instruments *with, enum injector_kind kind)
{
	int ret = injector_open(&with->injector, kind, &with->emitter);
	const char *failed = with->injector.failed;

	if (!ret)
		return 0;
	injector_close(&with->injector);
	return complain("%s: %s failed: %s; run it in a guest: vm/run.sh -- perfwake %s ...", command,
			failed, strerror(-ret), command);
}

void close_instruments(struct instruments *with)
{
	injector_close(&with->injector);
	witness_close(&with->witness);
	emitter_close(&with->emitter);
	if (with->anchor >= 0)
		close(with->anchor);
}
