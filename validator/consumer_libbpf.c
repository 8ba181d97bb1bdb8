// SPDX-License-Identifier: GPL-2.0
/*
 * libbpf's perf buffer. perf_buffer__new() opens every CPU with one threshold, and in the slot of its
 * number; perf_buffer__new_raw() takes the caller's attributes, CPUs and slots.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/epoll.h>

#include "consumer.h"

#define LIBBPF_TEXT_OF(x)	#x
#define LIBBPF_TEXT(x)		LIBBPF_TEXT_OF(x)
#define LIBBPF_VERSION		LIBBPF_TEXT(LIBBPF_MAJOR_VERSION) "." LIBBPF_TEXT(LIBBPF_MINOR_VERSION)

/* perf_buffer_opts.sample_period, which becomes wakeup_events. */
#define HAS_SAMPLE_PERIOD	(LIBBPF_MAJOR_VERSION > 1 || LIBBPF_MINOR_VERSION >= 2)

/* --- callbacks: one a record */

static void on_sample(void *ctx, int cpu, void *data, __u32 size)
{
	const struct raw_record record = { .payload = data, .size = size };

	(void)cpu;
	consumer_deliver(ctx, &record);
}

static void on_lost(void *ctx, int cpu, __u64 count)
{
	const struct raw_record record = { .is_lost = true, .lost = count };

	(void)cpu;
	consumer_deliver(ctx, &record);
}

static enum bpf_perf_event_ret on_event(void *ctx, int cpu, struct perf_event_header *header)
{
	struct raw_record record;

	(void)cpu;
	if (!raw_record_parse(header, &record))
		return LIBBPF_PERF_EVENT_ERROR;
	return consumer_deliver(ctx, &record) ? LIBBPF_PERF_EVENT_CONT : LIBBPF_PERF_EVENT_DONE;
}

/* --- rings */

/* How many CPUs below @cpu are online: they have the buffers in front of its own. -errno if it is not. */
static int buffer_index(uint32_t cpu)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "r");
	unsigned int first, last, below = 0;
	int n, ret = -ENODEV;

	if (!f)
		return -errno;
	while (ret < 0 && (n = fscanf(f, "%u-%u", &first, &last)) > 0) {
		if (n == 1)
			last = first;
		if (cpu >= first && cpu <= last)
			ret = (int)(below + cpu - first);
		below += last - first + 1;
		if (fgetc(f) != ',')
			break;
	}
	fclose(f);
	return ret;
}

/* The rings that share @pb with ring @id. */
static uint32_t sharing(const struct consumer *c, const struct perf_buffer *pb)
{
	uint32_t rings = 0;

	for (uint32_t id = 0; id < CASE_MAX_RINGS; id++)
		rings += c->rings[id] == pb;
	return rings;
}

/* Looked at by @epoll_fd of the library's, or by a poller of its own. */
static int adopt(struct consumer *c, uint32_t id, const struct ring_spec *spec, struct ring *ring,
		 int epoll_fd)
{
	struct perf_buffer *pb = c->rings[id];
	size_t index = c->index[id], bytes;
	int fd = perf_buffer__buffer_fd(pb, index);
	void *base;
	int ret = fd < 0 ? fd : perf_buffer__buffer(pb, (int)index, &base, &bytes);

	/* Documented as the mapping's size; it is that of the data behind the first page. */
	if (!ret && bytes != ring_bytes(spec) && bytes != CASE_PAGE_BYTES + ring_bytes(spec))
		ret = -EMSGSIZE;
	return ret ? ret : ring_adopt(ring, ring_bytes(spec), fd, epoll_fd, base);
}

static struct perf_buffer *new_all_cpus(struct consumer *c, const struct ring_spec *spec)
{
	LIBBPF_OPTS(perf_buffer_opts, opts,
#if HAS_SAMPLE_PERIOD
		.sample_period = spec->threshold,
#endif
	);

	return perf_buffer__new(c->slots_fd, spec->pages, on_sample, on_lost, c, &opts);
}

static int open_all_cpus(struct consumer *c, uint32_t id, const struct ring_spec *spec,
			 struct ring *ring)
{
	int index = buffer_index(spec->cpu);

	if (index < 0)
		return index;
	c->index[id] = (uint32_t)index;
	/* consumer_lacks() has seen to it that all rings of the case are alike. */
	for (uint32_t other = 0; !c->rings[id] && other < CASE_MAX_RINGS; other++)
		c->rings[id] = c->rings[other];
	if (!c->rings[id])
		c->rings[id] = new_all_cpus(c, spec);
	/* Its epoll watches all CPUs, and a look at one ring must not take the flag of another. */
	return c->rings[id] ? adopt(c, id, spec, ring, -1) : -errno;
}

static int open_raw(struct consumer *c, uint32_t id, const struct ring_spec *spec,
		    struct ring *ring)
{
	int cpu = (int)spec->cpu, slot = (int)id;
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = 1, .cpus = &cpu, .map_keys = &slot);
	struct perf_event_attr attr;

	ring_attr(spec, &attr);
	c->rings[id] = perf_buffer__new_raw(c->slots_fd, spec->pages, &attr, on_event, c, &opts);
	if (!c->rings[id])
		return -errno;
	return adopt(c, id, spec, ring, perf_buffer__epoll_fd(c->rings[id]));
}

static void close_ring(struct consumer *c, uint32_t id)
{
	struct perf_buffer *pb = c->rings[id];

	if (sharing(c, pb) == 1)
		perf_buffer__free(pb);
}

/* --- reading */

/* Where rings share a buffer manager, one of them is polled by the way for loops of one's own. */
static int poll_rings(struct consumer *c, uint32_t id, struct ring *ring, int timeout_ms)
{
	struct epoll_event ev;
	int n;

	if (sharing(c, c->rings[id]) == 1)
		return perf_buffer__poll(c->rings[id], timeout_ms);
	n = epoll_wait(ring->epoll[VIA_EPOLL], &ev, 1, timeout_ms);
	if (n > 0) {
		int ret = perf_buffer__consume_buffer(c->rings[id], c->index[id]);

		return ret ? ret : n;
	}
	return n < 0 ? -errno : 0;
}

static int consume_ring(struct consumer *c, uint32_t id, struct ring *ring)
{
	struct perf_buffer *pb = c->rings[id];

	(void)ring;
	/* Either call is a tool's; that for one buffer is the only one where others must not be read. */
	if (sharing(c, pb) == 1 && c->left == UINT32_MAX)
		return perf_buffer__consume(pb);
	return perf_buffer__consume_buffer(pb, c->index[id]);
}

const struct consumer_ops consumer_libbpf_ops = {
	.version = LIBBPF_VERSION,
	.offers = OFFER_CONSUME | OFFER_WAITS | OFFER_FD |
		  (HAS_SAMPLE_PERIOD ? OFFER_EVENTS | OFFER_ZERO : 0),
	.open = open_all_cpus,
	.poll = poll_rings,
	.consume = consume_ring,
	.close = close_ring,
};

const struct consumer_ops consumer_libbpf_raw_ops = {
	.version = LIBBPF_VERSION,
	.offers = OFFER_EVENTS | OFFER_ZERO | OFFER_BYTES | OFFER_BYTES_ANY | OFFER_CONSUME |
		  OFFER_WAITS | OFFER_FD | OFFER_PART | OFFER_EACH | OFFER_COUNT,
	.open = open_raw,
	.poll = poll_rings,
	.consume = consume_ring,
	.close = close_ring,
};
