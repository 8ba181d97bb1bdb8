// SPDX-License-Identifier: GPL-2.0
/*
 * The second witness: the kernel's own calls of perf_event_wakeup() for our descriptor, counted by a
 * BPF program, are as many as the rules say and as a reader sees.
 */
#include "kselftest_harness.h"
#include "subject.h"
#include "witness.h"

FIXTURE(witness)
{
	struct subject s;
	struct witness w;
};

FIXTURE_VARIANT(witness)
{
	uint32_t pages;
	uint32_t wakeup_events;
	uint32_t samples;	/* of 8 bytes, records of 24 */
	uint32_t wakes;		/* exactly */
};

FIXTURE_VARIANT_ADD(witness, every_sample) { 8, 1, 20, 20 };
FIXTURE_VARIANT_ADD(witness, every_third) { 8, 3, 11, 3 };
/* 85 99 170 199 256 299 341 399 426 499: the half ring wakes too. */
FIXTURE_VARIANT_ADD(witness, count_and_half_ring) { 1, 100, 500, 10 };

FIXTURE_SETUP(witness)
{
	struct ring_spec spec = { .pages = variant->pages, .threshold = variant->wakeup_events };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	if (witness_open(&self->w, &self->s.emitter))
		return;	/* the test skips: in the harness of 6.1 a skip here would not stop it */
	/* It tried itself in the subject's slot. */
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 0, self->s.ring.fd));
	ASSERT_EQ(0, witness_watch(&self->w, 1, self->s.ring.fd));
}

FIXTURE_TEARDOWN(witness)
{
	witness_close(&self->w);
	subject_close(&self->s);
}

TEST_F(witness, counts_what_the_reader_sees)
{
	uint32_t seen = 0;

	if (!self->w.bpf)
		SKIP(return, "%s", self->w.missing);
	for (uint32_t number = 0; number < variant->samples; number++) {
		ASSERT_EQ(0, subject_emit(&self->s, 8));
		seen += subject_ready(&self->s);
		ASSERT_EQ(seen, witness_wakes(&self->w, 1)) TH_LOG("sample %u", number);
		ASSERT_EQ(1, subject_consume(&self->s, 0));
	}
	EXPECT_EQ(variant->wakes, seen);
}

TEST_HARNESS_MAIN
