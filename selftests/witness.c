// SPDX-License-Identifier: GPL-2.0
/*
 * The second witness: the kernel's own calls of perf_event_wakeup() for our descriptor, counted by a
 * BPF program, are as many as the rules say and as a reader sees.
 */
#include "kselftest_harness.h"
#include "subject.h"
#include "witness.h"

static const struct {
	uint32_t pages;
	uint32_t wakeup_events;
	uint32_t samples;	/* of 8 bytes, records of 24 */
	uint32_t wakes;		/* exactly */
} table[] = {
	{ 8, 1, 20, 20 },
	{ 8, 3, 11, 3 },
	{ 1, 100, 500, 10 },	/* 85 99 170 199 256 299 341 399 426 499: the half ring wakes too */
};

#define ROWS (sizeof(table) / sizeof(table[0]))

/* Attaching the witness takes longer than all rows, so they share one. */
FIXTURE(witness)
{
	struct subject s;
	struct witness w;
};

FIXTURE_SETUP(witness)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	/* Without one the test skips: in the harness of 6.1 a skip here would not stop it. */
	witness_open(&self->w, &self->s.emitter);
}

FIXTURE_TEARDOWN(witness)
{
	witness_close(&self->w);
	subject_close(&self->s);
}

TEST_F(witness, counts_what_the_reader_sees)
{
	if (!self->w.bpf)
		SKIP(return, "%s", self->w.missing);
	for (uint32_t row = 0; row < ROWS; row++) {
		struct ring_spec spec = { .pages = table[row].pages,
					  .threshold = table[row].wakeup_events };
		uint32_t seen = 0;

		ring_close(&self->s.ring);
		ASSERT_EQ(0, ring_open(&self->s.ring, &spec));
		ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 0, self->s.ring.fd));
		ASSERT_EQ(0, witness_watch(&self->w, row + 1, self->s.ring.fd));
		for (uint32_t number = 0; number < table[row].samples; number++) {
			ASSERT_EQ(0, subject_emit(&self->s, 8));
			seen += subject_ready(&self->s);
			ASSERT_EQ(seen, witness_wakes(&self->w, row + 1))
				TH_LOG("row %u, sample %u", row, number);
			ASSERT_EQ(1, subject_consume(&self->s, 0));
		}
		EXPECT_EQ(table[row].wakes, seen) TH_LOG("row %u", row);
	}
}

TEST_HARNESS_MAIN
