// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ksym.h"

#define NAME_FORMAT "%63s"	/* CASE_FUNCTION_BYTES */
_Static_assert(CASE_FUNCTION_BYTES == 64, "NAME_FORMAT has to fit");

typedef bool (*name_fn)(const char *name, const char *wanted);

static bool same(const char *name, const char *wanted)
{
	return !strcmp(name, wanted);
}

static bool same_or_part(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return !strncmp(name, wanted, len) && (!name[len] || name[len] == '.');
}

static bool is_text(char type)
{
	return type == 't' || type == 'T';
}

/*
 * One line after the other: the file is in the order of addresses but for modules, which come last, so
 * a function ends where a later line says the next higher address.
 */
static int find(const char *wanted, name_fn is, struct ksym *found, int max)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	char line[512], type, name[CASE_FUNCTION_BYTES];
	uint64_t address;
	int n = 0;
	bool hidden = true;

	if (!in)
		return -errno;
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%" SCNx64 " %c " NAME_FORMAT, &address, &type, name) != 3)
			continue;
		hidden &= !address;
		for (int i = 0; i < n; i++)
			if (address > found[i].address &&
			    (!found[i].bytes || address < found[i].address + found[i].bytes))
				found[i].bytes = (uint32_t)(address - found[i].address);
		if (n < max && is_text(type) && is(name, wanted)) {
			found[n] = (struct ksym){ .address = address };
			strcpy(found[n++].name, name);
		}
	}
	fclose(in);
	return hidden ? -EACCES : n;
}

int ksym_find(const char *name, struct ksym *found, int max)
{
	return find(name, same_or_part, found, max);
}

int ksym_exact(const char *name, struct ksym *found)
{
	int n = find(name, same, found, 1);

	return n < 0 ? n : n ? 0 : -ENOENT;
}
