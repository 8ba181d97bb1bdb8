// SPDX-License-Identifier: GPL-2.0
/*
 * K1, K6 on many CPUs: a ring for each that is online, each with a threshold of its own. Each counts
 * for itself; order holds within a ring and is promised nowhere else.
 */
#include <linux/bpf.h>

#include "kselftest_harness.h"
#include "subject.h"

/* By position among the online CPUs, from the start again behind the eighth. */
static const uint32_t thresholds[8] = { 3, 1, 4, 2, 10, 5, 7, 6 };

/* The subject's own ring stays aside: slot k is CPU k's. */
FIXTURE(percpu)
{
	struct subject s;
	uint32_t cpus[SAMPLE_SLOTS];
	uint32_t count;
	struct ring rings[SAMPLE_SLOTS];
};

FIXTURE_SETUP(percpu)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };

	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	self->count = online_cpus(self->cpus);
	ASSERT_LT(0, self->count);
	for (uint32_t i = 0; i < self->count; i++) {
		spec.cpu = self->cpus[i];
		spec.threshold = thresholds[i % 8];
		ASSERT_EQ(0, ring_open(&self->rings[i], &spec)) TH_LOG("CPU %u", spec.cpu);
		ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, spec.cpu, self->rings[i].fd));
	}
}

FIXTURE_TEARDOWN(percpu)
{
	for (uint32_t i = 0; i < self->count; i++)
		ring_close(&self->rings[i]);
	subject_close(&self->s);
}

/* The position of the one ring that is ready, or @count for none, or -1 for several. */
static int ready_one(const struct ring *rings, uint32_t count)
{
	int found = (int)count;

	for (uint32_t i = 0; i < count; i++) {
		if (look(&rings[i], VIA_EPOLL) == READINESS_QUIET)
			continue;
		if (found != (int)count)
			return -1;
		found = (int)i;
	}
	return found;
}

/* One CPU after the other: quiet everywhere at N - 1, ready at N there alone. */
TEST_F(percpu, each_at_its_own_threshold)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < self->count; i++) {
		uint32_t n = thresholds[i % 8], cpu = self->cpus[i];

		ASSERT_EQ(0, pin_to(cpu));
		for (uint32_t left = n; left; left--) {
			ASSERT_EQ((int)self->count, ready_one(self->rings, self->count));
			ASSERT_EQ(0, subject_emit_to(&self->s, cpu, 8));
		}
		ASSERT_EQ((int)i, ready_one(self->rings, self->count)) TH_LOG("CPU %u", cpu);
		ASSERT_EQ((int)self->count, ready_one(self->rings, self->count));
	}
	for (uint32_t i = 0; i < self->count; i++) {
		uint32_t n = thresholds[i % 8], cpu = self->cpus[i];

		ASSERT_EQ((int)n, subject_consume_from(&self->s, &self->rings[i], cpu, cpu));
		EXPECT_TRUE(subject_got(&self->s, first, first + n - 1)) TH_LOG("CPU %u", cpu);
		first += n;
	}
}

/*
 * One sample a CPU, in turn: after round r the rings with a threshold that divides r are ready, and
 * each has the numbers of its turns.
 */
TEST_F(percpu, in_turn_each_counts_for_itself)
{
	for (uint32_t round = 1; round <= 12; round++) {
		for (uint32_t i = 0; i < self->count; i++) {
			ASSERT_EQ(0, pin_to(self->cpus[i]));
			ASSERT_EQ(0, subject_emit_to(&self->s, self->cpus[i], 8));
		}
		for (uint32_t i = 0; i < self->count; i++) {
			bool due = round % thresholds[i % 8] == 0;

			ASSERT_EQ(due ? READINESS_READY : READINESS_QUIET,
				  look(&self->rings[i], VIA_EPOLL)) TH_LOG("round %u", round);
		}
	}
	for (uint32_t i = 0; i < self->count; i++) {
		uint32_t cpu = self->cpus[i];

		ASSERT_EQ(12, subject_consume_from(&self->s, &self->rings[i], cpu, cpu));
		EXPECT_EQ(0, self->s.torn);
		for (uint32_t nth = 0; nth < 12; nth++)
			ASSERT_EQ(nth * self->count + i, self->s.numbers[nth]);
	}
}

TEST_F(percpu, the_slot_of_another_cpu_is_refused)
{
	if (self->count < 2)
		SKIP(return, "one CPU alone is online");
	for (uint32_t i = 0; i < self->count; i++) {
		ASSERT_EQ(0, pin_to(self->cpus[i]));
		for (uint32_t j = 0; j < self->count; j++) {
			int expected = i == j ? 0 : -EOPNOTSUPP;

			ASSERT_EQ(expected, subject_emit_to(&self->s, self->cpus[j], 8))
				TH_LOG("from CPU %u to slot %u", self->cpus[i], self->cpus[j]);
		}
	}
	for (uint32_t i = 0; i < self->count; i++) {
		uint32_t cpu = self->cpus[i];

		ASSERT_EQ(1, subject_consume_from(&self->s, &self->rings[i], cpu, cpu));
		EXPECT_EQ(i * self->count + i, self->s.numbers[0]);
	}
}

TEST_F(percpu, current_cpu_is_the_slot_of_the_cpu)
{
	for (uint32_t i = 0; i < self->count; i++) {
		int code = -1;

		ASSERT_EQ(0, pin_to(self->cpus[i]));
		ASSERT_EQ(0, emitter_emit_flags(&self->s.emitter, BPF_F_CURRENT_CPU, 4, &code));
		ASSERT_EQ(0, code);
	}
	self->s.size = 4;
	for (uint32_t i = 0; i < self->count; i++) {
		uint32_t cpu = self->cpus[i];

		ASSERT_EQ(1, subject_consume_from(&self->s, &self->rings[i], cpu, 0));
		EXPECT_TRUE(subject_got(&self->s, i, i)) TH_LOG("CPU %u", cpu);
	}
}

TEST_HARNESS_MAIN
