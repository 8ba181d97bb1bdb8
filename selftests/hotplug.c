// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU goes away and comes back while its ring is open. perf_event_exit_cpu_context() takes the
 * CPU's events out of its context for good: the descriptor and the ring stay, but no output ever
 * gets in again, whatever is enabled. Who reads has to open anew.
 */
#include <fcntl.h>

#include "kselftest_harness.h"
#include "subject.h"

#define ONLINE "/sys/devices/system/cpu/cpu1/online"

static bool found_online;
static pid_t owner;

/* 0 or -errno. */
static int set_online(bool online)
{
	int fd = open(ONLINE, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, online ? "1" : "0", 1) == 1 ? 0 : -errno;
	close(fd);
	return ret;
}

static bool is_online(void)
{
	char c = '0';
	int fd = open(ONLINE, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, &c, 1) != 1)
		c = '0';
	close(fd);
	return c == '1';
}

/*
 * Each test runs in a child, which an assertion or a time-out may end between the two writes: the
 * harness's own process leaves CPU 1 as it found it.
 */
static void __attribute__((constructor)) remember(void)
{
	owner = getpid();
	found_online = is_online();
}

static void __attribute__((destructor)) put_back(void)
{
	if (getpid() == owner && found_online && !is_online())
		set_online(true);
}

FIXTURE(hotplug)
{
	struct subject s;	/* slot 0, CPU 0 */
	struct ring ring;	/* slot 1, CPU 1, N = 10, with 14 samples of which 4 are a remainder */
	const char *why_not;	/* it cannot be tested; 6.1's harness runs the test after a SKIP here */
};

FIXTURE_SETUP(hotplug)
{
	struct ring_spec spec = { .pages = 1, .threshold = 10 };

	self->ring = self->s.ring = ring_closed();
	self->why_not = is_online() ? NULL : "there is no CPU 1 that can go offline";
	if (self->why_not)
		return;
	ASSERT_EQ(0, subject_open(&self->s, EMITTER_TEST_RUN, &spec));
	spec.cpu = 1;
	ASSERT_EQ(0, ring_open(&self->ring, &spec));
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 1, self->ring.fd));
	ASSERT_EQ(0, pin_to(1));
	for (int i = 0; i < 14; i++)
		ASSERT_EQ(0, subject_emit_to(&self->s, 1, 8));
	ASSERT_EQ(0, pin_to(0));
	if (set_online(false))
		self->why_not = "CPU 1 does not go offline here";
}

FIXTURE_TEARDOWN(hotplug)
{
	if (found_online && !is_online())
		set_online(true);
	ring_close(&self->ring);
	subject_close(&self->s);
}

TEST_F(hotplug, offline_the_ring_is_there_to_be_drained)
{
	struct ring_spec spec = { .cpu = 1, .pages = 1, .threshold = 1 };
	struct ring other;

	if (self->why_not)
		SKIP(return, "%s", self->why_not);
	/* The flag was raised at the tenth sample, and is there still. */
	EXPECT_EQ(READINESS_READY, look(&self->ring, VIA_EPOLL));
	EXPECT_EQ(READINESS_QUIET, look(&self->ring, VIA_EPOLL));
	EXPECT_EQ(-EOPNOTSUPP, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(READINESS_QUIET, look(&self->ring, VIA_POLL));
	EXPECT_EQ(14, subject_consume_from(&self->s, &self->ring, 1, 1));
	EXPECT_TRUE(subject_got(&self->s, 0, 13));
	EXPECT_EQ(-ENODEV, ring_open(&other, &spec)) TH_LOG("an event on an offline CPU");
	/* The others do not notice. */
	EXPECT_EQ(0, subject_emit(&self->s, 8));
	EXPECT_EQ(1, subject_consume(&self->s, 0));
}

TEST_F(hotplug, back_online_the_old_event_is_dead_and_a_new_one_works)
{
	struct ring_spec spec = { .cpu = 1, .pages = 1, .threshold = 2 };
	struct ring anew = ring_closed();

	if (self->why_not)
		SKIP(return, "%s", self->why_not);
	ASSERT_EQ(0, set_online(true));
	ASSERT_EQ(0, pin_to(1));
	EXPECT_EQ(-EOPNOTSUPP, subject_emit_to(&self->s, 1, 8));
	/* Enabling says yes and does nothing; a new mapping does not help either. */
	EXPECT_EQ(0, ring_enable(&self->ring, true));
	EXPECT_EQ(-EOPNOTSUPP, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(14, subject_consume_from(&self->s, &self->ring, 1, 1));
	EXPECT_TRUE(subject_got(&self->s, 0, 13));
	ring_unmap(&self->ring);
	ASSERT_EQ(0, ring_map(&self->ring));
	EXPECT_EQ(-EOPNOTSUPP, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(READINESS_QUIET, look(&self->ring, VIA_EPOLL));

	ASSERT_EQ(0, ring_open(&anew, &spec));
	ASSERT_EQ(0, emitter_set_slot(&self->s.emitter, 1, anew.fd));
	EXPECT_EQ(0, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(READINESS_QUIET, look(&anew, VIA_EPOLL));
	EXPECT_EQ(0, subject_emit_to(&self->s, 1, 8));
	EXPECT_EQ(READINESS_READY, look(&anew, VIA_EPOLL));
	EXPECT_EQ(2, subject_consume_from(&self->s, &anew, 1, 1));
	EXPECT_TRUE(subject_got(&self->s, 17, 18));
	ring_close(&anew);
}

/*
 * What may come but is not there has no events; what can never come is another error. Where all that
 * may come is there, the test of the offline CPU shows the first.
 */
TEST(possible_is_not_online)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	uint32_t cpus[SAMPLE_SLOTS], count = online_cpus(cpus);
	unsigned int last = 0;
	struct ring r;
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");

	ASSERT_NE(NULL, f);
	if (fscanf(f, "0-%u", &last) != 1)
		last = 0; /* one CPU is listed without a range */
	fclose(f);
	spec.cpu = last + 1;
	EXPECT_EQ(-EINVAL, ring_open(&r, &spec)) TH_LOG("an event on a CPU that is not possible");
	for (spec.cpu = count; spec.cpu <= last; spec.cpu++) {
		EXPECT_EQ(-ENODEV, ring_open(&r, &spec)) TH_LOG("CPU %u", spec.cpu);
	}
}

TEST_HARNESS_MAIN
