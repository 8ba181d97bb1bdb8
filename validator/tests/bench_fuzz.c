// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a fuzz run's time goes into recording and judging: the same cases, performed as
 * perfwake fuzz does and by a bare loop of the same system calls, in turns on one core.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "consumer_raw.h"
#include "fuzz.h"
#include "ring.h"

#define CASES 400
#define SEED 1

static struct ring rings[CASE_MAX_RINGS];

static void ignore_record(void *ctx, const struct raw_record *record)
{
	(void)ctx, (void)record;
}

static void consume_bare(struct consumer_raw *consumer, const struct step *s, uint32_t max)
{
	if (rings[s->ring].page)
		consumer_raw_pass(consumer, &rings[s->ring], max, ignore_record, NULL);
}

static void emit_bare(struct emitter *e, struct consumer_raw *consumer, const struct step *s)
{
	enum readiness readiness;
	cpu_set_t set;
	int code;

	CPU_ZERO(&set);
	CPU_SET(s->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->has_index)
			emitter_emit_flags(e, s->index, s->size, &code);
		else
			emitter_emit(e, s->ring, s->size, &code);
		if (s->every == EVERY_NOTHING)
			continue;
		ring_look(&rings[s->ring], VIA_EPOLL, &readiness);
		if (s->every == EVERY_LOOK_CONSUME && readiness != READINESS_QUIET)
			consume_bare(consumer, s, 0);
	}
}

static void step_bare(struct emitter *e, struct consumer_raw *consumer, const struct step *s)
{
	struct ring *r = &rings[s->ring];
	enum readiness readiness;
	uint64_t lost;

	switch (s->kind) {
	case STEP_EMIT:
		emit_bare(e, consumer, s);
		return;
	case STEP_LOOK:
		ring_look(r, s->via, &readiness);
		return;
	case STEP_CONSUME:
		consume_bare(consumer, s, s->count);
		return;
	case STEP_PAUSE:
	case STEP_RESUME:
		ring_pause(r, s->kind == STEP_PAUSE);
		return;
	case STEP_DISABLE:
	case STEP_ENABLE:
		ring_enable(r, s->kind == STEP_ENABLE);
		return;
	case STEP_REMAP:
	case STEP_UNMAP:
	case STEP_MAP:
		if (s->kind != STEP_MAP)
			ring_unmap(r);
		if (s->kind != STEP_UNMAP && !r->page)
			ring_map(r);
		return;
	case STEP_DROP_SLOT:
		emitter_drop_slot(e, s->ring);
		return;
	case STEP_REDIRECT:
		ring_redirect(r, &rings[s->to]);
		return;
	case STEP_READ_LOST:
		ring_read_lost(r, &lost);
		return;
	case STEP_KINDS:
		return;
	}
}

static void perform_bare(const struct wake_case *c, struct emitter *e, struct consumer_raw *consumer)
{
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		rings[id] = ring_closed();
		if (!c->rings[id].declared)
			continue;
		ring_open(&rings[id], &c->rings[id]);
		emitter_set_slot(e, id, rings[id].fd);
		for (uint32_t i = 0; i < c->nsteps; i++)
			if (c->steps[i].kind == STEP_LOOK && c->steps[i].ring == id)
				ring_watch(&rings[id], c->steps[i].via);
	}
	for (uint32_t i = 0; i < c->nsteps; i++)
		step_bare(e, consumer, &c->steps[i]);
	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++) {
		if (rings[id].fd >= 0)
			emitter_drop_slot(e, id);
		ring_close(&rings[id]);
	}
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static int bench(struct fuzz_case *f, struct instruments *with, struct consumer_raw *consumer)
{
	double checked = 0, bare = 0;
	struct runner_error err;
	uint64_t steps = 0;

	for (uint64_t i = 0; i < CASES; i++) {
		double start = now();

		fuzz_generate(f, SEED + i, 2);
		if (fuzz_perform(f, with, &err) || f->verdict.kind != VERDICT_PROVED) {
			fprintf(stderr, "bench_fuzz: case %s: %s\n", f->wcase.name, err.reason);
			return 1;
		}
		checked += now() - start;
		steps += f->verdict.judged;
		start = now();
		perform_bare(&f->wcase, &with->emitter, consumer);
		bare += now() - start;
	}
	printf("fuzz, seed %d, %d cases, %llu steps: %.0f steps/s checked, %.0f bare: %.0f %%\n",
	       SEED, CASES, (unsigned long long)steps, (double)steps / checked,
	       (double)steps / bare, 100 * bare / checked);
	return 0;
}

int main(void)
{
	struct fuzz_case *f = malloc(sizeof(*f));
	struct consumer_raw consumer;
	struct instruments with = { 0 };
	int ret;

	if (!f || fuzz_case_open(f) || consumer_raw_open(&consumer))
		return 2;
	ret = emitter_open(&with.emitter, EMITTER_TEST_RUN);
	if (ret) {
		fprintf(stderr, "bench_fuzz: %s failed: %s; run as root\n", with.emitter.failed, strerror(-ret));
		return 2;
	}
	ret = bench(f, &with, &consumer);
	emitter_close(&with.emitter);
	consumer_raw_close(&consumer);
	fuzz_case_close(f);
	free(f);
	return ret;
}
