// SPDX-License-Identifier: GPL-2.0
/* K6: what the helper returns, and that none of the refusals wakes or leaves a sample. */
#include <linux/bpf.h>

#include "kselftest_harness.h"
#include "subject.h"

FIXTURE(codes)
{
	struct subject s;
};

FIXTURE_VARIANT(codes)
{
	enum emitter_kind emitter;
};

FIXTURE_VARIANT_ADD(codes, test_run) { EMITTER_TEST_RUN };
FIXTURE_VARIANT_ADD(codes, attached) { EMITTER_ATTACHED };

FIXTURE_SETUP(codes)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };

	ASSERT_EQ(0, subject_open(&self->s, variant->emitter, &spec));
}

FIXTURE_TEARDOWN(codes)
{
	subject_close(&self->s);
}

/* The code of one output with @flags; also that it did nothing else. */
static int refused(struct subject *s, uint64_t flags)
{
	int code, ret = emitter_emit_flags(&s->emitter, flags, 8, &code);

	if (ret)
		return ret;
	if (subject_ready(s) || (s->ring.page && subject_consume(s, 0)))
		return -EUCLEAN;
	return code;
}

TEST_F(codes, accepted)
{
	EXPECT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_TRUE(subject_ready(&self->s));
}

TEST_F(codes, current_cpu_is_slot_zero_here)
{
	int code;

	ASSERT_EQ(0, emitter_emit_flags(&self->s.emitter, BPF_F_CURRENT_CPU, 8, &code));
	EXPECT_EQ(0, code);
	EXPECT_TRUE(subject_ready(&self->s));
}

TEST_F(codes, index_out_of_range)
{
	EXPECT_EQ(-E2BIG, refused(&self->s, 64));
	EXPECT_EQ(-E2BIG, refused(&self->s, 0xfffffffe));
}

TEST_F(codes, empty_slot)
{
	EXPECT_EQ(-ENOENT, refused(&self->s, 1));
	EXPECT_EQ(-ENOENT, refused(&self->s, 63));
	ASSERT_EQ(0, emitter_drop_slot(&self->s.emitter, 0));
	EXPECT_EQ(-ENOENT, refused(&self->s, 0));
	EXPECT_EQ(-ENOENT, emitter_drop_slot(&self->s.emitter, 0));
}

TEST_F(codes, unknown_flags)
{
	EXPECT_EQ(-EINVAL, refused(&self->s, 1ULL << 32));
	EXPECT_EQ(-EINVAL, refused(&self->s, 1ULL << 63));
}

TEST_F(codes, disabled)
{
	ASSERT_EQ(0, ring_enable(&self->s.ring, false));
	EXPECT_EQ(-EOPNOTSUPP, refused(&self->s, 0));
	ASSERT_EQ(0, ring_enable(&self->s.ring, true));
	EXPECT_EQ(0, subject_emit(&self->s, 8));
}

TEST_F(codes, paused)
{
	ASSERT_EQ(0, ring_pause(&self->s.ring, true));
	EXPECT_EQ(-ENOSPC, refused(&self->s, 0));
}

TEST_F(codes, not_mapped)
{
	int code;

	ring_unmap(&self->s.ring);
	ASSERT_EQ(0, emitter_emit_flags(&self->s.emitter, 0, 8, &code));
	EXPECT_EQ(-ENOSPC, code);
}

TEST_F(codes, slot_of_another_cpu)
{
	struct ring_spec spec = { .cpu = 1, .pages = 1, .threshold = 1 };
	struct ring other;
	int ret = ring_open(&other, &spec);

	if (ret == -ENODEV || ret == -EINVAL)
		SKIP(return, "there is no CPU 1");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 1, other.fd));
	EXPECT_EQ(-EOPNOTSUPP, refused(&self->s, 1));
	ring_close(&other);
}

TEST_HARNESS_MAIN
