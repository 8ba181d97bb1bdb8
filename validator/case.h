/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A case: rings, and steps performed on them in order. Part of the core: no system call, no
 * allocation, no stdio; whoever fills a case owns the arrays it points to.
 */
#ifndef PERFWAKE_CASE_H
#define PERFWAKE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "value.h"

#define CASE_NAME_BYTES		64	/* with the closing zero */
#define CASE_MAX_RINGS		64	/* also the slots of the perf event array */
#define CASE_MAX_CPUS		1024
#define CASE_MAX_PAGES		4096
#define CASE_MAX_STEPS		65536
#define CASE_MAX_SAMPLES	(1u << 22)	/* over the whole case */
#define CASE_PAGE_BYTES		4096u
#define CASE_MIN_SIZE		4u	/* a sample carries its number */
#define CASE_MAX_INNER		3u	/* samples that interrupt another */
#define CASE_MAX_INNER_SIZE	4096u
#define CASE_FUNCTION_BYTES	64	/* of a kernel function's name, with the closing zero */
#define CASE_MAX_OFFSET		65535u
#define CASE_MAX_VISIT		255u
#define CASE_OVERFLOW_SIZE	36u	/* bytes of a sample of another event: a system call with two arguments */
#define CASE_MAX_SIZE		65516u	/* above it the header's 16-bit length overflows (K7) */

enum step_kind {
	STEP_EMIT,
	STEP_LOOK,
	STEP_CONSUME,
	STEP_PAUSE,
	STEP_RESUME,
	STEP_DISABLE,
	STEP_ENABLE,
	STEP_REMAP,
	STEP_UNMAP,
	STEP_MAP,
	STEP_DROP_SLOT,
	STEP_REDIRECT,
	STEP_READ_LOST,
	STEP_KINDS
};

/* What an emit step does after each of its samples. */
enum every {
	EVERY_NOTHING,
	EVERY_LOOK,
	EVERY_LOOK_CONSUME,	/* look, and when ready consume all */
};

/* Where outputs are made; each can interrupt those in front of it. As enum sample_context. */
enum context {
	CONTEXT_PROCESS,
	CONTEXT_SOFTIRQ,
	CONTEXT_HARDIRQ,
	CONTEXT_NMI,
	CONTEXTS
};

/* How to look. Each but poll(2) has an epoll of its own for each ring that a step looks at so. */
enum look_via {
	VIA_EPOLL,		/* epoll_wait, level-triggered */
	VIA_SECOND,		/* another epoll of the same kind: the second of two pollers */
	VIA_EDGE,		/* EPOLLET */
	VIA_ONESHOT,		/* EPOLLONESHOT, armed again after each report */
	VIA_MOD,		/* EPOLL_CTL_MOD, then epoll_wait */
	VIA_NESTED,		/* an epoll that watches an epoll, which is not asked itself */
	VIA_POLL,		/* poll(2) for POLLIN */
	VIA_RDNORM,		/* poll(2) for POLLRDNORM */
	VIA_BOTH,		/* poll(2) for both */
	VIAS
};

/* Who opens and reads a ring (consumer.h). */
enum consumer_kind {
	CONSUMER_NOT_SAID,	/* whoever performs the case decides */
	CONSUMER_RAW,
	CONSUMER_LIBBPF,
	CONSUMER_LIBBPF_RAW,
	CONSUMER_BCC,
	CONSUMER_BCC_CC,
	CONSUMER_BCC_PY,
	CONSUMER_CILIUM,
	CONSUMERS
};

/* A ring as asked for: one event descriptor with its mapping. */
struct ring_spec {
	uint32_t cpu;
	uint32_t pages;		/* data pages, a power of two */
	uint32_t threshold;	/* wakeup_events, or bytes when by_watermark */
	bool by_watermark;
	bool backward;		/* write_backward: records grow downwards */
	bool overwrite;		/* mapped without PROT_WRITE: old records give way */
	enum consumer_kind consumer;
	bool reads_lost;	/* opened with PERF_FORMAT_LOST, which kernels have from 6.0 on */
	bool declared;
};

struct step {
	enum step_kind kind;
	enum every every;	/* emit */
	enum look_via via;	/* look */
	uint32_t ring;
	uint32_t count;		/* emit: samples; consume: records at most, 0 = all */
	uint32_t size;		/* emit: payload bytes */
	uint32_t cpu;		/* emit: where */
	uint32_t contexts;	/* emit: bits 1 << enum context, each inside the one before; 0: process alone */
	uint32_t index;		/* emit: what the helper is told instead of the ring's slot */
	uint32_t to;		/* redirect: the ring that takes the output */
	bool has_index;
	bool overflow;		/* emit: the first sample is one of another event, with PERF_EVENT_IOC_SET_OUTPUT */
	bool interrupted;	/* emit: by the samples behind the first, at the case's place */
	uint32_t line;		/* in the file, 0 for a table in C */
	struct value expect;	/* a person's expectation; has == 0: none */
};

