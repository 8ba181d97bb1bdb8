// SPDX-License-Identifier: GPL-2.0
/*
 * libbpf in a tool's own loop: what its descriptors are good for, what its calls say, and what
 * happens to losses that nobody asked to be told of. N samples make a wake.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "kselftest_harness.h"
#include "subject.h"

#define N 5u

FIXTURE(own_loop)
{
	struct emitter emitter;
	struct perf_buffer *pb;
	int epoll_fd;		/* the tool's */
	uint32_t seen, next, disordered;
};

static enum bpf_perf_event_ret on_event(void *ctx, int cpu, struct perf_event_header *header)
{
	FIXTURE_DATA(own_loop) *self = ctx;
	struct raw_record record;
	uint32_t number;

	if (cpu != 0 || !raw_record_parse(header, &record) || record.is_lost)
		return LIBBPF_PERF_EVENT_ERROR;
	memcpy(&number, record.payload, sizeof(number));
	self->disordered += number != self->next;
	self->next = number + 1;
	self->seen++;
	return LIBBPF_PERF_EVENT_CONT;
}

static int emit(struct emitter *e, uint32_t count)
{
	int code = 0, ret = 0;

	while (!ret && !code && count--)
		ret = emitter_emit(e, 0, 8, &code);
	return ret ? ret : code;
}

static int watch(int epoll_fd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

FIXTURE_SETUP(own_loop)
{
	const struct ring_spec spec = { .pages = 8, .threshold = N };
	int cpu = 0, slot = 0;
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = 1, .cpus = &cpu, .map_keys = &slot);
	struct perf_event_attr attr;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, emitter_open(&self->emitter, EMITTER_TEST_RUN));
	ring_attr(&spec, &attr);
	self->pb = perf_buffer__new_raw(self->emitter.slots_fd, spec.pages, &attr, on_event, self,
					&opts);
	ASSERT_NE(NULL, self->pb);
	self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_LE(0, self->epoll_fd);
}

FIXTURE_TEARDOWN(own_loop)
{
	EXPECT_EQ(0, self->disordered);
	perf_buffer__free(self->pb);
	close(self->epoll_fd);
	emitter_close(&self->emitter);
}

TEST_F(own_loop, around_buffer_fd)
{
	struct epoll_event ev;

	ASSERT_EQ(1, perf_buffer__buffer_cnt(self->pb));
	ASSERT_EQ(0, watch(self->epoll_fd, perf_buffer__buffer_fd(self->pb, 0)));
	for (uint32_t round = 1; round <= 3; round++) {
		ASSERT_EQ(0, emit(&self->emitter, N - 1));
		EXPECT_EQ(0, epoll_wait(self->epoll_fd, &ev, 1, 0));
		ASSERT_EQ(0, emit(&self->emitter, 1));
		EXPECT_EQ(1, epoll_wait(self->epoll_fd, &ev, 1, 0));
		EXPECT_EQ(0, perf_buffer__consume_buffer(self->pb, 0));
		EXPECT_EQ(round * N, self->seen);
	}
}

/* Deviation nested-poll: the outer wait asks the inner epoll, which takes the flag. */
TEST_F(own_loop, around_epoll_fd_poll_reads_nothing_and_consume_all)
{
	struct epoll_event ev;

	ASSERT_EQ(0, watch(self->epoll_fd, perf_buffer__epoll_fd(self->pb)));
	ASSERT_EQ(0, emit(&self->emitter, N));
	ASSERT_EQ(1, epoll_wait(self->epoll_fd, &ev, 1, 0));
	EXPECT_EQ(0, perf_buffer__poll(self->pb, 0));
	EXPECT_EQ(0, self->seen);
	EXPECT_EQ(0, perf_buffer__consume(self->pb));
	EXPECT_EQ(N, self->seen);
}

