/* SPDX-License-Identifier: GPL-2.0 */
/* Cases of one ring and one step that a table in C can hold, and what is wrong with them. */
#ifndef PERFWAKE_TESTS_CASE_ROWS_H
#define PERFWAKE_TESTS_CASE_ROWS_H

#include "case.h"

static const struct {
	const char *name;
	struct ring_spec ring;
	struct step step;
	enum case_error error;
} case_rows[] = {
	{ "a-1_.x", { .pages = 1 }, { .kind = STEP_LOOK }, CASE_SOUND },
	{ "", { .pages = 1 }, { .kind = STEP_LOOK }, CASE_NAME_MISSING },
	{ "a b", { .pages = 1 }, { .kind = STEP_LOOK }, CASE_NAME_WRONG },
	{ ".a", { .pages = 1 }, { .kind = STEP_LOOK }, CASE_NAME_WRONG },
	{ "a", { 0 }, { .kind = STEP_LOOK }, CASE_PAGES_MISSING },
	{ "a", { .pages = 6 }, { .kind = STEP_LOOK }, CASE_PAGES_NOT_POWER_OF_TWO },
	{ "a", { .pages = 8192 }, { .kind = STEP_LOOK }, CASE_PAGES_RANGE },
	{ "a", { .pages = 1, .cpu = 1024 }, { .kind = STEP_LOOK }, CASE_CPU_RANGE },
	{ "a", { .pages = 1 }, { .kind = STEP_LOOK, .ring = 1 }, CASE_RING_UNDECLARED },
	{ "a", { .pages = 1 }, { .kind = STEP_LOOK, .ring = 64 }, CASE_RING_RANGE },
	{ "a", { .pages = 1 }, { .kind = STEP_EMIT, .size = 4 }, CASE_COUNT_RANGE },
	{ "a", { .pages = 1 }, { .count = 4194305, .size = 4 }, CASE_COUNT_RANGE },
	{ "a", { .pages = 1 }, { .count = 1, .size = 3 }, CASE_SIZE_RANGE },
	{ "a", { .pages = 1 }, { .count = 1, .size = 4, .contexts = 8 }, CASE_SOUND },
	{ "a", { .pages = 1 }, { .count = 6, .size = 4, .contexts = 7 }, CASE_SOUND },
	{ "a", { .pages = 1 }, { .count = 7, .size = 4, .contexts = 7 }, CASE_COUNT_NESTING },
	{ "a", { .pages = 1 }, { .count = 8, .size = 4, .contexts = 16 }, CASE_CONTEXTS_RANGE },
	{ "a", { .pages = 1 }, { .count = 1, .size = 65517 }, CASE_SIZE_RANGE },
	{ "a", { .pages = 1 }, { .count = 1, .size = 4, .cpu = 1024 }, CASE_CPU_RANGE },
	{ "a", { .pages = 1 }, { .count = 1, .size = 65516 }, CASE_SOUND },
	{ "a", { .pages = 1 }, { .kind = STEP_LOOK, .expect.has = VALUE_NUMBERS },
	  CASE_VALUE_KIND },
	{ "a", { .pages = 1 }, { .kind = STEP_LOOK, .expect.has = VALUE_LOST },
	  CASE_VALUE_KIND },
	{ "a", { .pages = 1 }, { .kind = STEP_LOOK, .expect.has = VALUE_HEAD }, CASE_SOUND },
	{ "a", { .pages = 1 }, { .kind = STEP_READ_LOST, .expect.has = VALUE_LOST },
	  CASE_SOUND },
	{ "a", { .pages = 1 }, { .kind = STEP_REDIRECT, .to = 1 }, CASE_REDIRECT_TO },
	{ "a", { .pages = 1 }, { .kind = STEP_REDIRECT, .to = 64 }, CASE_REDIRECT_TO },
	{ "a", { .pages = 1, .overwrite = true }, { .kind = STEP_CONSUME },
	  CASE_CONSUME_FORWARD },
	{ "a", { .pages = 1, .overwrite = true, .backward = true }, { .kind = STEP_CONSUME },
	  CASE_SOUND },
	{ "a", { .pages = 1, .overwrite = true, .backward = true },
	  { .count = 1, .size = 4, .every = EVERY_LOOK_CONSUME }, CASE_CONSUME_EVERY },
	{ "a", { .pages = 1, .backward = true }, { .kind = STEP_CONSUME, .count = 1 },
	  CASE_CONSUME_PART },
};

#endif
