/* SPDX-License-Identifier: GPL-2.0 */
/* Consumes a mapped ring directly, and trusts no length that it finds there. */
#ifndef PERFWAKE_CONSUMER_RAW_H
#define PERFWAKE_CONSUMER_RAW_H

#include <sys/uio.h>

#include "ring.h"

/* One record, valid until the callback returns. */
struct raw_record {
	bool is_lost;
	uint64_t lost;		/* of a LOST record: refused samples it tells of */
	const uint8_t *payload;	/* of a sample */
	uint32_t size;		/* payload bytes, the kernel's padding included */
};

struct perf_event_header;

/* Read a whole record that lies in one piece. False: it is of no known kind, or contradicts itself. */
bool raw_record_parse(const struct perf_event_header *header, struct raw_record *record);

typedef void (*raw_record_fn)(void *ctx, const struct raw_record *record);

struct consumer_raw {
	uint8_t *whole;		/* room for a record that lies across the end of the ring */
};

/* 0 or -ENOMEM. */
int consumer_raw_open(struct consumer_raw *c);
void consumer_raw_close(struct consumer_raw *c);

/* Samples of one length that lie one behind the other, or a LOST record. */
struct raw_run {
	struct raw_record record;	/* the first */
	uint32_t count;
	uint32_t stride;		/* bytes from payload to payload */
};

/* The run is valid until it returns. */
typedef void (*raw_run_fn)(void *ctx, const struct raw_run *run);

/* Call @fn for each record of @run. */
void raw_run_each(const struct raw_run *run, raw_record_fn fn, void *ctx);

/*
 * One pass: data_head is read once, up to @max records (a backward ring needs UINT32_MAX) are handed
 * to @fn in order, newest first in a backward ring, and data_tail is stored once behind them, but for
 * a ring in overwrite mode. Returns the number of records, or -EBADMSG in front of a
 * record that cannot be one (length below 8, no multiple of 8, or beyond data_head, or of an unknown kind); what was
 * handed out before it is consumed then.
 */
int consumer_raw_runs(struct consumer_raw *c, const struct ring *r, uint32_t max, raw_run_fn fn,
		      void *ctx);

/* The same record by record; @max 0: all. */
int consumer_raw_pass(struct consumer_raw *c, const struct ring *r, uint32_t max,
		      raw_record_fn fn, void *ctx);

/* Samples handed over together. The caller gives the table, which holds them until it releases them. */
struct raw_batch {
	struct iovec *samples;	/* payloads, the kernel's padding included, oldest first */
	uint32_t capacity;	/* entries of @samples */
	uint32_t count;		/* of them filled in */
	uint64_t lost;		/* told of by the LOST records between them */
	uint64_t end;		/* position behind the batch, for consumer_raw_release() */
};

/*
 * One pass over a forward ring without a call for each record: data_head is read once, and @batch is
 * filled with all samples up to it, or as many as fit. They lie in the ring and are not copied, but
 * for one that lies across its end. Returns the number of samples, or -EBADMSG in front of
 * what is no record; those before it are in @batch then. Nothing is given back to the kernel until
 * consumer_raw_release(); the next pass begins there.
 */
int consumer_raw_batch(struct consumer_raw *c, const struct ring *r, struct raw_batch *batch);
void consumer_raw_release(const struct ring *r, const struct raw_batch *batch);

#endif
