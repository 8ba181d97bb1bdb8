/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's functions, by /proc/kallsyms. */
#ifndef PERFWAKE_KSYM_H
#define PERFWAKE_KSYM_H

#include <stdint.h>

#include "case.h"

struct ksym {
	char name[CASE_FUNCTION_BYTES];
	uint64_t address;
	uint32_t bytes;		/* to the next symbol */
};

/*
 * The functions named @name, and its parts by the compiler (@name.isra.0, @name.cold and so on), in the order of
 * their addresses, at most @max. Returns how many, or -errno; -EACCES where the addresses are hidden.
 */
int ksym_find(const char *name, struct ksym *found, int max);

/* The one function of exactly this name. 0, -ENOENT or another -errno. */
int ksym_exact(const char *name, struct ksym *found);

#endif
