// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../bpf_progs/sample.h"
#include "emit_attached.skel.h"
#include "emit_packet.skel.h"
#include "emit_test_run.skel.h"
#include "emitter_module.h"
#include "payload.h"
#include "settle.h"

static int no_print(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

const char *emitter_name(enum emitter_kind kind)
{
	switch (kind) {
	case EMITTER_TEST_RUN:
		return "test-run";
	case EMITTER_ATTACHED:
		return "attached";
	case EMITTER_MODULE:
		return "module";
	case EMITTER_PACKET:
		return "packet";
	case EMITTERS:
		break;
	}
	return "?";
}

static int open_test_run(struct emitter *e, uint32_t slots)
{
	int ret;

	e->failed = "loading the BPF program emit_test_run";
	e->test_run = emit_test_run_bpf__open();
	if (!e->test_run)
		return -errno;
	ret = bpf_map__set_max_entries(e->test_run->maps.slots, slots);
	if (!ret)
		ret = emit_test_run_bpf__load(e->test_run);
	if (ret)
		return ret;
	e->io = &e->test_run->bss->io;
	e->program_fd = bpf_program__fd(e->test_run->progs.emit_test_run);
	e->slots_fd = bpf_map__fd(e->test_run->maps.slots);
	return 0;
}

static int open_attached(struct emitter *e, uint32_t slots)
{
	int ret;

	e->failed = "loading the BPF program emit_attached";
	e->attached = emit_attached_bpf__open();
	if (!e->attached)
		return -errno;
	e->attached->rodata->emitting_thread = (__u32)syscall(SYS_gettid);
	ret = bpf_map__set_max_entries(e->attached->maps.slots, slots);
	if (!ret)
		ret = emit_attached_bpf__load(e->attached);
	if (ret)
		return ret;
	e->failed = "attaching to the tracepoint syscalls:sys_enter_getppid";
	ret = emit_attached_bpf__attach(e->attached);
	if (ret)
		return ret;
	e->io = &e->attached->bss->io;
	e->program_fd = bpf_program__fd(e->attached->progs.emit_attached);
	e->slots_fd = bpf_map__fd(e->attached->maps.slots);
	return 0;
}

/* No address in it means anything; what counts is that no two bytes are alike. */
const uint8_t emitter_packet[EMITTER_PACKET_BYTES] = {
	128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
	144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
	160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
	176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
};

static int open_packet(struct emitter *e, uint32_t slots)
{
	int ret;

	e->failed = "loading the BPF program emit_packet";
	e->packet = emit_packet_bpf__open();
	if (!e->packet)
		return -errno;
	ret = bpf_map__set_max_entries(e->packet->maps.slots, slots);
	if (!ret)
		ret = emit_packet_bpf__load(e->packet);
	if (ret)
		return ret;
	e->io = &e->packet->bss->io;
	e->program_fd = bpf_program__fd(e->packet->progs.emit_packet);
	e->slots_fd = bpf_map__fd(e->packet->maps.slots);
	return 0;
}

static int open_kind(struct emitter *e, uint32_t slots)
{
	switch (e->kind) {
	case EMITTER_TEST_RUN:
		return open_test_run(e, slots);
	case EMITTER_ATTACHED:
		return open_attached(e, slots);
	case EMITTER_MODULE:
		return emitter_module_open(e, slots);
	case EMITTER_PACKET:
		return open_packet(e, slots);
	case EMITTERS:
		break;
	}
	return -EINVAL;
}

static int open_unsettled(struct emitter *e, enum emitter_kind kind, uint32_t slots)
{
	int ret, code;

	*e = (struct emitter){ .kind = kind, .device_fd = -1 };
	libbpf_set_print(no_print); /* errors are ours to word, on one line */
	ret = open_kind(e, slots);
	if (!ret) {
		/* Proves that the program runs at all: an empty slot is refused with -ENOENT. */
		e->failed = "running the BPF program";
		ret = emitter_emit(e, 0, sizeof(struct sample), &code);
		if (!ret && code != -ENOENT)
			ret = -EIO;
		emitter_set_number(e, 0);
	}
	if (ret) {
		const char *failed = e->failed;

		emitter_close(e);
		e->failed = failed;
		return ret;
	}
	e->failed = NULL;
	return 0;
}

int emitter_open_unsettled(struct emitter *e, enum emitter_kind kind)
{
	return open_unsettled(e, kind, SAMPLE_SLOTS);
}

int emitter_open(struct emitter *e, enum emitter_kind kind)
{
	return emitter_open_slots(e, kind, SAMPLE_SLOTS);
}

int emitter_open_slots(struct emitter *e, enum emitter_kind kind, uint32_t slots)
{
	int ret = open_unsettled(e, kind, slots);

	if (ret || !settle_needed())
		return ret;
	e->settle = settle_open();
	if (e->settle)
		return 0;
	ret = -errno;
	emitter_close(e);
	e->failed = "preparing to wait for late wakes";
	return ret;
}

void emitter_close(struct emitter *e)
{
	settle_close(e->settle);
	emit_test_run_bpf__destroy(e->test_run);
	emit_attached_bpf__destroy(e->attached);
	emit_packet_bpf__destroy(e->packet);
	emitter_module_close(e);
	*e = (struct emitter){ .kind = e->kind, .device_fd = -1 };
}

int emitter_set_slot(struct emitter *e, uint32_t slot, int fd)
{
	return bpf_map_update_elem(e->slots_fd, &slot, &fd, BPF_ANY) ? -errno : 0;
}

int emitter_drop_slot(struct emitter *e, uint32_t slot)
{
	return bpf_map_delete_elem(e->slots_fd, &slot) ? -errno : 0;
}

uint32_t emitter_number(const struct emitter *e)
{
	return e->io->number;
}

void emitter_set_number(struct emitter *e, uint32_t number)
{
	e->io->number = number;
}

/* Make the program run once, on this CPU, before this returns. */
static int run_program(struct emitter *e)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	LIBBPF_OPTS(bpf_test_run_opts, on_packet, .data_in = emitter_packet,
		    .data_size_in = sizeof(emitter_packet));

	switch (e->kind) {
	case EMITTER_TEST_RUN:
		return bpf_prog_test_run_opts(e->program_fd, &opts) ? -errno : 0;
	case EMITTER_ATTACHED:
		syscall(SYS_getppid);
		return 0;
	case EMITTER_MODULE:
		return emitter_module_fire(e, 1 << SAMPLE_PROCESS);
	case EMITTER_PACKET:
		return bpf_prog_test_run_opts(e->program_fd, &on_packet) ? -errno : 0;
	case EMITTERS:
		break;
	}
	return -EINVAL;
}

