// SPDX-License-Identifier: GPL-2.0
/*
 * One producer a CPU at full speed, each with its own ring and its own BPF program, and one reader
 * that consumes what epoll reports. Every number is accounted for: what got in comes out, once, in
 * order, whole; what did not is told of as lost.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "subject.h"

#define SAMPLES_VARIABLE "PERFWAKE_PARALLEL_SAMPLES"	/* a CPU; a million is a thorough run */
#define SAMPLES 10000
#define SIZE 20u	/* number, CPU, slot, and fill */
#define RECORD 32u	/* 8 + round_up(4 + 20, 8) */
#define LOST_RECORD 24u

struct producer {
	pthread_t thread;
	uint32_t cpu;
	uint32_t samples;
	struct emitter emitter;
	struct ring ring;
	/* by the producer */
	uint32_t accepted, refused;
	int failed;		/* a code that is neither */
	/* by the reader */
	uint32_t wakes;
	uint32_t most;		/* bytes of one pass */
	uint64_t lost;
	uint32_t seen;
	uint32_t next;		/* the lowest number that may come next */
	uint32_t disordered, torn;
	uint32_t pass_bytes;
};

FIXTURE(parallel)
{
	struct producer producers[SAMPLE_SLOTS];
	uint32_t count;
	struct consumer_raw consumer;
	int epoll_fd, stop_fd;
};

FIXTURE_VARIANT(parallel)
{
	uint32_t pages;
	uint32_t wakeup_events;
};

FIXTURE_VARIANT_ADD(parallel, one_page) { 1, 10 };
FIXTURE_VARIANT_ADD(parallel, sixty_four_pages) { 64, 100 };

static void *produce(void *arg)
{
	struct producer *p = arg;
	int code, ret = pin_to(p->cpu);

	for (uint32_t i = 0; !ret && i < p->samples; i++) {
		ret = emitter_emit(&p->emitter, 0, SIZE, &code);
		if (!ret && !code)
			p->accepted++;
		else if (!ret && code == -ENOSPC)
			p->refused++;
		else if (!ret)
			ret = code;
	}
	p->failed = ret;
	return NULL;
}

static void see(void *ctx, const struct raw_record *record)
{
	struct producer *p = ctx;
	uint32_t number;

	if (record->is_lost) {
		p->lost += record->lost;
		p->pass_bytes += LOST_RECORD;
		return;
	}
	memcpy(&number, record->payload, sizeof(number));
	if (number < p->next)
		p->disordered++;
	if (!payload_whole(record->payload, record->size, number, SIZE, p->cpu, 0,
			   SAMPLE_PROCESS))
		p->torn++;
	p->next = number + 1;
	p->seen++;
	p->pass_bytes += RECORD;
}

static int drain(struct consumer_raw *c, struct producer *p)
{
	int ret;

	p->pass_bytes = 0;
	ret = consumer_raw_pass(c, &p->ring, 0, see, p);
	if (p->pass_bytes > p->most)
		p->most = p->pass_bytes;
	return ret < 0 ? ret : 0;
}

/* Until the eventfd says that all producers have ended. NULL is success. */
static void *read_all(void *arg)
{
	FIXTURE_DATA(parallel) *f = arg;

	for (;;) {
		struct epoll_event ev[SAMPLE_SLOTS + 1];
		int n = epoll_wait(f->epoll_fd, ev, SAMPLE_SLOTS + 1, -1);

		for (int i = 0; i < n; i++) {
			struct producer *p = ev[i].data.ptr;

			if (!p)
				return NULL;
			if (ev[i].events != EPOLLIN || drain(&f->consumer, p))
				return f;
			p->wakes++;
		}
		if (n <= 0)
			return f;
	}
}

static int open_producer(struct producer *p, const struct ring_spec *spec, int epoll_fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = p };
	int ret;

	p->cpu = spec->cpu;
	ret = emitter_open(&p->emitter, EMITTER_TEST_RUN);
	if (!ret)
		ret = ring_open(&p->ring, spec);
	if (!ret)
		ret = emitter_set_slot(&p->emitter, 0, p->ring.fd);
	if (!ret && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, p->ring.fd, &ev))
		ret = -errno;
	return ret;
}

