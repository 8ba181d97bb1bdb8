// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

/* splitmix64: any 64-bit state is a good one, so that seeds need no care. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 to @n - 1 */
static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((next(state) >> 32) * n >> 32);
}

static bool one_in(uint64_t *state, uint32_t n)
{
	return !below(state, n);
}

/* Thresholds at which something changes, and now and then any at all. */
static uint32_t random_threshold(uint64_t *state, const struct ring_spec *ring)
{
	static const uint32_t counts[] = {
		0, 1, 2, 3, 4, 5, 7, 10, 16, 64, 100, 1000, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	if (!ring->by_watermark)
		return one_in(state, 4) ? below(state, 300) :
					  counts[below(state, sizeof(counts) / sizeof(counts[0]))];
	if (one_in(state, 8))
		return 0;
	if (one_in(state, 4)) /* around the ring's own size */
		return (uint32_t)ring_bytes(ring) - 40 + below(state, 80);
	return 1 + below(state, (uint32_t)ring_bytes(ring) / (one_in(state, 2) ? 1 : 16));
}

static void random_rings(struct wake_case *c, uint64_t *state, uint32_t cpus)
{
	uint32_t rings = one_in(state, 3) ? 1 + below(state, 3) : 1;

	for (uint32_t id = 0; id < rings; id++) {
		struct ring_spec *r = &c->rings[id];

		*r = (struct ring_spec){
			.cpu = below(state, cpus),
			.pages = 1u << below(state, 5),
			.by_watermark = one_in(state, 4),
			.backward = one_in(state, 6),
			.overwrite = one_in(state, 8),
			.declared = true,
		};
		if (r->overwrite)	/* what is read there stays, and is read again: keep it short */
			r->pages = 1 + one_in(state, 2);
		r->threshold = random_threshold(state, r);
	}
}

static uint32_t random_ring(const struct wake_case *c, uint64_t *state)
{
	uint32_t rings = 0;

	while (c->rings[rings].declared)
		rings++;
	return below(state, rings);
}

static uint32_t random_size(uint64_t *state)
{
	switch (below(state, 16)) {
	case 0:
		return CASE_MIN_SIZE + below(state, 2000);
	case 1:
		return 4070 + below(state, 30); /* around a page */
	case 2:
	case 3:
	case 4:
	case 5:
		return CASE_MIN_SIZE + below(state, 60);
	default:
		return 8;
	}
}

/* A ring whose records the raw consumer can find. */
static bool readable(const struct ring_spec *r)
{
	return r->backward || !r->overwrite;
}

static void random_emit(struct step *s, uint64_t *state, uint32_t cpus, bool can_read)
{
	s->kind = STEP_EMIT;
	s->count = one_in(state, 6) ? 1 + below(state, 300) : 1 + below(state, 12);
	s->size = random_size(state);
	s->every = one_in(state, 3) && can_read ? EVERY_LOOK_CONSUME :
		   one_in(state, 2) ? EVERY_LOOK : EVERY_NOTHING;
	if (one_in(state, 200)) {
		s->has_index = true;
		s->index = CASE_MAX_RINGS + below(state, 1u << 20);
	}
	/* Now and then on a CPU that is not the ring's. */
	if (one_in(state, 40))
		s->cpu = below(state, cpus);
}

static enum look_via random_via(uint64_t *state)
{
	return one_in(state, 2) ? VIA_EPOLL : (enum look_via)below(state, VIAS);
}

/* Steps that change a ring; redirecting has its own chance, because most of its tries are refused. */
static enum step_kind random_change(uint64_t *state)
{
	static const enum step_kind often[] = {
		STEP_PAUSE, STEP_RESUME, STEP_RESUME, STEP_DISABLE, STEP_ENABLE, STEP_ENABLE,
		STEP_REMAP, STEP_UNMAP, STEP_MAP, STEP_MAP, STEP_REDIRECT,
	};

	return one_in(state, 60) ? STEP_DROP_SLOT :
				   often[below(state, sizeof(often) / sizeof(often[0]))];
}

/* A second mapping of a ring, by an event redirected to it, differs between kernels: none of our rules. */
static bool redirected(const struct wake_case *c, uint32_t id)
{
	for (uint32_t i = 0; i < c->nsteps; i++)
		if (c->steps[i].kind == STEP_REDIRECT && c->steps[i].ring == id)
			return true;
	return false;
}

static void random_step(struct wake_case *c, struct step *s, uint64_t *state, uint32_t cpus)
{
	uint32_t dice = below(state, 100);
	const struct ring_spec *r;

	*s = (struct step){ .ring = random_ring(c, state) };
	r = &c->rings[s->ring];
	s->cpu = r->cpu;
	if (dice < 55) {
		random_emit(s, state, cpus, !r->overwrite);
	} else if (dice < 75 || (dice < 90 && !readable(r))) {
		s->kind = STEP_LOOK;
		s->via = random_via(state);
	} else if (dice < 90) {
		s->kind = STEP_CONSUME;
		s->count = one_in(state, 2) || r->backward ? 0 : 1 + below(state, 20);
	} else {
		s->kind = random_change(state);
		if (s->kind == STEP_MAP && redirected(c, s->ring))
			s->kind = STEP_UNMAP;
		s->to = s->kind == STEP_REDIRECT ? random_ring(c, state) : 0;
	}
}

void fuzz_generate(struct fuzz_case *f, uint64_t seed, uint32_t cpus)
{
	struct wake_case *c = &f->wcase;
	uint64_t state = seed;
	uint32_t steps, samples = 0;

	*c = (struct wake_case){ .steps = f->steps };
	snprintf(c->name, sizeof(c->name), "fuzz-%llx", (unsigned long long)seed);
	random_rings(c, &state, cpus);
	steps = 20 + below(&state, FUZZ_MAX_STEPS - 20);
	while (c->nsteps < steps) {
		struct step *s = &f->steps[c->nsteps];

		random_step(c, s, &state, cpus);
		if (s->kind == STEP_EMIT && samples + s->count > FUZZ_MAX_SAMPLES)
			break;
		samples += s->kind == STEP_EMIT ? s->count : 0;
		c->nsteps++;
	}
}
