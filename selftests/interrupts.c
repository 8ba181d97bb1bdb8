// SPDX-License-Identifier: GPL-2.0
/*
 * Real interrupts against a busy writer: a timer's hard interrupt and NMIs emit into the ring that
 * process context is emitting to, wherever they meet it (validator/interrupter.h).
 *
 * Where an interrupt meets the writer is chance, and stock kernels lose a wake-up, or all batching, at some
 * instructions (K8). Those are counted and told as known defects, with their rates. What has no excuse fails.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "forecast.h"
#include "interrupter.h"
#include "kselftest_harness.h"
#include "subject.h"

#define OUTPUTS_VARIABLE  "PERFWAKE_INTERRUPTS_OUTPUTS"	/* of each test; make check asks for 100,000 */
#define INTERVAL_VARIABLE "PERFWAKE_INTERRUPTS_NS"
#define OUTPUTS		4000u		/* otherwise, with a look behind each burst */
#define OUTPUTS_BOOKS	30000u		/* and without */
#define INTERVAL_NS	60000u
#define SEED		1u
#define SIZE		8u		/* struct sample: nothing in it has to be prepared */
#define CONSUME_EVERY	64u		/* samples; a page has room for 170 records */
#define STORM		50u		/* wakes with nothing due, and no quiet look between them */
#define STILL		1000u		/* looks at a head that does not move */
#define START_S		10		/* for the reader to begin */
#define CHANCE_S	10		/* for what is left to chance to happen, once there were outputs enough */
#define LIMIT_S		600		/* of a test; the plan has its own */
#define ABSENT		"the test module is not loaded (vm/build-module makes it)"

/*
 * An output takes some 300 instructions, of which one or a few have a defect, and a crossing besides. A
 * kernel that loses more than one wake-up (and one by chance) in so many interrupts has another fault.
 */
#define INTERRUPTS_PER_DEFECT 20u

/* What consuming found, by the context that the samples say. */
struct books {
	uint32_t seen[SAMPLE_CONTEXTS];
	uint32_t next[SAMPLE_CONTEXTS];	/* the lowest number that may come next */
	uint64_t lost;
	uint32_t empty_losses;
	uint32_t disordered, torn;
};

static void see(void *ctx, const struct raw_record *record)
{
	struct books *b = ctx;
	struct sample sample;
	uint32_t context;

	if (record->is_lost) {
		b->lost += record->lost;
		b->empty_losses += !record->lost;
		return;
	}
	memcpy(&sample, record->payload, sizeof(sample));
	context = sample.context < SAMPLE_CONTEXTS ? sample.context : SAMPLE_PROCESS;
	if (!payload_whole(record->payload, record->size, sample.number, SIZE, 0, 0, context))
		b->torn++;
	if (sample.number < b->next[context])
		b->disordered++;
	b->next[context] = sample.number + 1;
	b->seen[context]++;
}