/* An instruction of the kernel, in front of which a writer is interrupted. */
struct place {
	char function[CASE_FUNCTION_BYTES];
	uint32_t offset;	/* bytes */
	uint32_t visit;		/* the first time that the writer comes by: 0 */
};

struct wake_case {
	char name[CASE_NAME_BYTES];
	struct ring_spec rings[CASE_MAX_RINGS];
	struct place place;	/* of the one interrupted step, if there is one */
	struct place within;	/* where the sample that interrupts it is by the next one; no function: nowhere */
	uint32_t inner_size;	/* payload bytes of the samples that interrupt */
	struct step *steps;
	uint32_t nsteps;
	struct value_store expected;	/* what the steps' expect values point into */
};

enum case_error {
	CASE_SOUND,
	CASE_NAME_MISSING,
	CASE_NAME_WRONG,
	CASE_NO_STEPS,
	CASE_RING_RANGE,
	CASE_RING_TWICE,
	CASE_RING_UNDECLARED,
	CASE_CPU_RANGE,
	CASE_PAGES_MISSING,
	CASE_PAGES_RANGE,
	CASE_PAGES_NOT_POWER_OF_TWO,
	CASE_COUNT_RANGE,
	CASE_COUNT_NESTING,	/* samples for a part of a nesting */
	CASE_CONTEXTS_RANGE,
	CASE_SIZE_RANGE,
	CASE_SAMPLES_RANGE,
	CASE_REDIRECT_TO,	/* the ring to redirect to is not declared */
	CASE_CONSUME_FORWARD,	/* records of a forward ring in overwrite mode have no known start */
	CASE_CONSUME_EVERY,	/* overwrite mode: reading takes nothing away, so each look would read all */
	CASE_CONSUME_PART,	/* a backward ring is read whole or not at all */
	CASE_INTERRUPTED_TWICE,	/* a second interrupted step */
	CASE_INTERRUPTED_COUNT,	/* no sample that interrupts, or too many */
	CASE_OVERFLOW_SIZE_FIXED,	/* what such a sample holds is the kernel's affair */
	CASE_OVERFLOW_PLACE,	/* on another CPU than its ring, or to a slot */
	CASE_WITHIN_COUNT,	/* two interruptions within one another take three samples */
	CASE_INTERRUPTED_FROM,	/* by the samples of a nesting, and at a place of the case's */
	CASE_INTERRUPTED_EVERY,	/* looks between samples of which one is within the other */
	CASE_VALUE_KIND,	/* a value that this step does not have */
	CASE_VALUE_COUNT,	/* codes for more or fewer samples than are emitted */
};

/* True for a name that can also be a file's: letters, digits, - _ . and no leading dot. */
bool case_name_ok(const char *name);

/* Judge one ring, or one step of a case whose rings are known; @samples is what the steps before it emit. */
enum case_error case_check_ring(const struct ring_spec *ring, uint32_t id);
enum case_error case_check_step(const struct wake_case *c, const struct step *s, uint32_t samples);

/* Judge a value of step @s: does the step have such parts, and codes for as many samples as it emits? */
enum case_error case_check_value(const struct step *s, const struct value *v,
				 const struct value_store *st);

/* Judge the whole case; on error *@at is the step's index, where it is a step's. */
enum case_error case_validate(const struct wake_case *c, uint32_t *at);

/* The parts that an observation of this step consists of, as enum value_part bits. */
uint32_t case_step_parts(const struct step *s);

/* Has it a step in which samples interrupt another? */
bool case_interrupted(const struct wake_case *c);

/* And is one of those interrupted in turn? */
bool case_within(const struct wake_case *c);

/* Has it a step that only the test module can perform: samples from another context than process? */
bool case_needs_module(const struct wake_case *c);

/* Samples that the case emits in all. */
uint32_t case_samples(const struct wake_case *c);

/* Samples of an emit step that are emitted at once, one a context; a look follows behind them. */
static inline uint32_t step_outputs(const struct step *s)
{
	return s->contexts ? (uint32_t)__builtin_popcount(s->contexts) : 1;
}

static inline uint64_t ring_bytes(const struct ring_spec *r)
{
	return (uint64_t)r->pages * CASE_PAGE_BYTES;
}

#endif
