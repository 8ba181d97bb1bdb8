// SPDX-License-Identifier: GPL-2.0
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "consumer_probe.h"
#include "payload.h"

#define N	4u	/* wakeup_events, where the consumer can be told any */
#define MANY	200u	/* samples that a consume may be fed while it runs */

/* One ring on CPU 0, where the caller is pinned, and what came out of it. */
struct probe_ring {
	struct consumer *c;
	struct emitter *e;
	struct ring ring;
	uint32_t slot;
	uint32_t seen;
	uint32_t feed;		/* samples that callbacks still emit, one each */
	bool failed;
};

static void emit(struct probe_ring *p, uint32_t count)
{
	while (!p->failed && count--) {
		int code, ret = emitter_emit(p->e, p->slot, 8, &code);

		p->failed = ret || code;
	}
}

static void see(void *ctx, const struct raw_record *record)
{
	struct probe_ring *p = ctx;

	p->seen += !record->is_lost;
	if (p->feed) {
		p->feed--;
		emit(p, 1);
	}
}

static void see_run(void *ctx, const struct raw_run *run)
{
	raw_run_each(run, see, ctx);
}

static bool open_probe(struct probe_ring *p, struct consumer *c, struct emitter *e, uint32_t n)
{
	const struct ring_spec spec = {
		.pages = 8, .threshold = c->offers & OFFER_EVENTS ? n : 1, .declared = true,
	};

	*p = (struct probe_ring){ .c = c, .e = e };
	p->slot = consumer_slot(c, 0, &spec);
	return !consumer_open_ring(c, 0, &spec, &p->ring);
}

static void close_probe(struct probe_ring *p)
{
	consumer_close_ring(p->c, 0, &p->ring);
}

/* Three samples more than N lie in one ring that is ready: more than one, and not as many as rings. */
static enum answer poll_says(struct consumer *c, struct emitter *e)
{
	struct probe_ring p;
	bool ready;
	int ret;

	if (!(c->offers & OFFER_WAITS))
		return ANSWER_NOT_ASKED;
	if (!open_probe(&p, c, e, N))
		return ANSWER_NONE;
	emit(&p, N + 3);
	ret = consumer_poll(c, 0, &p.ring, 0, see_run, &p, &ready);
	close_probe(&p);
	if (p.failed || p.seen != N + 3)
		return ANSWER_NONE;
	return ret == (int)(N + 3) ? ANSWER_YES : ANSWER_ELSE;
}

static enum answer one_consume_ends(struct consumer *c, struct emitter *e)
{
	struct probe_ring p;

	if (!(c->offers & OFFER_CONSUME))
		return ANSWER_NOT_ASKED;
	if (!open_probe(&p, c, e, 10 * MANY))
		return ANSWER_NONE;
	emit(&p, 1);
	p.feed = MANY;
	if (consumer_consume(c, 0, &p.ring, 0, see_run, &p) < 0)
		p.failed = true;
	close_probe(&p);
	if (p.failed || (p.seen != 1 && p.seen != MANY + 1))
		return ANSWER_NONE;
	return p.seen == 1 ? ANSWER_YES : ANSWER_ELSE;
}

/* An epoll of the tool's around the library's, and its poll when that one is ready. */
static enum answer nested_epoll(struct consumer *c, struct emitter *e)
{
	struct epoll_event ev = { .events = EPOLLIN };
	enum answer answer = ANSWER_NONE;
	struct probe_ring p;
	int inner, outer;
	bool ready;

	if (c->kind != CONSUMER_LIBBPF && c->kind != CONSUMER_LIBBPF_RAW)
		return ANSWER_NO;
	if (!open_probe(&p, c, e, N))
		return ANSWER_NONE;
	inner = perf_buffer__epoll_fd(c->rings[0]);
	outer = epoll_create1(EPOLL_CLOEXEC);
	if (outer >= 0 && !epoll_ctl(outer, EPOLL_CTL_ADD, inner, &ev)) {
		emit(&p, N);
		if (epoll_wait(outer, &ev, 1, 0) == 1 &&
		    consumer_poll(c, 0, &p.ring, 0, see_run, &p, &ready) >= 0 && !p.failed)
			answer = p.seen == N ? ANSWER_YES : p.seen ? ANSWER_NONE : ANSWER_ELSE;
	}
	if (outer >= 0)
		close(outer);
	close_probe(&p);
	return answer;
}

