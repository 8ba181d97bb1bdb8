// SPDX-License-Identifier: GPL-2.0
/*
 * How fast rings are read: our own reader, record by record and in batches, against libbpf with an
 * empty callback, over the same full ring in turns; and what raising wakeup_events saves. Speeds are printed,
 * not asserted; that every reader saw all samples is. Needs root.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "consumer.h"
#include "emitter.h"
#include "seen.h"

#define CAPACITY 8	/* ranges of a pass; one is due */
#define ROUNDS	41	/* of each reader, in turns; the median counts */
#define WAKE_SAMPLES 200000u

static void die(const char *what, int ret)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(ret < 0 ? -ret : ret));
	exit(2);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pinning", errno);
}

static double now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* --- readers */

struct bench {
	struct emitter e;
	struct perf_buffer *pb;
	struct ring ring;	/* the same one, read by ourselves */
	struct consumer_raw raw;
	struct raw_batch batch;
	struct consumer consumer;	/* the raw one, as cases have it */
	struct emitted *sent;		/* by number */
	struct value_store store;	/* what was seen, as a trace has it */
	struct range numbers[CAPACITY], torn[CAPACITY];
	uint32_t samples;	/* that lie in it */
	uint32_t size;		/* payload bytes of each */
	uint32_t seen;		/* by a reader that verifies or counts */
	uint32_t wrong;		/* samples that are not what was emitted */
	uint64_t from;		/* where they begin */
};

static void empty_callback(void *ctx, int cpu, void *data, __u32 size)
{
	(void)ctx, (void)cpu, (void)data, (void)size;
}

static void verify_record(void *ctx, const struct raw_record *record)
{
	struct bench *b = ctx;

	b->wrong += record->is_lost || !payload_whole(record->payload, record->size, b->seen,
						      b->size, 0, 0, SAMPLE_PROCESS);
	b->seen++;
}

static void empty_record(void *ctx, const struct raw_record *record)
{
	(void)ctx, (void)record;
}

static void read_libbpf(struct bench *b)
{
	if (perf_buffer__consume(b->pb) < 0)
		die("perf_buffer__consume", errno);
	b->seen = b->samples;
}

static void read_raw_empty(struct bench *b)
{
	b->seen = (uint32_t)consumer_raw_pass(&b->raw, &b->ring, 0, empty_record, b);
}

static void read_raw_verified(struct bench *b)
{
	consumer_raw_pass(&b->raw, &b->ring, 0, verify_record, b);
}

static void read_batch(struct bench *b)
{
	b->seen = (uint32_t)consumer_raw_batch(&b->raw, &b->ring, &b->batch);
	consumer_raw_release(&b->ring, &b->batch);
}

struct pass {
	struct bench *b;
	struct value *v;
	bool new;
};

static void see_run(void *ctx, const struct raw_run *run)
{
	struct pass *pass = ctx;

	seen_add_run(&pass->b->store, pass->v, run, pass->b->sent, pass->b->samples, &pass->new);
}

/* The very calls that perform a consume step of a case. */
static void read_judged(struct bench *b)
{
	struct value v = { 0 };
	struct pass pass = { .b = b, .v = &v, .new = true };

	value_store_clear(&b->store);
	value_begin(&b->store, &v);
	consumer_consume(&b->consumer, 0, &b->ring, 0, see_run, &pass);
	b->wrong += v.torn.count || v.lost || v.numbers.count != 1 || b->numbers[0].first;
	b->seen = b->numbers[0].last + 1;
}

enum { READER_LIBBPF, READER_EMPTY, READER_VERIFIED, READER_JUDGED, READER_BATCH, READERS };

static const struct reader {
	const char *name;
	void (*read)(struct bench *b);
} readers[READERS] = {
	[READER_LIBBPF] = { "libbpf perf_buffer__consume, empty callback", read_libbpf },
	[READER_EMPTY] = { "raw, empty callback", read_raw_empty },
	[READER_VERIFIED] = { "raw, every byte verified in a callback", read_raw_verified },
	[READER_JUDGED] = { "raw, every byte verified, as cases are", read_judged },
	[READER_BATCH] = { "raw in batches, not verified", read_batch },
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const double values[ROUNDS])
{
	double sorted[ROUNDS];

	memcpy(sorted, values, sizeof(sorted));
	qsort(sorted, ROUNDS, sizeof(sorted[0]), by_value);
	return sorted[ROUNDS / 2];
}

