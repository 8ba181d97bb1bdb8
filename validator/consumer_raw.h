/* SPDX-License-Identifier: GPL-2.0 */
/* Consumes a mapped ring directly, and trusts no length that it finds there. */
#ifndef PERFWAKE_CONSUMER_RAW_H
#define PERFWAKE_CONSUMER_RAW_H

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

/*
 * One pass: data_head is read once, up to @max records (0: all, which a backward ring needs) are handed
 * to @fn in order, newest first in a backward ring, and data_tail is stored once behind them, but for
 * a ring in overwrite mode. Returns the number of records, or -EBADMSG in front of a
 * record that cannot be one (length below 8 or beyond data_head, or of an unknown kind); what was
 * handed out before it is consumed then.
 */
int consumer_raw_pass(struct consumer_raw *c, const struct ring *r, uint32_t max,
		      raw_record_fn fn, void *ctx);

#endif