/* Deviations poll-counts-rings and errno-after-success. */
TEST_F(own_loop, poll_says_how_many_rings_and_leaves_an_errno)
{
	ASSERT_EQ(0, emit(&self->emitter, 3 * N));
	errno = 0;
	EXPECT_EQ(1, perf_buffer__poll(self->pb, 0));
	EXPECT_EQ(3 * N, self->seen);
	EXPECT_EQ(2, errno);
	errno = 0;
	EXPECT_EQ(0, perf_buffer__consume(self->pb));
	EXPECT_EQ(2, errno);
	EXPECT_EQ(3 * N, self->seen);
}

struct reader {
	FIXTURE_DATA(own_loop) *self;
	int stop_fd;
};

/* Until the eventfd says so; then what no wake announced. */
static void *read_until_stopped(void *arg)
{
	struct reader *r = arg;
	struct epoll_event ev[2];
	bool stop = false;

	while (!stop) {
		int n = epoll_wait(r->self->epoll_fd, ev, 2, -1);

		for (int i = 0; i < n; i++)
			stop |= ev[i].data.fd == r->stop_fd;
		if (n < 0 || perf_buffer__consume_buffer(r->self->pb, 0))
			return r;
	}
	return NULL;
}

/* The way to end a reader that waits: a descriptor of one's own. Only then may the ring be closed. */
TEST_F(own_loop, ended_by_a_descriptor_of_its_own)
{
	struct reader r = { .self = self, .stop_fd = eventfd(0, EFD_CLOEXEC) };
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = r.stop_fd };
	pthread_t thread;
	void *ended = &r;

	ASSERT_EQ(0, watch(self->epoll_fd, perf_buffer__buffer_fd(self->pb, 0)));
	ASSERT_EQ(0, epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, r.stop_fd, &ev));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_until_stopped, &r));
	ASSERT_EQ(0, emit(&self->emitter, 4 * N + N - 1));
	ASSERT_EQ(0, eventfd_write(r.stop_fd, 1));
	ASSERT_EQ(0, pthread_join(thread, &ended));
	EXPECT_EQ(NULL, ended);
	EXPECT_EQ(4 * N + N - 1, self->seen);
	close(r.stop_fd);
}

/* The remainder in the middle of a threshold, by each of the calls; the count goes on. */
TEST_F(own_loop, consume_takes_the_remainder)
{
	ASSERT_EQ(0, emit(&self->emitter, N - 2));
	EXPECT_EQ(0, perf_buffer__poll(self->pb, 0));
	EXPECT_EQ(0, self->seen);
	EXPECT_EQ(0, perf_buffer__consume(self->pb));
	EXPECT_EQ(N - 2, self->seen);
	ASSERT_EQ(0, emit(&self->emitter, 1));
	EXPECT_EQ(0, perf_buffer__consume_buffer(self->pb, 0));
	EXPECT_EQ(N - 1, self->seen);
	ASSERT_EQ(0, emit(&self->emitter, 1));
	EXPECT_EQ(1, perf_buffer__poll(self->pb, 0));
	EXPECT_EQ(N, self->seen);
}

static void count_sample(void *ctx, int cpu, void *data, __u32 size)
{
	(void)cpu, (void)data, (void)size;
	++*(uint32_t *)ctx;
}

/* Losses that nobody asked for vanish, and disturb nothing else. */
TEST(no_lost_callback)
{
	uint32_t seen = 0, accepted;
	struct perf_buffer *pb;
	struct emitter e;
	int code = 0;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, emitter_open(&e, EMITTER_TEST_RUN));
	pb = perf_buffer__new(e.slots_fd, 1, count_sample, NULL, &seen, NULL);
	ASSERT_NE(NULL, pb);
	while (!code)
		ASSERT_EQ(0, emitter_emit(&e, 0, 8, &code));
	ASSERT_EQ(-ENOSPC, code);
	accepted = emitter_number(&e) - 1;
	ASSERT_EQ(1, perf_buffer__poll(pb, 0));
	EXPECT_EQ(accepted, seen);
	/* The LOST record is in front of this one. */
	ASSERT_EQ(0, emit(&e, 1));
	ASSERT_EQ(1, perf_buffer__poll(pb, 0));
	EXPECT_EQ(accepted + 1, seen);
	perf_buffer__free(pb);
	emitter_close(&e);
}

TEST_HARNESS_MAIN