static void open_bench(struct bench *b, uint32_t pages, uint32_t size)
{
	size_t bytes;
	void *base;
	int ret, code;

	*b = (struct bench){ .size = size };
	if (consumer_raw_open(&b->raw))
		die("memory", ENOMEM);
	ret = emitter_open(&b->e, EMITTER_TEST_RUN);
	if (ret)
		die("emitter", ret);
	b->pb = perf_buffer__new(b->e.slots_fd, pages, empty_callback, NULL, b, NULL);
	if (!b->pb)
		die("perf_buffer__new", errno);
	ret = perf_buffer__buffer(b->pb, 0, &base, &bytes);
	if (!ret)
		ret = ring_adopt(&b->ring, (uint64_t)pages * CASE_PAGE_BYTES,
				 perf_buffer__buffer_fd(b->pb, 0), -1, base);
	/* As full as it goes; the first refused one is not in it. */
	for (code = 0; !ret && !code;)
		ret = emitter_emit(&b->e, 0, size, &code);
	if (ret || code != -ENOSPC)
		die("filling the ring", ret ? ret : code);
	b->samples = emitter_number(&b->e) - 1;
	b->batch.capacity = b->samples;
	b->batch.samples = calloc(b->samples, sizeof(*b->batch.samples));
	b->sent = calloc(b->samples, sizeof(*b->sent));
	if (!b->batch.samples || !b->sent)
		die("memory", ENOMEM);
	for (uint32_t i = 0; i < b->samples; i++)
		b->sent[i] = (struct emitted){ .size = size };
	b->store = (struct value_store){ .numbers = b->numbers, .torn = b->torn, .capacity = CAPACITY };
	consumer_init(&b->consumer, CONSUMER_RAW);
	if (consumer_start(&b->consumer, b->e.slots_fd))
		die(b->consumer.reason, ENOMEM);
	b->from = b->ring.page->data_tail;
}

static void close_bench(struct bench *b)
{
	consumer_stop(&b->consumer);
	free(b->sent);
	free(b->batch.samples);
	ring_close(&b->ring);
	perf_buffer__free(b->pb);
	emitter_close(&b->e);
	consumer_raw_close(&b->raw);
}

/* The tail is set back after each pass: all read the same bytes, as often as wanted. */
static double one_pass(struct bench *b, const struct reader *r)
{
	double start;

	b->seen = b->wrong = 0;
	start = now_ns(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < 20; i++) {
		b->seen = 0;
		r->read(b);
		if (b->seen != b->samples || b->wrong || b->ring.page->data_tail == b->from) {
			fprintf(stderr, "bench: %s: %u of %u samples, %u wrong\n", r->name, b->seen,
				b->samples, b->wrong);
			exit(1);
		}
		__atomic_store_n(&b->ring.page->data_tail, b->from, __ATOMIC_RELEASE);
	}
	return (now_ns(CLOCK_THREAD_CPUTIME_ID) - start) / 20 / b->samples;
}

/* The median over the rounds, each with itself: what disturbs the machine disturbs both. */
static double times_libbpf(double ns[READERS][ROUNDS], size_t reader)
{
	double ratio[ROUNDS];

	for (size_t round = 0; round < ROUNDS; round++)
		ratio[round] = ns[READER_LIBBPF][round] / ns[reader][round];
	return median(ratio);
}

static void bench_reading(uint32_t pages, uint32_t size)
{
	double ns[READERS][ROUNDS];
	struct bench b;

	open_bench(&b, pages, size);
	for (size_t round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < READERS; i++)
			ns[i][round] = one_pass(&b, &readers[i]);
	printf("reading %u samples of %u bytes out of %u pages, medians of %d rounds in turns\n",
	       b.samples, size, pages, ROUNDS);
	for (size_t i = 0; i < READERS; i++)
		printf("  %-44s %6.1f ns a sample %8.1f million a second %5.2f x libbpf\n",
		       readers[i].name, median(ns[i]), 1e3 / median(ns[i]), times_libbpf(ns, i));
	printf("  as fast as libbpf, verified: %s; twice as fast, in batches: %s\n",
	       times_libbpf(ns, READER_JUDGED) >= 1 ? "yes" : "NO",
	       times_libbpf(ns, READER_BATCH) >= 2 ? "yes" : "NO");
	close_bench(&b);
}

