/* SPDX-License-Identifier: GPL-2.0 */
/* Known defects of stock kernels: the one list, for every report. */
#ifndef PERFWAKE_DEFECTS_H
#define PERFWAKE_DEFECTS_H

#include <stdint.h>

struct defect {
	uint32_t bit;		/* enum model_defect */
	const char *id;
	const char *what;	/* goes wrong, in one clause */
	const char *why;	/* in the kernel */
	const char *meaning;	/* to whoever reads the ring */
	const char *seen;	/* the versions */
};

#define DEFECTS 4
extern const struct defect defects[DEFECTS];

/* The ids in @bits with '+' between them, in a static buffer. */
const char *defect_ids(uint32_t bits);

#endif