FIXTURE_SETUP(parallel)
{
	struct ring_spec spec = {
		.pages = variant->pages, .threshold = variant->wakeup_events,
	};
	struct epoll_event ev = { .events = EPOLLIN };
	const char *samples = getenv(SAMPLES_VARIABLE);
	uint32_t cpus[SAMPLE_SLOTS];

	ASSERT_EQ(0, consumer_raw_open(&self->consumer));
	self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	self->stop_fd = eventfd(0, EFD_CLOEXEC);
	ASSERT_EQ(0, epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, self->stop_fd, &ev));
	self->count = online_cpus(cpus);
	ASSERT_LT(0, self->count);
	for (uint32_t i = 0; i < self->count; i++) {
		spec.cpu = cpus[i];
		self->producers[i].samples = samples ? (uint32_t)atol(samples) : SAMPLES;
		ASSERT_EQ(0, open_producer(&self->producers[i], &spec, self->epoll_fd));
	}
}

FIXTURE_TEARDOWN(parallel)
{
	for (uint32_t i = 0; i < self->count; i++) {
		ring_close(&self->producers[i].ring);
		emitter_close(&self->producers[i].emitter);
	}
	close(self->epoll_fd);
	close(self->stop_fd);
	consumer_raw_close(&self->consumer);
}

/*
 * What one ring's reader may have been told, A being the accepted samples and L the LOST records'
 * bytes. At most: a wake needs a crossing; the count crosses A / N times, and the byte rule, which
 * moves its mark on by half a ring each time it finds it passed, once for each half ring produced.
 * At least: the reader took all there was at each wake, and that is never more than a ring; so
 * A samples took A * 32 / ring passes, one of which was the last drain, without a wake.
 */
static void judge_wakes(struct __test_metadata *_metadata, const struct producer *p,
			uint32_t wakeup_events)
{
	uint64_t ring = p->ring.bytes, head = ring_head(&p->ring);
	uint64_t most = p->accepted / wakeup_events + head / (ring / 2);
	uint64_t least = ((uint64_t)p->accepted * RECORD + ring - 1) / ring;

	EXPECT_LE(p->wakes, most) TH_LOG("CPU %u: %u wakes for %u", p->cpu, p->wakes, p->accepted);
	EXPECT_LE(least, p->wakes + 1) TH_LOG("CPU %u: %u wakes", p->cpu, p->wakes);
	EXPECT_LT(p->most, ring) TH_LOG("more in one pass than a ring holds");
}

TEST_F(parallel, books_balance)
{
	pthread_t reader;
	void *ended = self;
	int code;

	ASSERT_EQ(0, pthread_create(&reader, NULL, read_all, self));
	for (uint32_t i = 0; i < self->count; i++)
		ASSERT_EQ(0, pthread_create(&self->producers[i].thread, NULL, produce,
					    &self->producers[i]));
	for (uint32_t i = 0; i < self->count; i++)
		ASSERT_EQ(0, pthread_join(self->producers[i].thread, NULL));
	ASSERT_EQ(0, eventfd_write(self->stop_fd, 1));
	ASSERT_EQ(0, pthread_join(reader, &ended));
	ASSERT_EQ(NULL, ended) TH_LOG("the reader was told something else, or read nonsense");
	for (uint32_t i = 0; i < self->count; i++) {
		struct producer *p = &self->producers[i];

		ASSERT_EQ(0, p->failed);
		ASSERT_EQ(p->samples, p->accepted + p->refused);
		/* The remainder, and one success that brings the last losses. */
		ASSERT_EQ(0, drain(&self->consumer, p));
		judge_wakes(_metadata, p, variant->wakeup_events);
		ASSERT_EQ(0, pin_to(p->cpu));
		ASSERT_EQ(0, emitter_emit(&p->emitter, 0, SIZE, &code));
		ASSERT_EQ(0, code);
		ASSERT_EQ(0, drain(&self->consumer, p));
		EXPECT_EQ(p->accepted + 1, p->seen);
		EXPECT_EQ(p->refused, p->lost);
		EXPECT_EQ(p->samples + 1, p->seen + p->lost);
		EXPECT_EQ(p->samples + 1, p->next);
		EXPECT_EQ(0, p->disordered);
		EXPECT_EQ(0, p->torn);
		TH_LOG("CPU %u: %u outputs, %u refused, %u wakes", p->cpu, p->samples, p->refused,
		       p->wakes);
	}
}

TEST_HARNESS_MAIN
