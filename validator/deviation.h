/* SPDX-License-Identifier: GPL-2.0 */
/* Where a library does otherwise than it documents, or than its callers take it to: the one list. */
#ifndef PERFWAKE_DEVIATION_H
#define PERFWAKE_DEVIATION_H

#include "case.h"

struct deviation {
	const char *id;
	uint32_t consumers;	/* 1 << enum consumer_kind, of those that show it */
	const char *shows;	/* cases, the smallest first, or the probe in which it is seen; or the selftest */
	const char *seen;	/* versions */
	const char *reason;	/* what is documented or taken for granted, and what is done */
};

/* All of them; ends with a NULL id. */
extern const struct deviation deviations[];

/* That of @kind which @shows is the case or probe of, or NULL. */
const struct deviation *deviation_of(enum consumer_kind kind, const char *shows);

#endif
