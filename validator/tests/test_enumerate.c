// SPDX-License-Identifier: GPL-2.0
/*
 * Small cases, all of them: every threshold N from 1 to 8, 24 samples (so that each shorter run is
 * the front of one), a look after each sample or after every second or third, and every position of
 * one, two, or any number of consumes. What the model says after each sample is compared with a
 * second count that knows no counter of events, no wakeup and no head: it works from totals and
 * from a plain list of what is unread.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tap.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define SAMPLES		24
#define MAX_N		8

/* One case: positions as bit i, "behind sample i". */
struct plan {
	const struct ground *ground;
	uint32_t n;		/* wakeup_events */
	uint32_t samples;
	uint32_t looks;
	uint32_t consumes;
	uint32_t take;		/* records a consume reads at most, 0 = all */
	uint32_t pause_from, pause_to;	/* samples that meet a paused ring */
};

/* A ring and the sizes of its samples: the record's bytes are worked out here, not by the model. */
struct ground {
	const char *name;
	uint32_t pages;
	uint32_t sizes[2];	/* of even and of odd samples */
	uint32_t bytes[2];	/* of their records */
};

static const struct ground grounds[] = {
	{ "8 pages, nothing but the count", 8, { 8, 8 }, { 24, 24 } },
	{ "1 page, 21 records", 1, { 180, 180 }, { 192, 192 } },
	{ "1 page, 11 records", 1, { 340, 340 }, { 352, 352 } },
	{ "1 page, 7 records", 1, { 500, 500 }, { 512, 512 } },
	{ "1 page, 4 records", 1, { 1000, 1000 }, { 1016, 1016 } },
	{ "1 page, a record above half", 1, { 2500, 2500 }, { 2512, 2512 } },
	{ "1 page, large and small in turn", 1, { 700, 4 }, { 712, 16 } },
	/* 17 samples: 9 * 72 + 8 * 176 = 2056 bytes, above half by what 8 count wakes take off */
	{ "1 page, half to the byte", 1, { 60, 164 }, { 72, 176 } },
};

static struct model_record *records;
static uint64_t cases, comparisons;

/* What is seen behind one sample. */
struct seen {
	bool refused;
	bool looked, ready;
	uint64_t lost;		/* of the consume */
	uint32_t count;		/* numbers that the consume gave */
	uint32_t numbers[SAMPLES];
};

/* The naive count. */
struct naive {
	const struct plan *plan;
	uint32_t accepted;	/* samples in all */
	uint64_t produced;	/* bytes in all, LOST records included */
	uint64_t byte_wakes;
	uint64_t told;		/* wakes that looks have taken notice of */
	uint64_t refused;	/* not yet told by a LOST record */
	/* Everything ever written, in order; negative: a LOST record of that many. */
	int64_t list[2 * SAMPLES];
	uint32_t lengths[2 * SAMPLES];
	uint32_t written, read;
};

static uint64_t naive_unread(const struct naive *naive)
{
	uint64_t bytes = 0;

	for (uint32_t i = naive->read; i < naive->written; i++)
		bytes += naive->lengths[i];
	return bytes;
}

static void naive_write(struct naive *naive, int64_t what, uint32_t bytes)
{
	naive->list[naive->written] = what;
	naive->lengths[naive->written++] = bytes;
	naive->produced += bytes;
}

/* Wakes since the beginning: one for each N accepted samples, and those of the bytes. */
static uint64_t naive_wakes(const struct naive *naive)
{
	return naive->accepted / naive->plan->n + naive->byte_wakes;
}

static bool naive_emit(struct naive *naive, uint32_t number)
{
	const struct ground *g = naive->plan->ground;
	uint64_t ring = g->pages * 4096ull, half = ring / 2;
	uint32_t bytes = g->bytes[number % 2];
	uint32_t needed = bytes + (naive->refused ? 24 : 0);

	if ((number >= naive->plan->pause_from && number < naive->plan->pause_to) ||
	    naive_unread(naive) + needed > ring - 1) {
		naive->refused++;
		return false;
	}
	if (naive->refused)
		naive_write(naive, -(int64_t)naive->refused, 24);
	naive->refused = 0;
	naive_write(naive, number, bytes);
	/* A byte wake stands for half a ring, a count wake before this sample for one byte. */
	if (naive->produced > half * (naive->byte_wakes + 1) + naive->accepted / naive->plan->n)
		naive->byte_wakes++;
	naive->accepted++;
	return true;
}

static void naive_step(struct naive *naive, uint32_t number, struct seen *seen)
{
	const struct plan *plan = naive->plan;

	*seen = (struct seen){ .refused = !naive_emit(naive, number) };
	if (plan->looks >> number & 1) {
		seen->looked = true;
		seen->ready = naive_wakes(naive) != naive->told;
		naive->told = naive_wakes(naive);
	}
	if (!(plan->consumes >> number & 1))
		return;
	for (uint32_t n = 0; naive->read < naive->written && (!plan->take || n < plan->take); n++) {
		int64_t what = naive->list[naive->read++];

		if (what < 0)
			seen->lost += (uint64_t)-what;
		else
			seen->numbers[seen->count++] = (uint32_t)what;
	}
}

