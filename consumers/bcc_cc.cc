// SPDX-License-Identifier: GPL-2.0
/*
 * bcc's C++ class. Its table is described by hand: to have the class make it, bcc would compile a
 * program with clang, for which it wants a kernel's headers, and none of that is under test.
 */
#include <bcc/bcc_version.h>
#include <bcc/BPFTable.h>
#include <linux/bpf.h>
#include <memory>
#include <string>
#include <unistd.h>

#include "talk.h"

static std::unique_ptr<ebpf::BPFPerfBuffer> buffer;
static std::string reason;

static void on_sample(void *, void *raw, int size)
{
	talk_sample(raw, static_cast<unsigned int>(size));
}

static void on_lost(void *, uint64_t count)
{
	talk_lost(count);
}

static int open_ring(int slots_fd, const struct talk_ring *ring, int *, const char **why)
{
	/* The class keeps a reference to it. */
	static ebpf::TableDesc slots("slots", ebpf::FileDesc(dup(slots_fd)),
				     BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(int), sizeof(int), 64, 0);

	buffer.reset(new ebpf::BPFPerfBuffer(slots));
	ebpf::StatusTuple status = buffer->open_all_cpu(on_sample, on_lost, nullptr,
							static_cast<int>(ring->pages),
							static_cast<int>(ring->n));
	reason = status.msg();
	*why = reason.c_str();
	return status.code();
}

static int poll_ring(unsigned int, int timeout_ms)
{
	return buffer->poll(timeout_ms);
}

static int consume_ring(unsigned int)
{
	return buffer->consume();
}

static void close_ring(unsigned int)
{
	buffer.reset();
}

int main(int argc, char **argv)
{
	static const struct talk_ops ops = {
		LIBBCC_VERSION, "events zero consume waits",
		open_ring, poll_ring, consume_ring, close_ring,
	};

	return talk_serve(argc, argv, &ops);
}