static uint32_t from_variable(const char *name, uint32_t otherwise)
{
	const char *text = getenv(name);

	return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

FIXTURE(interrupts)
{
	struct subject s;
	struct interrupter in;
	struct forecast forecast;
	struct books books;
	struct timespec start;
	bool absent;		/* the test module */
};

FIXTURE_VARIANT(interrupts)
{
	enum emitter_kind kind;
	uint32_t contexts;	/* that interrupt */
	uint32_t wakeup_events;
	uint32_t burst;		/* outputs with no look between them */
};

#define HARDIRQ (1u << SAMPLE_HARDIRQ)
#define NMI (1u << SAMPLE_NMI)
FIXTURE_VARIANT_ADD(interrupts, nobody_2) { EMITTER_TEST_RUN, 0, 2, 1 };
FIXTURE_VARIANT_ADD(interrupts, nobody_100) { EMITTER_TEST_RUN, 0, 100, 64 };
FIXTURE_VARIANT_ADD(interrupts, clock_2) { EMITTER_TEST_RUN, HARDIRQ, 2, 1 };
FIXTURE_VARIANT_ADD(interrupts, clock_10) { EMITTER_TEST_RUN, HARDIRQ, 10, 8 };
FIXTURE_VARIANT_ADD(interrupts, clock_100) { EMITTER_TEST_RUN, HARDIRQ, 100, 64 };
FIXTURE_VARIANT_ADD(interrupts, module_2) { EMITTER_MODULE, HARDIRQ | NMI, 2, 1 };
FIXTURE_VARIANT_ADD(interrupts, module_10) { EMITTER_MODULE, HARDIRQ | NMI, 10, 8 };

FIXTURE_SETUP(interrupts)
{
	const struct ring_spec spec = { .pages = 1, .threshold = variant->wakeup_events };
	int ret = subject_open(&self->s, variant->kind, &spec);

	self->in.fd = -1;
	self->forecast.size = SIZE;
	/* The tests skip: in the harness of 6.1 a skip here would not stop them. */
	self->absent = ret == -ENOENT && variant->kind == EMITTER_MODULE;
	if (self->absent)
		return;
	ASSERT_EQ(0, ret)
		TH_LOG("%s: %s", self->s.emitter.failed, strerror(-ret));
	ASSERT_EQ(0, interrupter_open(&self->in, &self->s.emitter));
	clock_gettime(CLOCK_MONOTONIC, &self->start);
}

FIXTURE_TEARDOWN(interrupts)
{
	interrupter_close(&self->in);
	forecast_end(&self->forecast);
	subject_close(&self->s);
}

static int start(FIXTURE_DATA(interrupts) *f, uint32_t contexts)
{
	uint32_t interval_ns = from_variable(INTERVAL_VARIABLE, INTERVAL_NS);

	return contexts ? interrupter_start(&f->in, 0, contexts, interval_ns, SEED) : 0;
}

static int consume(FIXTURE_DATA(interrupts) *f)
{
	return consumer_raw_pass(&f->s.consumer, &f->s.ring, 0, see, &f->books);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static uint32_t interrupts(const struct interrupter *in)
{
	return interrupter_outputs(in, SAMPLE_HARDIRQ) + interrupter_outputs(in, SAMPLE_NMI);
}

static uint32_t outputs(const struct interrupter *in)
{
	return interrupter_outputs(in, SAMPLE_PROCESS) + interrupts(in);
}

static uint32_t accepted(const struct interrupter *in)
{
	return interrupter_accepted(in, SAMPLE_PROCESS) + interrupter_accepted(in, SAMPLE_HARDIRQ) +
	       interrupter_accepted(in, SAMPLE_NMI);
}

static uint32_t refused(const struct interrupter *in)
{
	return outputs(in) - accepted(in);
}

/*
 * Quiet behind a crossing. K8a loses the one that an interrupt meets, K8d the next one; where interrupts
 * met both, nobody can say.
 */
enum lost { LOST_MET, LOST_NEXT, LOST_EITHER, LOSSES };

/* What the looks found that no order of the samples explains. */
struct finds {
	uint32_t looks, ready;
	uint32_t lost[LOSSES];
	bool met;		/* an interrupt came in the step of the last crossing */
	uint32_t in_a_row;	/* ready without a crossing, with no quiet look between them */
	uint32_t storms;	/* STORM of them: K8b */
	uint32_t spare;		/* fewer, and then a quiet look: nothing known does that */
	uint32_t overruns;	/* so many interrupts that the ring was full, which no forecast has */
	/* around the last look: what was accepted, less @base, from when the ring was mapped */
	uint32_t base, before, after;
	uint32_t refused;	/* up to then */
	uint32_t consumed;	/* of @before */
};

/*
 * A burst, then a look. All that interrupts us is done before we run on, so what is counted before a
 * look had its crossing before it, and what is counted behind it may have had it in front.
 */
static int step(FIXTURE_DATA(interrupts) *f, struct finds *finds, uint32_t burst)
{
	uint32_t since = finds->after, may_since = finds->before, came = interrupts(&f->in);
	int ret = interrupter_burst(&f->in, burst);
	bool ready, due, allowed;

	if (ret)
		return ret;
	finds->before = accepted(&f->in) - finds->base;
	ready = look(&f->s.ring, VIA_POLL) == READINESS_READY;
	finds->after = accepted(&f->in) - finds->base;
	came = interrupts(&f->in) - came;
	forecast_to(&f->forecast, finds->before);
	due = f->forecast.sure > since;
	forecast_to(&f->forecast, finds->after);
	allowed = f->forecast.may > may_since;
	if (refused(&f->in) != finds->refused) {
		finds->overruns++;
		return 0;
	}
	finds->looks++;
	finds->ready += ready;
	if (due && !ready)
		finds->lost[!came ? LOST_NEXT : finds->met ? LOST_EITHER : LOST_MET]++;
	if (due)
		finds->met = came;
	/* Those that are due come in between, and prove nothing. */
	if (!ready)
		finds->spare += finds->in_a_row;
	finds->in_a_row = ready ? finds->in_a_row + !allowed : 0;
	return 0;
}

/* What the kernel counts is mapped anew, and the forecast with it; nobody emits meanwhile. 0 or -errno. */
static int begin_anew(FIXTURE_DATA(interrupts) *f, struct finds *finds, uint32_t contexts,
		      uint32_t wakeup_events)
{
	int ret = interrupter_stop(&f->in);

	if (!ret)
		ret = consume(f);
	if (ret < 0)
		return ret;
	ring_unmap(&f->s.ring);
	ret = ring_map(&f->s.ring);
	forecast_begin(&f->forecast, wakeup_events);
	finds->base = accepted(&f->in);
	finds->refused = refused(&f->in);
	finds->before = finds->after = finds->in_a_row = finds->consumed = 0;
	return ret ? ret : start(f, contexts);
}

static void tell(struct __test_metadata *_metadata, const char *id, const char *what, uint32_t count,
		 uint32_t outputs, uint32_t interrupts, double seconds)
{
	if (count)
		TH_LOG("known defect %s: %u %s, %.1f in a million outputs, %.1f in a million interrupts, %.0f in an hour of this",
		       id, count, what, 1e6 * count / outputs, 1e6 * count / interrupts, 3600 * count / seconds);
}

static void tell_finds(struct __test_metadata *_metadata, FIXTURE_DATA(interrupts) *f,
		       const struct finds *finds)
{
	double seconds = seconds_since(&f->start);
	uint32_t all = outputs(&f->in), inner = interrupts(&f->in);

	TH_LOG("%u outputs of process, %u of hardirq, %u of nmi in %.1f s; %u crossings, ring full %u times",
	       all - inner, interrupter_outputs(&f->in, SAMPLE_HARDIRQ),
	       interrupter_outputs(&f->in, SAMPLE_NMI), seconds, f->forecast.crossings, finds->overruns);
	tell(_metadata, "K8a", "lost wake-ups", finds->lost[LOST_MET], all, inner, seconds);
	tell(_metadata, "K8d", "lost wake-ups", finds->lost[LOST_NEXT], all, inner, seconds);
	tell(_metadata, "K8a or K8d", "lost wake-ups", finds->lost[LOST_EITHER], all, inner, seconds);
	tell(_metadata, "K8b", "wake storms", finds->storms, all, inner, seconds);
}

/* Did every context of @contexts interrupt? Who has little of a CPU emits much between two interrupts. */
static bool all_interrupted(const struct interrupter *in, uint32_t contexts)
{
	for (uint32_t context = 0; context < SAMPLE_CONTEXTS; context++)
		if (contexts & 1u << context && !interrupter_outputs(in, context))
			return false;
	return true;
}

/* What was accepted of every writer came out once, in order, whole; and who was to interrupt, did. */
static void check_books(struct __test_metadata *_metadata, FIXTURE_DATA(interrupts) *f, uint32_t contexts)
{
	for (uint32_t context = 0; context < SAMPLE_CONTEXTS; context++) {
		ASSERT_EQ(interrupter_accepted(&f->in, context), f->books.seen[context]);
		ASSERT_LE(f->books.next[context], interrupter_outputs(&f->in, context));
	}
	ASSERT_TRUE(all_interrupted(&f->in, contexts));
	ASSERT_EQ(0, f->books.torn);
	ASSERT_EQ(0, f->books.disordered);
}

/* One look behind every burst of process context: is it told of every crossing, and of nothing else? */
TEST_F_TIMEOUT(interrupts, wakes, LIMIT_S)
{
	uint32_t due = from_variable(OUTPUTS_VARIABLE, OUTPUTS);
	struct finds finds = { 0 };
	struct timespec enough = self->start;

	if (self->absent)
		SKIP(return, ABSENT);
	ASSERT_EQ(0, begin_anew(self, &finds, variant->contexts, variant->wakeup_events));
	while (outputs(&self->in) < due || !all_interrupted(&self->in, variant->contexts)) {
		bool storm;

		if (outputs(&self->in) < due)
			clock_gettime(CLOCK_MONOTONIC, &enough);
		ASSERT_GT(CHANCE_S, seconds_since(&enough));
		ASSERT_EQ(0, step(self, &finds, variant->burst));
		if (finds.before - finds.consumed >= CONSUME_EVERY) {
			finds.consumed = finds.before;
			ASSERT_LE(0, consume(self));
		}
		storm = finds.in_a_row >= STORM;
		finds.storms += storm;
		if (storm || refused(&self->in) != finds.refused)
			ASSERT_EQ(0, begin_anew(self, &finds, variant->contexts,
						variant->wakeup_events));
	}
	ASSERT_EQ(0, interrupter_stop(&self->in));
	ASSERT_LE(0, consume(self));
	tell_finds(_metadata, self, &finds);
	check_books(_metadata, self, variant->contexts);
	ASSERT_LT(0, self->forecast.crossings);
	ASSERT_LT(0, finds.ready);
	ASSERT_LT(finds.ready, finds.looks);
	ASSERT_EQ(0, finds.spare);
	/* Each defect needs an output that interrupts another: without one there is no excuse. */
	ASSERT_LE(finds.lost[LOST_MET] + finds.lost[LOST_NEXT] + finds.lost[LOST_EITHER] + finds.storms,
		  variant->contexts ? 1 + interrupts(&self->in) / INTERRUPTS_PER_DEFECT : 0);
	if (!variant->contexts)
		ASSERT_EQ(0, finds.overruns);
}

/* The reader on another CPU. */
struct reader {
	FIXTURE_DATA(interrupts) *f;
	uint32_t cpu;
	bool stop;
	int failed;
	uint64_t looks, backwards, moves;
};

/*
 * Watches data_head as fast as it can, and consumes what it shows. Where virtual CPUs take turns, nothing
 * moves while it watches: then it idles, and the writer's turn comes.
 */
static void *watch(void *arg)
{
	struct reader *r = arg;
	const struct timespec moment = { .tv_nsec = 1 };
	uint64_t head, last = 0, still = 0;

	r->failed = pin_to(r->cpu);
	while (!r->failed) {
		bool stop = __atomic_load_n(&r->stop, __ATOMIC_ACQUIRE);

		head = ring_head(&r->f->s.ring);
		__atomic_fetch_add(&r->looks, 1, __ATOMIC_RELAXED);
		r->backwards += head < last;
		__atomic_fetch_add(&r->moves, head != last, __ATOMIC_RELAXED);
		if (head != last && consume(r->f) < 0)
			r->failed = -EBADMSG;
		still = head == last ? still + 1 : 0;
		last = head;
		if (stop)
			break;
		if (still == STILL) {
			nanosleep(&moment, NULL);
			still = 0;
		}
	}
	return NULL;
}

/* As fast as it goes, into a ring that is too small: what got in comes out, what did not is told of as lost. */
TEST_F_TIMEOUT(interrupts, books, LIMIT_S)
{
	uint32_t due = from_variable(OUTPUTS_VARIABLE, OUTPUTS_BOOKS);
	struct reader reader = { .f = self };
	uint32_t cpus[SAMPLE_SLOTS], all, inner;
	struct timespec enough;
	pthread_t thread;
	double seconds;

	if (self->absent)
		SKIP(return, ABSENT);
	if (online_cpus(cpus) < 2)
		SKIP(return, "one CPU: there is no other to read on");
	reader.cpu = cpus[1];
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, watch, &reader));
	while (!__atomic_load_n(&reader.looks, __ATOMIC_RELAXED))
		ASSERT_GT(START_S, seconds_since(&self->start));
	ASSERT_EQ(0, start(self, variant->contexts));
	while (outputs(&self->in) < due)
		ASSERT_EQ(0, interrupter_burst(&self->in, SAMPLE_BATCH));
	/* Alone, the writer may be done in one turn of its CPU; else the reader has to see the head move, too. */
	clock_gettime(CLOCK_MONOTONIC, &enough);
	while (variant->contexts && (__atomic_load_n(&reader.moves, __ATOMIC_RELAXED) < 2 ||
				     !all_interrupted(&self->in, variant->contexts))) {
		ASSERT_GT(CHANCE_S, seconds_since(&enough));
		ASSERT_EQ(0, interrupter_burst(&self->in, SAMPLE_BATCH));
	}
	ASSERT_EQ(0, interrupter_stop(&self->in));
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	seconds = seconds_since(&self->start);
	ASSERT_EQ(0, reader.failed);
	/* One more, which has room now, tells of what was lost last. */
	ASSERT_LE(0, consume(self));
	ASSERT_EQ(0, interrupter_burst(&self->in, 1));
	ASSERT_LE(0, consume(self));
	all = outputs(&self->in);
	inner = interrupts(&self->in);
	TH_LOG("%u outputs, of them %u of hardirq and %u of nmi, in %.1f s: %u samples + %llu lost; head moved %llu times in %llu looks",
	       all, interrupter_outputs(&self->in, SAMPLE_HARDIRQ), interrupter_outputs(&self->in, SAMPLE_NMI),
	       seconds, accepted(&self->in), (unsigned long long)self->books.lost,
	       (unsigned long long)reader.moves, (unsigned long long)reader.looks);
	tell(_metadata, "K8c", "LOST records of 0", self->books.empty_losses, all, inner, seconds);
	check_books(_metadata, self, variant->contexts);
	ASSERT_EQ(refused(&self->in), self->books.lost);
	ASSERT_EQ(0, reader.backwards);
	ASSERT_LE(self->books.empty_losses, inner);
	ASSERT_LT(0, reader.moves);
}

TEST_HARNESS_MAIN
