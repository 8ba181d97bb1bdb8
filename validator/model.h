/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: what kernel/events/ring_buffer.c and its callers do with one sample, and with those that
 * interrupt it. It sees the steps of a case and never an observation. KERNEL_RULES in executable
 * form: model.c has rings and events, model_write.c the writer's way, model_poll.c the pollers,
 * model_step.c the steps of a case.
 */
#ifndef PERFWAKE_MODEL_H
#define PERFWAKE_MODEL_H

#include "case.h"

/* What lies in a ring. */
struct model_record {
	uint64_t value;		/* the sample's number, or how many a LOST record tells of */
	uint32_t bytes;		/* length in the ring, header and padding included */
	bool lost;		/* a LOST record */
};

/* Which rule raised a wake last, for the report; bits. */
enum model_cause {
	CAUSE_COUNT = 1 << 0,	/* wakeup_events samples */
	CAUSE_BYTES = 1 << 1,	/* more than the watermark produced */
};

/*
 * Where on the outer writer's way the inner ones come. The model does not know which instruction of a
 * kernel lies between which two of its steps; the verdict tries them all.
 */
enum moment {
	MOMENT_ENTERED,		/* first the inner ones, then the outer one */
	MOMENT_LOST_READ,	/* it saw whether there is a loss to tell of */
	MOMENT_NEST_RAISED,
	MOMENT_SNAPSHOT,	/* of the wake counter, taken */
	MOMENT_LOST_HELD,	/* the loss in hand, in a kernel that takes it at once */
	MOMENT_RESERVED,	/* head moved */
	MOMENT_BYTES_TESTED,	/* more than the watermark; the counter not moved yet */
	MOMENT_BYTES_DONE,
	MOMENT_LOST_TAKEN,	/* the loss is in its LOST record */
	MOMENT_COUNTED,		/* the sample counted, not yet compared */
	MOMENT_COUNT_REDUCED,	/* by N; the wake counter not moved yet */
	MOMENT_WRITTEN,
	MOMENT_PUBLISHED,	/* and left; its own wake is outstanding */
	MOMENT_REFUSED,		/* no space; the loss not counted yet */
	MOMENT_LOSS_COUNTED,
	MOMENTS			/* no interruption */
};

/*
 * The outputs that interrupt the next one, at @moments[0], one after the other; but one that is itself
 * interrupted at @moments[1] is by those behind it, and so on.
 */
struct model_inner {
	enum moment moments[CONTEXTS];
	uint32_t count;		/* up to CONTEXTS */
	uint32_t size;		/* payload bytes of each */
	uint32_t entered;	/* how many have begun */
	enum code codes[CONTEXTS];	/* what came back */
};

/* What interrupted writers suffer from in kernels as they are; bits. See defects.h. */
enum model_defect {
	DEFECT_LOST_WAKE = 1 << 0,	/* K8a */
	DEFECT_WAKE_STORM = 1 << 1,	/* K8b */
	DEFECT_EMPTY_LOSS = 1 << 2,	/* K8c */
	DEFECT_COUNT_TWICE = 1 << 3,	/* K8d */
};

/* A ring's memory and counters: struct perf_buffer, by its names. */
struct model_ring {
	uint64_t size;		/* bytes of the data area */
	uint64_t watermark;	/* bytes, the one in force */
	uint64_t head;		/* bytes produced since mmap; runs downwards when backward */
	uint64_t tail;		/* what the reader gave back, in the same count */
	uint64_t wakeup;
	uint32_t events;	/* compared as an int, as the kernel does */
	uint64_t lost;		/* refused since the last LOST record */
	bool backward;
	bool overwrite;
	bool paused;
	uint32_t nest;		/* writers under way */
	bool owed;		/* an inner writer moved @wakeup, and left the wake to the outermost one */
	uint32_t claims;	/* writers under way that have reserved a LOST record for @lost */
	bool poll;		/* the readiness flag */
	uint32_t cause;		/* enum model_cause bits of the wake that set @poll */

	struct model_record *records;	/* circular, @capacity entries, oldest first */
	uint32_t capacity;		/* a power of two */
	uint32_t first;			/* free-running index of the oldest record */
	uint32_t count;
};

#define MODEL_NO_RING CASE_MAX_RINGS

