// SPDX-License-Identifier: GPL-2.0
/*
 * How fast traces are judged on one core: printed, not asserted. A step is one line of a trace.
 *
 *	bench [SECONDS]		for each measurement
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support.h"

#define STEPS 60000u

/* What a trace is made of, over and over, until it has STEPS lines. */
static const struct mix {
	const char *name;
	const char *ring;
	const char *steps;
} mixes[] = {
	{ "samples one by one, each looked at, remainder consumed",
	  "ring 0 cpu=0 pages=8 wakeup_events=4\n",
	  "emit 0 count=1 size=8\nlook 0\nemit 0 count=1 size=8\nlook 0\nemit 0 count=1 size=8\n"
	  "look 0\nconsume 0\n" },
	{ "two rings, pauses, expectations",
	  "ring 0 cpu=0 pages=1 wakeup_events=2\nring 1 cpu=0 pages=8 wakeup_events=10\n",
	  "emit 0 count=3 size=8 = ok\nlook 0\nlook 0 = quiet\nemit 1 count=7 size=100\nlook 1\n"
	  "consume 0\npause 1 = ok\nemit 1 count=2 size=8 = ENOSPC\nresume 1\nconsume 1\n" },
	{ "emit steps of 50 samples, each looked at, every wake consumed",
	  "ring 0 cpu=0 pages=1 wakeup_events=7\n",
	  "emit 0 count=50 size=8 every=look-consume\n" },
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The lines of @mix repeated; then what the model says as the observations. */
static char *make_trace(const struct mix *mix)
{
	size_t lines = 0, n = strlen(mix->steps);
	struct trace_file f;
	char *text, *at;

	for (const char *c = mix->steps; *c; c++)
		lines += *c == '\n';
	text = malloc(200 + n * (STEPS / lines));
	if (!text)
		exit(1);
	at = text + sprintf(text, "name bench\n%s", mix->ring);
	for (size_t i = 0; i < STEPS / lines; i++, at += n)
		memcpy(at, mix->steps, n + 1);
	text_to_file(text, &f);
	free(text);
	observe_model(&f);
	text = file_to_text(&f);
	trace_file_free(&f);
	return text;
}

static void must_be_proved(const struct verdict *v)
{
	if (v->kind == VERDICT_PROVED)
		return;
	printf("not proved: step %" PRIu32 "\n", v->step);
	exit(1);
}

/* Where memory comes from: from the kernel each time, or from what was freed before. */
enum memory { MEMORY_JUDGE_ONLY, MEMORY_FRESH, MEMORY_KEPT };

static void set_memory(enum memory memory)
{
	mallopt(M_MMAP_THRESHOLD, memory == MEMORY_KEPT ? 32 << 20 : 64 << 10);
	mallopt(M_TRIM_THRESHOLD, memory == MEMORY_KEPT ? 1 << 30 : 64 << 10);
}

/* From text each time, memory included; or the verdict alone. */
static void measure(const char *text, double seconds, enum memory memory)
{
	static const char *const what[] = { "judge", "parse and judge, fresh memory",
					    "parse and judge, memory kept" };
	size_t len = strlen(text);
	struct verdict_workspace w;
	struct trace_file f;
	struct verdict v;
	uint64_t steps = 0, samples = 0;
	double begin, end;

	set_memory(memory);
	text_to_file(text, &f);
	if (verdict_workspace_alloc(&w, &f.wcase))
		exit(1);
	verdict_trace(&f.trace, &w, &v);	/* warm */
	for (begin = end = now_s(); end - begin < seconds; end = now_s()) {
		if (memory != MEMORY_JUDGE_ONLY) {
			verdict_workspace_free(&w);
			trace_file_free(&f);
			text_to_file(text, &f);
			if (verdict_workspace_alloc(&w, &f.wcase))
				exit(1);
		}
		verdict_trace(&f.trace, &w, &v);
		must_be_proved(&v);
		steps += f.wcase.nsteps;
		samples += case_samples(&f.wcase);
	}
	end -= begin;
	printf("  %-30s %6.2f million steps/s, %6.2f million samples/s", what[memory],
	       (double)steps / end / 1e6, (double)samples / end / 1e6);
	if (memory != MEMORY_JUDGE_ONLY)
		printf(", %4.0f MB/s", (double)steps / end / f.wcase.nsteps * (double)len / 1e6);
	putchar('\n');
	verdict_workspace_free(&w);
	trace_file_free(&f);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		char *text = make_trace(&mixes[i]);

		printf("%s\n", mixes[i].name);
		for (enum memory m = MEMORY_JUDGE_ONLY; m <= MEMORY_KEPT; m++)
			measure(text, seconds, m);
		fflush(stdout);
		free(text);
	}
	return 0;
}
