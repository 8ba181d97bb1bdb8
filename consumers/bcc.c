// SPDX-License-Identifier: GPL-2.0
/* bcc through its C interface: a reader a ring, and no compiler. */
#include <bcc/bcc_version.h>
#include <bcc/libbpf.h>
#include <bcc/perf_reader.h>
#include <stddef.h>

#include "talk.h"

#define RINGS 64

static struct perf_reader *readers[RINGS];
static int slots;

static void on_sample(void *cookie, void *raw, int size)
{
	(void)cookie;
	talk_sample(raw, (unsigned int)size);
}

static void on_lost(void *cookie, uint64_t count)
{
	(void)cookie;
	talk_lost(count);
}

static int open_ring(int slots_fd, const struct talk_ring *ring, int *fd, const char **why)
{
	struct bcc_perf_buffer_opts opts = {
		.pid = -1, .cpu = (int)ring->cpu, .wakeup_events = (int)ring->n,
	};

	slots = slots_fd;
	*why = "bpf_open_perf_buffer_opts";
	readers[ring->id] = bpf_open_perf_buffer_opts(on_sample, on_lost, NULL, (int)ring->pages,
						      &opts);
	if (!readers[ring->id])
		return -1;
	*fd = perf_reader_fd(readers[ring->id]);
	*why = "bpf_update_elem";
	return bpf_update_elem(slots_fd, (void *)&ring->id, fd, 0);
}

static int poll_ring(unsigned int id, int timeout_ms)
{
	return perf_reader_poll(1, &readers[id], timeout_ms);
}

static int consume_ring(unsigned int id)
{
	return perf_reader_consume(1, &readers[id]);
}

static void close_ring(unsigned int id)
{
	bpf_delete_elem(slots, &id);
	perf_reader_free(readers[id]);
	readers[id] = NULL;
}

int main(int argc, char **argv)
{
	static const struct talk_ops ops = {
		.version = LIBBCC_VERSION,
		.offers = "events zero consume waits fd each",
		.open = open_ring,
		.poll = poll_ring,
		.consume = consume_ring,
		.close = close_ring,
	};

	return talk_serve(argc, argv, &ops);
}