static enum answer errno_stays(struct consumer *c, struct emitter *e)
{
	enum answer answer;
	struct probe_ring p;
	int ret;

	if (c->ops == &consumer_pipe_ops)
		return ANSWER_NOT_ASKED;
	if (!open_probe(&p, c, e, N))
		return ANSWER_NONE;
	emit(&p, 1);
	errno = 0;
	ret = consumer_consume(c, 0, &p.ring, 0, see_run, &p);
	answer = errno ? ANSWER_ELSE : ANSWER_YES;
	close_probe(&p);
	return ret < 0 || p.failed || p.seen != 1 ? ANSWER_NONE : answer;
}

static enum answer buffer_size(struct consumer *c, struct emitter *e)
{
	struct probe_ring p;
	size_t bytes = 0;
	void *base;
	int ret;

	if (c->kind != CONSUMER_LIBBPF && c->kind != CONSUMER_LIBBPF_RAW)
		return ANSWER_NOT_ASKED;
	if (!open_probe(&p, c, e, N))
		return ANSWER_NONE;
	ret = perf_buffer__buffer(c->rings[0], 0, &base, &bytes);
	close_probe(&p);
	if (ret)
		return ANSWER_NONE;
	return bytes == 9 * CASE_PAGE_BYTES ? ANSWER_YES :
	       bytes == 8 * CASE_PAGE_BYTES ? ANSWER_ELSE : ANSWER_NONE;
}

/* The array of @e has as many slots as the consumer takes; this one has all. */
static enum answer larger_array(struct consumer *c, struct emitter *e)
{
	enum answer answer = ANSWER_NONE;
	struct consumer again;
	struct probe_ring p;
	struct emitter all;

	(void)e;
	if (emitter_open(&all, EMITTER_TEST_RUN))
		return ANSWER_NONE;
	consumer_init(&again, c->kind);
	if (!consumer_start(&again, all.slots_fd)) {
		answer = ANSWER_ELSE;
		if (open_probe(&p, &again, &all, N)) {
			emit(&p, N);
			answer = p.failed ? ANSWER_NONE : ANSWER_YES;
			close_probe(&p);
		}
	}
	consumer_stop(&again);
	emitter_close(&all);
	return answer;
}

/* One call, no callback, all samples in place and whole. */
static enum answer batch(struct consumer *c, struct emitter *e)
{
	struct iovec table[2 * N];
	struct raw_batch b = { .samples = table, .capacity = 2 * N };
	enum answer answer = ANSWER_NONE;
	struct probe_ring p;
	uint32_t first;

	if (c->kind != CONSUMER_RAW)
		return ANSWER_NO;
	if (!open_probe(&p, c, e, N))
		return ANSWER_NONE;
	first = emitter_number(e);
	emit(&p, N + 3);
	if (consumer_raw_batch(c->own, &p.ring, &b) == (int)(N + 3) && !p.failed)
		answer = ANSWER_YES;
	for (uint32_t i = 0; i < b.count; i++)
		if (!payload_whole(table[i].iov_base, (uint32_t)table[i].iov_len, first + i, 8, 0,
				   p.slot, SAMPLE_PROCESS))
			answer = ANSWER_NONE;
	consumer_raw_release(&p.ring, &b);
	close_probe(&p);
	return answer;
}

const struct probe probes[] = {
	{ "poll-says", "poll says how many samples it handed over", poll_says },
	{ "one-consume-ends", "one consume ends although a sample comes in for each it hands over",
	  one_consume_ends },
	{ "nested-epoll", "its epoll descriptor can be waited for in an epoll of the tool's, then polled",
	  nested_epoll },
	{ "errno-stays", "a consume that succeeds leaves errno alone", errno_stays },
	{ "buffer-size", "the buffer's size is what is documented", buffer_size },
	{ "larger-array", "takes an array with more entries than the kernel has CPUs", larger_array },
	{ "batch", "hands over all samples in one call", batch },
	{ 0 },
};
