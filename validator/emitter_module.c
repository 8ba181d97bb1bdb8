// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../bpf_progs/sample.h"
#include "emit_module.skel.h"
#include "emitter_module.h"
#include "payload.h"
#include "../selftests/kmod/perfwake_test.h"

int emitter_module_open(struct emitter *e, uint32_t slots)
{
	int ret;

	e->failed = "opening " EMITTER_MODULE_DEVICE;
	e->device_fd = open(EMITTER_MODULE_DEVICE, O_RDWR | O_CLOEXEC);
	if (e->device_fd < 0)
		return -errno;
	e->failed = "loading the BPF programs emit_module";
	e->module = emit_module_bpf__open();
	if (!e->module)
		return -errno;
	ret = bpf_map__set_max_entries(e->module->maps.slots, slots);
	if (!ret)
		ret = emit_module_bpf__load(e->module);
	if (ret)
		return ret;
	e->failed = "attaching to the raw tracepoint " PERFWAKE_TEST_TRACEPOINT;
	ret = emit_module_bpf__attach(e->module);
	if (ret)
		return ret;
	e->io = e->module->bss->io;
	e->slots_fd = bpf_map__fd(e->module->maps.slots);
	return 0;
}

void emitter_module_close(struct emitter *e)
{
	emit_module_bpf__destroy(e->module);
	if (e->device_fd >= 0)
		close(e->device_fd);
}

static int fire(struct emitter *e, struct perfwake_fire *f)
{
	int cpu = sched_getcpu();

	if (cpu < 0)
		return -errno;
	f->cpu = (uint32_t)cpu;
	return ioctl(e->device_fd, PERFWAKE_TEST_FIRE, f) ? -errno : 0;
}

/* An output that was not refused has got to where the next context is entered. */
static bool nested_as_due(const struct emitter *e, const struct perfwake_fire *f)
{
	bool within = false;

	for (uint32_t c = 0; c < SAMPLE_CONTEXTS; c++) {
		if (!(f->contexts & 1 << c))
			continue;
		if (f->fired[c] != 1 || f->inside[c] != within)
			return false;
		within = !e->io[c].codes[0];
	}
	return true;
}

int emitter_module_fire(struct emitter *e, uint32_t contexts)
{
	struct perfwake_fire f = { .contexts = contexts, .count = 1 };
	int ret = fire(e, &f);

	if (!ret && !nested_as_due(e, &f))
		ret = -EIO;
	return ret;
}

static void prepare(volatile struct emit_io *io, uint32_t number, uint64_t flags, uint32_t ring,
		    uint32_t size)
{
	payload_fill((uint8_t *)io->payload, size, number);
	io->number = number;
	io->flags = flags;
	io->ring = ring;
	io->size = size;
	io->count = 1;
}

int emitter_module_emit(struct emitter *e, uint32_t contexts, uint64_t flags, uint32_t ring,
			uint32_t size, int codes[SAMPLE_CONTEXTS])
{
	/* Process context's variable has the number of the next sample, whoever emits it. */
	uint32_t first = e->io->number, n = 0, runs[SAMPLE_CONTEXTS];
	int ret;

	for (uint32_t c = 0; c < SAMPLE_CONTEXTS; c++) {
		if (!(contexts & 1 << c))
			continue;
		runs[c] = e->io[c].runs;
		prepare(&e->io[c], first + n++, flags, ring, size);
	}
	ret = emitter_module_fire(e, contexts);
	for (uint32_t c = 0, i = 0; c < SAMPLE_CONTEXTS; c++) {
		if (!(contexts & 1 << c))
			continue;
		if (!ret && (e->io[c].runs != runs[c] + 1 || e->io[c].number != first + i + 1))
			ret = -EIO;
		codes[i++] = (int)e->io[c].codes[0];
	}
	e->io->number = first + n;
	return ret;
}

int emitter_module_burst(struct emitter *e, uint32_t count)
{
	struct perfwake_fire f = { .contexts = 1 << SAMPLE_PROCESS, .count = count };

	return fire(e, &f);
}

int emitter_module_timer(struct emitter *e, uint32_t cpu, uint32_t contexts, uint32_t interval_ns,
			 uint32_t seed)
{
	struct perfwake_timer t = {
		.cpu = cpu, .contexts = contexts, .interval_ns = interval_ns, .seed = seed,
	};

	return ioctl(e->device_fd, PERFWAKE_TEST_TIMER, &t) ? -errno : 0;
}
