/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the selftests work on: one ring on CPU 0 with an emitter, and the numbers consumed from it.
 * No prediction anywhere: tests compare with literals.
 */
#ifndef PERFWAKE_SELFTEST_SUBJECT_H
#define PERFWAKE_SELFTEST_SUBJECT_H

#include <linux/types.h>

#include "consumer_raw.h"
#include "emitter.h"
#include "payload.h"
#include "ring.h"

#define SUBJECT_MAX_SAMPLES 16384

struct subject {
	struct emitter emitter;
	struct ring ring;
	struct consumer_raw consumer;
	/* of the last subject_consume() */
	uint32_t numbers[SUBJECT_MAX_SAMPLES];	/* in the order read */
	uint32_t count;
	uint64_t lost;		/* told of by LOST records */
	uint32_t lost_records;
	uint32_t torn;		/* samples whose content was not what was emitted */
	uint32_t size;		/* payload bytes of the last emission */
	uint32_t cpu, slot;	/* what the samples consumed have to say of themselves */
};

/* Let the calling thread run on @cpu only. 0 or -errno. */
int pin_to(uint32_t cpu);

/* The online CPUs that have a slot, ascending; returns how many. */
uint32_t online_cpus(uint32_t cpus[SAMPLE_SLOTS]);

/* True if the running kernel is @major.@minor or later. */
bool kernel_at_least(unsigned int major, unsigned int minor);

/* Pin the thread to CPU 0, load the emitter, open the ring in slot 0. Returns 0 or -errno. */
int subject_open(struct subject *s, enum emitter_kind kind, const struct ring_spec *spec);
void subject_close(struct subject *s);

/* One sample of @size bytes: what the helper returned, 0 or -errno; to slot 0, or to slot @slot. */
int subject_emit(struct subject *s, uint32_t size);
int subject_emit_to(struct subject *s, uint32_t slot, uint32_t size);

/* @count samples, none of which may be refused. Returns 0, or the first code that is not. */
int subject_emit_many(struct subject *s, uint32_t count, uint32_t size);

/* One look by epoll with timeout 0. */
bool subject_ready(struct subject *s);

/* One look at any ring; READINESS_ERR when it could not be looked at. */
enum readiness look(const struct ring *ring, enum look_via via);

/*
 * Up to @max records (0: all). Returns how many samples were among them, or -errno; numbers, lost and
 * torn tell about these. All emissions since the last consume must have had one size.
 */
int subject_consume(struct subject *s, uint32_t max);

/* The same with another ring than s->ring, whose samples were emitted on @cpu to @slot. */
int subject_consume_from(struct subject *s, const struct ring *ring, uint32_t cpu, uint32_t slot);

/* True if the numbers consumed last are @first to @last, each once, in order, whole. */
bool subject_got(const struct subject *s, uint32_t first, uint32_t last);

#endif
