// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../bpf_progs/inject.h"
#include "inject.skel.h"
#include "injector.h"

_Static_assert(CASE_MAX_INNER == INJECT_MAX && CASE_MAX_INNER_SIZE == INJECT_MAX_BYTES,
	       "the text format allows what the program can do");

const char *injector_name(enum injector_kind kind)
{
	switch (kind) {
	case INJECTOR_BREAKPOINT:
		return "breakpoint";
	case INJECTOR_KPROBE:
		return "kprobe";
	case INJECTORS:
		break;
	}
	return "?";
}

static struct perf_event_attr breakpoint_attr(uint64_t address)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_len = sizeof(long),		/* all that x86 takes for an instruction */
		.bp_addr = address,
		.sample_period = 1,
		.pinned = 1,			/* no sharing of debug registers over time */
	};

	return attr;
}

/* Somewhere harmless to begin with: the function that every case is about anyway. */
static int open_breakpoint(struct injector *in)
{
	struct perf_event_attr attr;
	int ret;

	in->failed = "finding perf_output_begin in /proc/kallsyms";
	ret = ksym_exact("perf_output_begin", &in->function);
	if (ret)
		return ret;
	in->failed = "opening a hardware breakpoint on an instruction of the kernel";
	attr = breakpoint_attr(in->function.address);
	in->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (in->fd < 0)
		return -errno;
	in->failed = "giving the breakpoint its BPF program";
	if (ioctl(in->fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(in->bpf->progs.inject_breakpoint)))
		return -errno;
	strcpy(in->place.function, in->function.name);
	return 0;
}

#define OPTIMIZATION "/proc/sys/debug/kprobes-optimization"

char injector_optimize(char on)
{
	int fd = open(OPTIMIZATION, O_RDWR | O_CLOEXEC);
	char was = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &was, 1) != 1 || pwrite(fd, &on, 1, 0) != 1)
		was = 0;
	close(fd);
	return was;
}

int injector_open(struct injector *in, enum injector_kind kind, struct emitter *e)
{
	int ret;

	*in = (struct injector){ .kind = kind, .fd = -1 };
	in->failed = "loading the BPF program inject: the emitter has to be test-run";
	if (e->kind != EMITTER_TEST_RUN)
		return -EINVAL;
	in->failed = "loading the BPF program inject";
	in->bpf = inject_bpf__open();
	if (!in->bpf)
		return -errno;
	ret = bpf_map__reuse_fd(in->bpf->maps.slots, e->slots_fd);
	if (!ret)
		ret = inject_bpf__load(in->bpf);
	if (ret)
		return ret;
	in->io = &in->bpf->bss->inject;
	if (kind == INJECTOR_BREAKPOINT)
		ret = open_breakpoint(in);
	else
		in->optimization = injector_optimize('0');
	if (!ret)
		in->failed = NULL;
	return ret;
}

void injector_close(struct injector *in)
{
	bpf_link__destroy(in->link);
	if (in->bpf && in->fd >= 0)
		close(in->fd);
	inject_bpf__destroy(in->bpf);
	if (in->optimization)
		injector_optimize(in->optimization);
	*in = (struct injector){ .kind = in->kind, .fd = -1 };
}

static int go_kprobe(struct injector *in, const struct place *place)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .offset = place->offset);

	bpf_link__destroy(in->link);
	in->place.function[0] = 0;
	in->link = bpf_program__attach_kprobe_opts(in->bpf->progs.inject_kprobe, place->function, &opts);
	return in->link ? 0 : -errno;
}

static int find_function(struct injector *in, const char *name)
{
	int ret;

	if (!strcmp(name, in->function.name))
		return 0;
	ret = ksym_exact(name, &in->function);
	if (ret)
		in->function.name[0] = 0;
	return ret;
}

static int go_breakpoint(struct injector *in, const struct place *place)
{
	struct perf_event_attr attr;
	int ret = find_function(in, place->function);

	if (ret)
		return ret;
	attr = breakpoint_attr(in->function.address + place->offset);
	return ioctl(in->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) ? -errno : 0;
}

int injector_go(struct injector *in, const struct place *place)
{
	int ret = 0;

	if (strcmp(in->place.function, place->function) || in->place.offset != place->offset)
		ret = in->kind == INJECTOR_KPROBE ? go_kprobe(in, place) : go_breakpoint(in, place);
	if (!ret)
		in->place = *place;
	return ret;
}

int injector_peek(struct injector *in, const struct place *place, uint8_t *bytes, uint32_t size)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int ret = find_function(in, place->function);

	if (ret)
		return ret;
	/* A kprobe changes the text that it lies on. */
	bpf_link__destroy(in->link);
	in->link = NULL;
	if (in->kind == INJECTOR_KPROBE)
		in->place.function[0] = 0;
	in->io->peek = in->function.address + place->offset;
	if (bpf_prog_test_run_opts(bpf_program__fd(in->bpf->progs.inject_peek), &opts))
		return -errno;
	if (in->io->peeked)
		return (int)in->io->peeked;
	memcpy(bytes, (const uint8_t *)in->io->bytes, size < INJECT_PEEK_BYTES ? size : INJECT_PEEK_BYTES);
	return 0;
}

void injector_arm(struct injector *in, uint32_t slot, uint32_t count, uint32_t size, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		emitter_fill((uint8_t *)in->io->samples[i].payload, size, number + i);
	in->io->flags = slot;
	in->io->ring = slot;
	in->io->size = size;
	in->io->count = count;
	in->io->number = number;
	in->io->skip = in->place.visit;
	in->io->visits = in->io->fired = 0;
	in->io->armed = 1;
}

struct injected injector_disarm(struct injector *in)
{
	struct injected done;

	in->io->armed = 0;
	done.fired = in->io->fired;
	done.visits = in->io->visits;
	for (int i = 0; i < INJECT_MAX; i++)
		done.codes[i] = (int)in->io->codes[i];
	return done;
}
