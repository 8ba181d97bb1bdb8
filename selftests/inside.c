// SPDX-License-Identifier: GPL-2.0
/*
 * K4, K6, K8: what holds while an output is under way. A record is published when it is whole and not
 * before, pollers are called when there is something to read, both by the outermost writer alone; and
 * three outputs may be within one another.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../bpf_progs/inside.h"
#include "injector.h"
#include "inside.skel.h"
#include "kselftest_harness.h"
#include "ksym.h"
#include "settle.h"
#include "subject.h"

#define RECORD		24	/* 8 bytes of payload */
#define DEADLINE_S	20
#define TIMES		50	/* outputs three levels deep that have to have been seen */

FIXTURE(inside)
{
	struct inside_bpf *bpf;
	struct bpf_link *links[4];
	struct inside_io *io;
	struct ring ring;
	char optimization;	/* what injector_optimize() found */
	int missing;		/* why a kprobe is not there, an errno */
};

/* The interrupt's function that calls the pollers; 6.1 gave it another name, and 5.10 still has the old one. */
static struct bpf_link *attach_wake(struct bpf_program *program)
{
	static const char *const names[] = { "perf_pending_irq", "perf_pending_event" };
	struct ksym found;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!ksym_exact(names[i], &found))
			return bpf_program__attach_kprobe(program, false, names[i]);
	errno = ENOENT;
	return NULL;
}

/*
 * Behind the call of ftrace that functions begin with, since there a kprobe runs with interrupts off: what the
 * nested output asks for then comes when its program is over, within the outer output, and can be seen by another.
 */
static struct bpf_link *attach_sample(struct bpf_program *program)
{
	static const size_t offsets[] = { 5, 9 };	/* the second where an endbr64 comes first */
	struct bpf_link *link = NULL;

	for (size_t i = 0; !link && i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		LIBBPF_OPTS(bpf_kprobe_opts, opts, .offset = offsets[i]);

		link = bpf_program__attach_kprobe_opts(program, "perf_output_sample", &opts);
	}
	return link;
}

static int no_print(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

FIXTURE_SETUP(inside)
{
	libbpf_set_print(no_print);
	self->ring = ring_closed();
	ASSERT_EQ(0, pin_to(0));
	self->bpf = inside_bpf__open_and_load();
	ASSERT_NE(NULL, self->bpf);
	self->io = &self->bpf->bss->io;
	self->links[0] = bpf_program__attach(self->bpf->progs.inside_second);
	ASSERT_NE(NULL, self->links[0]);
	self->optimization = injector_optimize('0');
	self->links[1] = attach_sample(self->bpf->progs.inside_sample);
	if (self->links[1])
		self->links[2] = bpf_program__attach(self->bpf->progs.inside_end);
	if (self->links[2])
		self->links[3] = attach_wake(self->bpf->progs.inside_wake);
	if (!self->links[3])
		self->missing = errno;
}

FIXTURE_TEARDOWN(inside)
{
	for (int i = 0; i < 4; i++)
		bpf_link__destroy(self->links[i]);
	if (self->optimization)
		injector_optimize(self->optimization);
	ring_close(&self->ring);
	inside_bpf__destroy(self->bpf);
}

static int open_ring(struct inside_bpf *bpf, struct ring *r, const struct ring_spec *spec)
{
	uint32_t slot = 0;
	int ret = ring_open(r, spec);

	if (!ret && bpf_map_update_elem(bpf_map__fd(bpf->maps.slots), &slot, &r->fd, BPF_ANY))
		ret = -errno;
	return ret;
}

static int run(struct inside_bpf *bpf, uint32_t count)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	bpf->bss->io.count = count;
	return bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.inside_first), &opts) ? -errno : 0;
}

/* The pollers were called; on PREEMPT_RT by a thread, where nothing of this task is mapped. */
static void called(struct __test_metadata *_metadata, const struct inside_io *io)
{
	if (settle_needed()) {
		EXPECT_LT(0, io->wakes + io->elsewhere);
	} else {
		EXPECT_LT(0, io->wakes);
		EXPECT_EQ(0, io->elsewhere);
	}
}