int emitter_settle(struct emitter *e)
{
	return e->settle ? settle(e->settle) : 0;
}

/* @count samples of one payload in one run of the program. */
static int emit(struct emitter *e, uint64_t flags, uint32_t size, uint32_t count, int *codes)
{
	uint32_t number = e->io->number, runs = e->io->runs;
	int ret;

	if (size > SAMPLE_MAX_BYTES)
		return -EINVAL;
	payload_fill((uint8_t *)e->io->payload, size, number);
	e->io->flags = flags;
	e->io->size = size;
	e->io->count = count;
	ret = run_program(e);
	if (ret)
		return ret;
	if (e->io->runs != runs + count || e->io->number != number + count)
		return -EIO;
	for (uint32_t i = 0; i < count; i++)
		codes[i] = (int)e->io->codes[i];
	return emitter_settle(e);
}

int emitter_emit_flags(struct emitter *e, uint64_t flags, uint32_t size, int *code)
{
	return emit(e, flags, size, 1, code);
}

uint32_t emitter_batch(uint32_t size)
{
	return size <= sizeof(struct sample) ? EMITTER_BATCH : 1;
}

int emitter_emit_batch(struct emitter *e, uint32_t slot, uint32_t size, uint32_t count, int *codes)
{
	e->io->ring = slot;
	return count <= emitter_batch(size) ? emit(e, slot, size, count, codes) : -EINVAL;
}

int emitter_emit(struct emitter *e, uint32_t slot, uint32_t size, int *code)
{
	e->io->ring = slot;
	return emitter_emit_flags(e, slot, size, code);
}

int emitter_emit_from(struct emitter *e, uint32_t contexts, uint64_t flags, uint32_t ring,
		      uint32_t size, int codes[SAMPLE_CONTEXTS])
{
	int ret;

	if (size > SAMPLE_MAX_BYTES || e->kind != EMITTER_MODULE)
		return -EINVAL;
	ret = emitter_module_emit(e, contexts, flags, ring, size, codes);
	return ret ? ret : emitter_settle(e);
}
