/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exploration: at every place of the writer's way, in every situation, one sample is interrupted by
 * others, and the trace judged like any other.
 */
#ifndef PERFWAKE_EXPLORE_H
#define PERFWAKE_EXPLORE_H

#include "defects.h"
#include "ksym.h"
#include "runner.h"
#include "situations.h"

#define EXPLORE_MAX_SITUATIONS	128

/* What became of one place. */
struct explored {
	struct place place;
	uint8_t bytes[16];		/* of the kernel's text there */
	bool refused;			/* a kprobe was: no instruction begins there, or none is allowed */
	bool reached;			/* in one situation at least */
	uint32_t runs;			/* performed and judged */
	uint32_t defects;		/* enum model_defect bits over all runs */
	uint32_t broken;		/* runs that no moment explains */
	uint64_t shows;			/* a hash of what each run showed: equal where places cannot be told apart */
	/* For each known defect, and behind them for what is not one: the situation of the lowest N. */
	const struct situation *smallest[DEFECTS + 1];
	/* And of the highest, where the defect costs most; NULL where only watermarks show it. */
	const struct situation *worst[DEFECTS];
};

struct explorer {
	struct instruments *with;
	struct explore_case cases[EXPLORE_MAX_SITUATIONS];
	struct runner *runners[EXPLORE_MAX_SITUATIONS];	/* one for each case */
	uint32_t ncases;
	/* The addresses that were watched last, and which kinds of writers (bits) came by each of them. */
	struct place block;
	uint32_t watched;
	uint32_t kinds[INJECT_WATCHED];
	uint64_t entered;		/* bits of the scouts that come in at the function's entry */
	/* Called when a place shows a defect (its bit), or what is not one (0), with a lower N than before. */
	void (*found)(void *ctx, const struct explored *x, struct explore_case *e, uint32_t defect,
		      const struct verdict *v);
	void *ctx;
	struct runner_error error;	/* why explore_place() failed */
};

/* Which situations an explorer takes up. */
enum explore_set {
	EXPLORE_ALL,		/* those of one interruption */
	EXPLORE_QUICK,		/* of these the short set */
	EXPLORE_WITHIN,		/* those of two interruptions within one another */
};

/* Take up the situations of @set; or only the one of the name @only. 0, -ENOMEM or -ENOENT. */
int explorer_open(struct explorer *x, struct instruments *with, enum explore_set set,
		  const char *only);
void explorer_close(struct explorer *x);

/* Everything at @place, on each of its visits. 0, -EINTR when runner_stop() was called, or -errno with @x->error. */
int explore_place(struct explorer *x, const struct place *place, struct explored *result);

/*
 * Everything in which a writer interrupted at @outer by one that is interrupted at @inner in turn; for an explorer
 * of EXPLORE_WITHIN. As explore_place(); @result->place is @outer. -EOPNOTSUPP where this kernel or probe cannot.
 */
int explore_pair(struct explorer *x, const struct place *outer, const struct place *inner,
		 struct explored *result);

#endif