/* Twenty samples, one at a time, each of which wakes, with or without another one within it. */
static void look_inside(struct __test_metadata *_metadata, struct inside_bpf *bpf, struct ring *r,
			uint32_t nested)
{
	struct ring_spec spec = { .pages = 1, .threshold = 1 };
	struct inside_io *io = &bpf->bss->io;

	ASSERT_EQ(0, open_ring(bpf, r, &spec));
	io->head = (uintptr_t)&r->page->data_head;
	io->work = 0;
	ASSERT_EQ(0, ring_head(r));	/* an interrupt may not fault the page in */
	for (uint32_t number = 0; number < 20; number++) {
		uint64_t before = ring_head(r), after = before + (1 + nested) * RECORD;

		io->nested = nested;
		io->nested_done = io->wakes = io->elsewhere = io->samples = io->ends = 0;
		ASSERT_EQ(0, run(bpf, 1));
		ASSERT_EQ(0, io->refused);
		ASSERT_EQ(nested, io->nested_done);
		ASSERT_EQ(0, io->nested_code);
		ASSERT_EQ(after, ring_head(r));
		/* The inner writer's own are within the program that looks, which does not nest. */
		ASSERT_EQ(1, io->samples);
		ASSERT_EQ(1, io->ends);
		EXPECT_EQ(before, io->at_sample) TH_LOG("sample %u", number);
		EXPECT_EQ(before, io->at_end) TH_LOG("sample %u", number);
		ASSERT_EQ(READINESS_READY, look(r, VIA_POLL)) TH_LOG("sample %u", number);
		called(_metadata, io);
		for (uint32_t i = 0; i < io->wakes && i < INSIDE_WAKES; i++) {
			EXPECT_EQ(after, io->at_wake[i])
				TH_LOG("sample %u: called when the head was %llu", number,
				       (unsigned long long)io->at_wake[i]);
		}
	}
	io->head = 0;
}

TEST_F(inside, published_when_whole_and_then_announced)
{
	if (self->missing)
		SKIP(return, "no kprobe on the writer's way: %s", strerror(self->missing));
	look_inside(_metadata, self->bpf, &self->ring, 0);
}

TEST_F(inside, an_inner_writer_leaves_both_to_the_outer_one)
{
	if (self->missing)
		SKIP(return, "no kprobe on the writer's way: %s", strerror(self->missing));
	look_inside(_metadata, self->bpf, &self->ring, 1);
}

/*
 * The timer's interrupt comes when it comes, most often while the program that emits in a loop is within an
 * output; and there it emits as well. A read-only mapping refuses nothing for want of room.
 */
TEST_F(inside, three_levels_are_allowed)
{
	const struct itimerspec often = { { 0, 200 * 1000 }, { 0, 200 * 1000 } };
	struct ring_spec spec = { .pages = 8, .threshold = 1000, .overwrite = true };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	uint64_t expired;
	struct inside_io *io = self->io;
	time_t end = time(NULL) + DEADLINE_S;

	if (self->missing)
		SKIP(return, "no kprobe on the writer's way: %s", strerror(self->missing));
	ASSERT_EQ(0, open_ring(self->bpf, &self->ring, &spec));
	ASSERT_EQ(0, timerfd_settime(fd, 0, &often, NULL));
	io->from_timer = 1;
	while (io->thirds < TIMES && !io->third_code && time(NULL) < end) {
		/* It is set again when what expired was read. */
		ASSERT_TRUE(read(fd, &expired, sizeof(expired)) > 0 || errno == EAGAIN);
		ASSERT_EQ(0, run(self->bpf, 64));
	}
	io->from_timer = 0;
	close(fd);
	EXPECT_EQ(0, io->third_code);
	EXPECT_EQ(0, io->second_code);
	EXPECT_EQ(0, io->refused) TH_LOG("code %d", io->code);
	EXPECT_LE(TIMES, io->thirds) TH_LOG("%u from the timer", io->seconds);
}

TEST_HARNESS_MAIN
