/* SPDX-License-Identifier: GPL-2.0 */
/* Random cases against the kernel: making them, performing and judging them, shrinking a difference. */
#ifndef PERFWAKE_FUZZ_H
#define PERFWAKE_FUZZ_H

#include "runner.h"
#include "trace_file.h"

#define FUZZ_MAX_STEPS		256
#define FUZZ_MAX_SAMPLES	8192	/* of one case */
#define FUZZ_MAX_OVERWRITE	(FUZZ_MAX_STEPS * 512)	/* read over and over in overwrite mode */

/* A random case and all that performing and judging it needs, allocated once. */
struct fuzz_case {
	struct wake_case wcase;
	struct step steps[FUZZ_MAX_STEPS];
	struct trace trace;
	struct verdict_workspace work;
	struct verdict verdict;
};

/* 0 or -ENOMEM; fuzz_case_close() accepts a zeroed or closed one. */
int fuzz_case_open(struct fuzz_case *f);
void fuzz_case_close(struct fuzz_case *f);

/* Make the case that @seed stands for; the same one every time. Emits on CPUs 0 to @cpus - 1. */
void fuzz_generate(struct fuzz_case *f, uint64_t seed, uint32_t cpus);

/*
 * Perform @f->wcase and judge it. Returns what runner_run() returns; the verdict is in @f->verdict
 * when that is 0.
 */
int fuzz_perform(struct fuzz_case *f, struct instruments *with,
		 struct runner_error *err);

/*
 * Make @f's case, which differs, as small as it can be while it still differs, at most @attempts
 * performances. Returns how many it took, or the error of one that failed.
 */
int fuzz_shrink(struct fuzz_case *f, struct instruments *with, int attempts,
		struct runner_error *err);

#endif