/* A descriptor: struct perf_event. */
struct model_event {
	uint32_t cpu;
	int32_t wakeup_events;	/* a C int in the kernel too: from 2^31 up it is negative */
	bool by_watermark;
	bool enabled;
	bool in_slot;		/* of the perf event array */
	bool mapped;		/* its own mapping, not one that it is redirected to */
	uint32_t output;	/* the ring it writes to: index in model.rings, or MODEL_NO_RING */
	uint64_t wakes;		/* calls of perf_event_wakeup() */
	uint64_t refused;	/* PERF_FORMAT_LOST: outputs refused since it was opened */
	bool listed[VIAS];	/* on the ready list of that kind of epoll */
};

/* What differs between kernels. */
struct model_kernel {
	bool lost_at_once;	/* K8c's cure: an output takes the loss when it sees it; in no release */
	bool rdnorm;		/* perf_poll() says RDNORM beside IN: 6.15, 6.12.23, 6.1.134 */
};

struct model {
	struct model_kernel kernel;
	struct model_ring rings[CASE_MAX_RINGS];
	struct model_event events[CASE_MAX_RINGS];
	uint32_t number;	/* the next sample's */
	struct model_inner inner;	/* of the case's interrupted step; the moment is the caller's guess */
	uint32_t defects;	/* enum model_defect bits: what the steps so far suffered from */
};

/* The rules of kernel @version, as trace.h counts versions; 0: the newest. */
struct model_kernel model_kernel(uint32_t version);

/* Records that the rings of @c can hold at most, over all rings. */
uint32_t model_records(const struct wake_case *c);

/* Set up for @c, which must be valid; @records has room for model_records(@c) and stays the caller's. */
void model_init(struct model *m, const struct wake_case *c, struct model_kernel kernel,
		struct model_record *records);

/*
 * One sample number @m->number of @size bytes, emitted on @cpu to slot @slot; the number is used up
 * whatever comes back. Mirrors bpf_perf_event_output().
 */
enum code model_emit(struct model *m, uint32_t slot, uint32_t cpu, uint32_t size);

/*
 * The same by another event that is redirected to ring @id with the thresholds of that ring's own: nobody is
 * told whether it was refused. Mirrors perf_event_output_forward() and _backward().
 */
void model_overflow(struct model *m, uint32_t id, uint32_t size);

/* The first sample of step @s, or each that is in no nesting: by its event or another one, which says nothing. */
enum code model_emit_first(struct model *m, const struct step *s);

/*
 * What step @s emits at once: one sample, or one from each of its contexts (from=), step_outputs() of them,
 * each within the one before. @codes gets what their helpers return, outermost first; the numbers are
 * m->number and those behind it.
 *
 * The inner one is entered when the outer one lies between perf_output_begin() and perf_output_sample(),
 * which is MOMENT_LOST_TAKEN; where that one was refused, behind it. So the outer one has its room, its byte
 * step and the loss before the inner one, and is counted after it, and the outermost publishes and wakes
 * for all of them; the fourth within one another is refused, and the ring does not hear of it. The
 * moment is known, unlike that of at=, and meets none of the defects: there is one outcome.
 */
void model_emit_within(struct model *m, const struct step *s, enum code codes[CONTEXTS]);

/* The ring that event @id writes to, or NULL. */
struct model_ring *model_ring_of(struct model *m, uint32_t id);

/* The oldest record (the newest of a backward ring) is read, its room given back. False: none. */
bool model_consume(struct model_ring *r, struct model_record *record);

/* Changes of an event; each returns what the system call does. */
enum code model_map(struct model *m, uint32_t id);	/* mmap() */
enum code model_unmap(struct model *m, uint32_t id);	/* munmap() */
enum code model_redirect(struct model *m, uint32_t id, uint32_t to);	/* IOC_SET_OUTPUT */
enum code model_pause(struct model *m, uint32_t id, bool pause);	/* IOC_PAUSE_OUTPUT */
enum code model_drop_slot(struct model *m, uint32_t id);	/* bpf_map_delete_elem() */

/* perf_event_wakeup(): every epoll of every event that writes to @ring puts it on its list. */
void model_wake(struct model *m, uint32_t ring);

/* One look at event @id with timeout 0, which takes the flag. Mirrors perf_poll() and its callers. */
enum readiness model_look(struct model *m, uint32_t id, enum look_via via);

/*
 * Perform step @s and add what it should show to @predicted, begun in @st. Stops before sample
 * @until (VALUE_NO_SAMPLE: never), so that a caller can ask for the state at a difference.
 */
void model_step(struct model *m, const struct step *s, uint32_t until,
		struct value_store *st, struct value *predicted);

#endif
