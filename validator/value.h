/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A value: what a person expects of a step, what the model predicts for it, or what was seen.
 * The three are the same type, so that comparing them needs no translation.
 */
#ifndef PERFWAKE_VALUE_H
#define PERFWAKE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Errno names that a step can end with; the numbers are ours, a trace does not depend on the machine. */
#define VALUE_CODES(X) \
	X(EPERM) X(ENOENT) X(EINTR) X(EIO) X(E2BIG) X(EAGAIN) X(ENOMEM) X(EACCES) X(EBUSY) X(ENODEV) \
	X(EINVAL) X(ENOSPC) X(EBADMSG) X(EOPNOTSUPP) X(ENOBUFS) X(ETIMEDOUT)

enum code {
	CODE_OK,
#define VALUE_CODE_ENUM(name) CODE_##name,
	VALUE_CODES(VALUE_CODE_ENUM)
#undef VALUE_CODE_ENUM
	CODE_OTHER,		/* an errno without a name here */
	CODES
};

enum readiness {
	READINESS_QUIET,
	READINESS_READY,
	READINESS_HUP,
	READINESS_ERR,
};

/* Which members of a value say something. */
enum value_part {
	VALUE_CODE	= 1 << 0,	/* codes: one for a step, one a sample for an emit */
	VALUE_READINESS	= 1 << 1,	/* readiness: what one look found */
	VALUE_READY_AT	= 1 << 2,	/* ready_at: the samples after which a look was ready */
	VALUE_NUMBERS	= 1 << 3,	/* numbers, lost, torn: what consuming gave */
	VALUE_LOST	= 1 << 4,	/* lost alone: what read() counts */
	VALUE_WAKES	= 1 << 5,	/* wakes: the kernel's own calls of perf_event_wakeup() */
	VALUE_HEAD	= 1 << 6,	/* head: data_head after the step, where the ring is mapped */
};

/* @count times the same code, in the order of emission. */
struct code_run {
	enum code code;
	uint32_t count;
};

/* Sample numbers @first to @last, both included. */
struct range {
	uint32_t first;
	uint32_t last;
};

/* Entries @start to @start + @count - 1 of an array of the store. */
struct slice {
	uint32_t start;
	uint32_t count;
};

struct value {
	uint32_t has;		/* enum value_part bits */
	enum readiness readiness;
	struct slice codes;
	struct slice ready_at;
	struct slice numbers;	/* in the order read; each consume begins a range */
	struct slice torn;	/* numbers whose content was not what was emitted */
	uint64_t lost;		/* sum of the LOST records read, or what read() says */
	uint64_t wakes;
	uint64_t head;
};

/*
 * The arrays that values point into. The owner gives the arrays and their capacities; a store that
 * is full sets @full and drops what does not fit, and whoever judges must refuse it then.
 */
struct value_store {
	struct code_run *codes;
	struct range *ready_at;
	struct range *numbers;
	struct range *torn;
	uint32_t ncodes, nready_at, nnumbers, ntorn;
	uint32_t capacity;	/* entries of each array */
	bool full;
};

/* Start @v at the end of the store's arrays, with nothing in it. */
void value_begin(struct value_store *st, struct value *v);

/* Append to @v, which must be the last value begun in @st. Each joins the last entry where it can. */
void value_add_code(struct value_store *st, struct value *v, enum code code, uint32_t count);
void value_add_ready(struct value_store *st, struct value *v, uint32_t number);
void value_add_torn(struct value_store *st, struct value *v, uint32_t number);
/* @new_pass: this is the first number of a consume, and begins a range of its own. */
void value_add_number(struct value_store *st, struct value *v, uint32_t number, bool new_pass);
void value_add_numbers(struct value_store *st, struct value *v, struct range numbers, bool new_pass);

/* The code at @index, counted from 0 over all that @v has; CODE_OTHER where it has fewer. */
enum code value_code_at(const struct value_store *st, const struct value *v, uint32_t index);

/* Forget all values of the store. */
void value_store_clear(struct value_store *st);

/* No particular sample. */
#define VALUE_NO_SAMPLE UINT32_MAX

/*
 * Compare the parts that @a has with the same parts of @b; a part that @b lacks differs. @first is
 * the number of the step's first sample. Returns 0 when they agree, else the part that differs, and
 * in *@sample the lowest sample number that shows it, or VALUE_NO_SAMPLE.
 */
uint32_t value_compare(const struct value_store *as, const struct value *a,
		       const struct value_store *bs, const struct value *b,
		       uint32_t first, uint32_t *sample);

#endif
