// SPDX-License-Identifier: GPL-2.0
/*
 * Prints how fast this machine's TSC counts, in kHz, as the kernel's tsc_early_khz= takes it. Under
 * emulation a guest reads the same counter. It calibrates it at boot against devices that are emulated,
 * too, and comes to a tenth of the truth where QEMU has to wait for its turn meanwhile: all its seconds
 * are short then, and its watchdogs bark. We read both clocks side by side, and know when we were disturbed.
 * Ends with 1 where the TSC does not tell time.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define APART_NS	20000000	/* between the two looks */
#define BETWEEN		3000		/* ticks, between two readings of the TSC around one of the clock */
#define TRIES		1000

struct look {
	uint64_t ticks, ns;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The least disturbed of many looks; true if that is good enough. */
static bool look(struct look *best)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES && least > BETWEEN / 10; i++) {
		uint64_t before = __rdtsc(), ns = now_ns(), took = __rdtsc() - before;

		if (took < least)
			*best = (struct look){ .ticks = before + took / 2, .ns = ns };
		least = took < least ? took : least;
	}
	return least <= BETWEEN;
}

/* The kernel's own opinion of the counter: steady at any clock of the CPU. */
static bool is_steady(void)
{
	FILE *in = fopen("/proc/cpuinfo", "r");
	bool steady = false;
	char line[8192];

	while (in && !steady && fgets(line, sizeof(line), in))
		steady = !strncmp(line, "flags", 5) && strstr(line, " constant_tsc");
	if (in)
		fclose(in);
	return steady;
}

int main(void)
{
	const struct timespec apart = { .tv_nsec = APART_NS };
	struct look first, second;

	if (!is_steady() || !look(&first))
		return 1;
	nanosleep(&apart, NULL);
	if (!look(&second))
		return 1;
	printf("%llu\n", (unsigned long long)((second.ticks - first.ticks) * 1000000 / (second.ns - first.ns)));
	return 0;
}
