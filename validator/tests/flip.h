/* SPDX-License-Identifier: GPL-2.0 */
/* Falsify one entry of a value at a time, so that whoever judges has to notice each of them. */
#ifndef PERFWAKE_TESTS_FLIP_H
#define PERFWAKE_TESTS_FLIP_H

#include "case.h"

/* What was falsified, and where it has to be noticed. */
struct flip {
	const char *what;
	uint32_t part;
	uint32_t sample;
};

/* How many ways to falsify @v there are; not all of them apply. */
uint32_t flip_ways(const struct value *v);

/*
 * Falsify @from in way @way: the result is @to, at the end of the same store. @first is the number
 * of the step's first sample. Returns false when that way does not apply.
 */
bool flip_value(struct value_store *st, const struct value *from, const struct step *s,
		uint32_t first, uint32_t way, struct value *to, struct flip *told);

/* Room in @st for @extra more entries of each kind; what is there stays. */
int store_grow(struct value_store *st, uint32_t extra);

#endif