static void model_steps(struct model *m, const struct plan *plan, uint32_t number,
			struct seen *seen)
{
	struct model_ring *r = &m->rings[0];
	struct model_record record;

	r->paused = number >= plan->pause_from && number < plan->pause_to;
	*seen = (struct seen){
		.refused = model_emit(m, 0, 0, plan->ground->sizes[number % 2]) != CODE_OK,
	};
	if (plan->looks >> number & 1) {
		seen->looked = true;
		seen->ready = model_look(m, 0, VIA_EPOLL) == READINESS_READY;
	}
	if (!(plan->consumes >> number & 1))
		return;
	for (uint32_t n = 0; (!plan->take || n < plan->take) && model_consume(r, &record); n++) {
		if (record.lost)
			seen->lost += record.value;
		else
			seen->numbers[seen->count++] = (uint32_t)record.value;
	}
}

static bool same(const struct seen *a, const struct seen *b)
{
	return a->refused == b->refused && a->looked == b->looked && a->ready == b->ready &&
	       a->lost == b->lost && a->count == b->count &&
	       !memcmp(a->numbers, b->numbers, a->count * sizeof(a->numbers[0]));
}

/* With nothing but the count, and a look after each sample, wake k is at sample k * N - 1. */
static bool closed_formula(const struct plan *plan, uint32_t number, const struct seen *seen)
{
	return seen->ready == ((number + 1) % plan->n == 0);
}

static void compare(const struct plan *plan)
{
	static struct model m;
	static struct wake_case c;
	struct naive naive = { .plan = plan };
	bool formula = plan->ground == grounds && plan->looks == (1u << SAMPLES) - 1 &&
		       plan->pause_from == plan->pause_to;

	c.rings[0] = (struct ring_spec){ .pages = plan->ground->pages, .threshold = plan->n,
					 .declared = true };
	model_init(&m, &c, model_kernel(0), records);
	cases++;
	for (uint32_t i = 0; i < plan->samples; i++) {
		struct seen by_model, by_naive;

		model_steps(&m, plan, i, &by_model);
		naive_step(&naive, i, &by_naive);
		comparisons++;
		if (!tap_check(same(&by_model, &by_naive) &&
				       (!formula || closed_formula(plan, i, &by_model)),
			       "%s: N=%" PRIu32 " looks %#" PRIx32 " consumes %#" PRIx32
			       " of %" PRIu32 " pause %" PRIu32 "..%" PRIu32 ": sample %" PRIu32
			       ": refused %d/%d ready %d/%d",
			       plan->ground->name, plan->n, plan->looks, plan->consumes, plan->take,
			       plan->pause_from, plan->pause_to, i, by_model.refused,
			       by_naive.refused, by_model.ready, by_naive.ready))
			return;
	}
}

/* No, one, or two consumes, at every position; looks after each, each second, each third sample. */
static void enumerate_pairs(struct plan plan)
{
	static const uint32_t looks[] = { 0xffffff, 0xaaaaaa, 0x924924 };

	plan.samples = SAMPLES;
	for (uint32_t i = 0; i < ARRAY_SIZE(looks); i++) {
		plan.looks = looks[i];
		plan.consumes = 0;
		compare(&plan);
		for (uint32_t a = 0; a < SAMPLES; a++)
			for (uint32_t b = a; b < SAMPLES; b++) {
				plan.consumes = 1u << a | 1u << b;
				compare(&plan);
			}
	}
}

/* Every set of consume positions among the first 12 samples, and the same repeated up to 24. */
static void enumerate_sets(struct plan plan)
{
	plan.samples = SAMPLES;
	plan.looks = 0xffffff;
	for (uint32_t set = 0; set < 1u << 12; set++) {
		plan.consumes = set | set << 12;
		compare(&plan);
	}
}

/* Every stretch of paused samples, with every position of one consume. */
static void enumerate_pauses(struct plan plan)
{
	plan.samples = SAMPLES;
	plan.looks = 0xffffff;
	for (plan.pause_from = 0; plan.pause_from < SAMPLES; plan.pause_from++)
		for (plan.pause_to = plan.pause_from + 1; plan.pause_to <= SAMPLES; plan.pause_to++)
			for (uint32_t at = 0; at < SAMPLES; at++) {
				plan.consumes = 1u << at;
				compare(&plan);
			}
}

int main(void)
{
	static const struct wake_case largest = { .rings[0] = { .pages = 8, .declared = true } };
	static const uint32_t takes[] = { 0, 1, 3 };

	records = calloc(model_records(&largest), sizeof(*records));
	if (!records)
		tap_bail_out("no memory");
	for (size_t g = 0; g < ARRAY_SIZE(grounds); g++) {
		tap_begin("%s: N 1 to %d, %d samples", grounds[g].name, MAX_N, SAMPLES);
		for (uint32_t n = 1; n <= MAX_N; n++) {
			struct plan plan = { .ground = &grounds[g], .n = n };

			for (size_t t = 0; t < ARRAY_SIZE(takes); t++) {
				plan.take = takes[t];
				enumerate_pairs(plan);
			}
			plan.take = 0;
			enumerate_sets(plan);
			enumerate_pauses(plan);
		}
	}
	tap_end();
	printf("# %" PRIu64 " cases, %" PRIu64 " samples compared\n", cases, comparisons);
	free(records);
	return tap_done();
}
