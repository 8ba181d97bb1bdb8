/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who reads rings: our own reader, or a library that tools use, behind one interface. What a library
 * does not offer is known beforehand, so that a case which needs it is a declared skip; what it
 * does otherwise than it documents is in deviation.h.
 */
#ifndef PERFWAKE_CONSUMER_H
#define PERFWAKE_CONSUMER_H

#include "consumer_raw.h"

/* What a consumer offers and cases need; consumer.c has a reason for each. */
enum consumer_offer {
	OFFER_EVENTS	= 1 << 0,	/* wakeup_events other than 1 */
	OFFER_ZERO	= 1 << 1,	/* wakeup_events of 0, or beyond what a C int holds */
	OFFER_BYTES	= 1 << 2,	/* a watermark in bytes */
	OFFER_BYTES_ANY	= 1 << 3,	/* also 0, and a ring's length and more */
	OFFER_CONSUME	= 1 << 4,	/* hands out what no wake announced */
	OFFER_WAITS	= 1 << 5,	/* reads nothing before it is told to */
	OFFER_FD	= 1 << 6,	/* tells its descriptors: looks of all kinds, pause, disable, redirect */
	OFFER_PART	= 1 << 7,	/* stops after so many records */
	OFFER_EACH	= 1 << 8,	/* each ring has a threshold, a size and a slot of its own */
	OFFER_COUNT	= 1 << 9,	/* can be opened with PERF_FORMAT_LOST */
	OFFER_MAPPING	= 1 << 10,	/* unmap, map, remap */
	OFFER_BACKWARD	= 1 << 11,	/* backward rings, and overwrite mode */
	OFFERS		= 12
};

struct consumer;

struct consumer_ops {
	const char *version;	/* a library that is linked in; others say theirs when they start */
	uint32_t offers;

	/* Get ready for rings. Returns 0 or -errno with @c->reason saying what to do. May be NULL. */
	int (*start)(struct consumer *c);
	void (*stop)(struct consumer *c);

	/* As consumer_open_ring() and so on, without what these do for all. */
	int (*open)(struct consumer *c, uint32_t id, const struct ring_spec *spec, struct ring *ring);
	int (*poll)(struct consumer *c, uint32_t id, struct ring *ring, int timeout_ms);
	int (*consume)(struct consumer *c, uint32_t id, struct ring *ring);
	void (*close)(struct consumer *c, uint32_t id);
};

extern const struct consumer_ops consumer_raw_ops, consumer_libbpf_ops, consumer_libbpf_raw_ops,
				 consumer_pipe_ops;

struct consumer {
	enum consumer_kind kind;
	const struct consumer_ops *ops;	/* NULL: not started */
	uint32_t offers;		/* enum consumer_offer bits */
	char version[64];
	char reason[200];		/* why the last call failed, where it was not the library that did */
	int slots_fd;			/* the perf event array that it puts its rings into */
	uint32_t slots;			/* its entries */
	uint64_t callbacks;		/* calls that handed over records, since it was started */

	/* of the call that runs */
	raw_run_fn fn;
	void *ctx;
	uint32_t left;			/* records still wanted; UINT32_MAX: all */
	uint32_t records;		/* handed over by it */

	void *rings[CASE_MAX_RINGS];	/* the implementation's, by ring; NULL: not open */
	uint32_t index[CASE_MAX_RINGS];	/* the library's number for a ring */
	void *own;			/* the implementation's */
};

/* How many slots the perf event array may have for it, up to CASE_MAX_RINGS. */
uint32_t consumer_slots(enum consumer_kind kind);

/* Nothing started: what consumer_stop() leaves, and accepts. */
void consumer_init(struct consumer *c, enum consumer_kind kind);

/*
 * Get ready to open rings in the perf event array @slots_fd. Returns 0 or -errno; then @c->reason is
 * a line that says what to do, and nothing is held.
 */
int consumer_start(struct consumer *c, int slots_fd);
void consumer_stop(struct consumer *c);

/*
 * Why the rings of @wc that are @c's cannot be read by it as the case wants it, or NULL. Text of the
 * last call.
 */
const char *consumer_lacks(const struct consumer *c, const struct wake_case *wc);

/* The slot that ring @id of @spec lies in: libraries that open all CPUs at once take the CPU's. */
uint32_t consumer_slot(const struct consumer *c, uint32_t id, const struct ring_spec *spec);

/*
 * Open ring @id, by the library where it is one, and put it into its slot. *@ring is then what can
 * be looked at and changed, as far as the consumer tells its descriptors, and has no page when it does
 * not tell its memory. Returns 0 or -errno; then *@ring is closed.
 */
int consumer_open_ring(struct consumer *c, uint32_t id, const struct ring_spec *spec,
		       struct ring *ring);
void consumer_close_ring(struct consumer *c, uint32_t id, struct ring *ring);

/*
 * Poll as the library does: wait up to @timeout_ms (-1: for ever) and read the rings that are ready.
 * @id is the ring that is meant; a library with one poller for several rings may read others too.
 * Returns what the library's call says (not below 0), or -errno. *@ready: it said that something
 * was ready, or handed over a record.
 */
int consumer_poll(struct consumer *c, uint32_t id, struct ring *ring, int timeout_ms,
		  raw_run_fn fn, void *ctx, bool *ready);

/*
 * Read what is there, up to @max records (0: all), whether or not a wake announced it. Returns what
 * the library's call says (not below 0), or -errno.
 */
int consumer_consume(struct consumer *c, uint32_t id, struct ring *ring, uint32_t max,
		     raw_run_fn fn, void *ctx);

/*
 * For implementations: hand over what the library's callback was called with, one record or a run of
 * them. False: no more are wanted.
 */
bool consumer_deliver(struct consumer *c, const struct raw_record *record);
bool consumer_deliver_run(struct consumer *c, const struct raw_run *run);

/* The consumers of one run, started when a case first needs them. */
struct consumers {
	struct consumer by_kind[CONSUMERS];
	int slots_fd;
	uint32_t slots;
};

/* @slots is how many entries @slots_fd has. */
void consumers_init(struct consumers *all, int slots_fd, uint32_t slots);
void consumers_stop(struct consumers *all);

/* The started consumer of @kind, or NULL with *@reason saying why there is none. */
struct consumer *consumers_get(struct consumers *all, enum consumer_kind kind, const char **reason);

#endif