/* --- what raising wakeup_events saves */

struct waker {
	struct ring ring;
	struct consumer_raw raw;
	int stop_fd;
	uint32_t wakes, seen;
	uint64_t lost;
	double cpu_ns;
};

static void count_record(void *ctx, const struct raw_record *record)
{
	struct waker *w = ctx;

	w->seen += !record->is_lost;
	w->lost += record->lost;
}

static void *read_woken(void *arg)
{
	struct waker *w = arg;
	struct epoll_event ev[2];

	pin(1);
	for (;;) {
		int n = epoll_wait(w->ring.epoll[VIA_EPOLL], ev, 2, -1);
		bool stop = false;

		for (int i = 0; i < n; i++)
			stop |= ev[i].data.fd == w->stop_fd;
		w->wakes += !stop;
		consumer_raw_pass(&w->raw, &w->ring, 0, count_record, w);
		if (stop)
			break;
	}
	w->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void bench_threshold(uint32_t wakeup_events)
{
	const struct ring_spec spec = { .pages = 64, .threshold = wakeup_events };
	struct epoll_event ev = { .events = EPOLLIN };
	struct waker w = { .ring = ring_closed() };
	struct emitter e;
	pthread_t thread;
	uint64_t refused = 0;
	double start, end;
	int code, ret;

	pin(0);
	ret = emitter_open(&e, EMITTER_TEST_RUN);
	if (!ret)
		ret = ring_open(&w.ring, &spec);
	if (!ret)
		ret = emitter_set_slot(&e, 0, w.ring.fd);
	if (ret || consumer_raw_open(&w.raw))
		die("ring", ret);
	ev.data.fd = w.stop_fd = eventfd(0, EFD_CLOEXEC);
	if (epoll_ctl(w.ring.epoll[VIA_EPOLL], EPOLL_CTL_ADD, w.stop_fd, &ev) ||
	    pthread_create(&thread, NULL, read_woken, &w))
		die("reader", errno);
	start = now_ns(CLOCK_THREAD_CPUTIME_ID);
	for (uint32_t i = 0; !ret && i < WAKE_SAMPLES; i += !code) {
		ret = emitter_emit(&e, 0, 8, &code);
		/* The reader was given no CPU for as long as half a ring lasts. */
		if (!ret && code == -ENOSPC) {
			refused++;
			sched_yield();
		}
	}
	end = now_ns(CLOCK_THREAD_CPUTIME_ID);
	if (ret || eventfd_write(w.stop_fd, 1) || pthread_join(thread, NULL))
		die("emitting", ret);
	printf("  wakeup_events %5u: %7u returns of epoll_wait, reader %7.1f ns CPU a sample, producer %7.1f",
	       wakeup_events, w.wakes, w.cpu_ns / WAKE_SAMPLES, (end - start) / WAKE_SAMPLES);
	if (refused)
		printf(", %" PRIu64 " refused", refused);
	printf("\n");
	if (w.seen != WAKE_SAMPLES || w.lost != refused) {
		fprintf(stderr, "bench: %u of %u samples, %" PRIu64 " of %" PRIu64 " refused\n",
			w.seen, WAKE_SAMPLES, w.lost, refused);
		exit(1);
	}
	ring_close(&w.ring);
	close(w.stop_fd);
	emitter_close(&e);
	consumer_raw_close(&w.raw);
}

int main(void)
{
	pin(0);
	bench_reading(8, 8);
	bench_reading(64, 8);
	bench_reading(64, 40);
	bench_reading(64, 100);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("one CPU: what raising wakeup_events saves is not measured\n");
		return 0;
	}
	printf("%u samples from CPU 0, a blocked reader on CPU 1\n", WAKE_SAMPLES);
	for (uint32_t n = 1; n <= 10000; n *= 10)
		bench_threshold(n);
	return 0;
}
