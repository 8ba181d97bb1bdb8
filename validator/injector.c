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
#include "payload.h"

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

static int open_breakpoint(struct injector *in, int *fd, const struct bpf_program *program)
{
	struct perf_event_attr attr = breakpoint_attr(in->function.address);

	in->failed = "opening a hardware breakpoint on an instruction of the kernel";
	*fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (*fd < 0)
		return -errno;
	in->failed = "giving the breakpoint its BPF program";
	return ioctl(*fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program)) ? -errno : 0;
}

/* Somewhere harmless to begin with: the function that every case is about anyway. One is enough. */
static int open_breakpoints(struct injector *in)
{
	int ret;

	in->failed = "finding perf_output_begin in /proc/kallsyms";
	ret = ksym_exact("perf_output_begin", &in->function);
	while (!ret && in->width < INJECT_WATCHED) {
		ret = open_breakpoint(in, &in->fds[in->width],
				      in->width ? in->bpf->progs.inject_watch :
				      in->bpf->progs.inject_breakpoint);
		in->width += !ret;
	}
	if (!in->width)
		return ret;
	strcpy(in->place.function, in->function.name);
	in->io->address = in->function.address;
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

static struct injector injector_closed(enum injector_kind kind)
{
	struct injector in = { .kind = kind };

	for (int i = 0; i < INJECT_WATCHED; i++)
		in.fds[i] = -1;
	return in;
}

static int load(struct injector *in, struct emitter *e, bool within)
{
	int ret;

	in->bpf = inject_bpf__open();
	if (!in->bpf)
		return -errno;
	ret = bpf_program__set_autoload(in->bpf->progs.inject_within, within);
	if (!ret)
		ret = bpf_map__reuse_fd(in->bpf->maps.slots, e->slots_fd);
	if (!ret)
		ret = inject_bpf__load(in->bpf);
	in->can_within = within && !ret;
	return ret;
}

int injector_open(struct injector *in, enum injector_kind kind, struct emitter *e)
{
	int ret;

	*in = injector_closed(kind);
	in->failed = "loading the BPF program inject: the emitter has to be test-run";
	if (e->kind != EMITTER_TEST_RUN)
		return -EINVAL;
	in->failed = "loading the BPF program inject";
	ret = load(in, e, true);
	/* Where no program can be attached to that function, the others do. */
	if (ret) {
		inject_bpf__destroy(in->bpf);
		ret = load(in, e, false);
	}
	if (ret)
		return ret;
	in->io = &in->bpf->bss->inject;
	if (kind == INJECTOR_BREAKPOINT) {
		ret = open_breakpoints(in);
	} else {
		in->width = 1;
		in->optimization = injector_optimize('0');
	}
	if (!ret)
		in->failed = NULL;
	return ret;
}

void injector_close(struct injector *in)
{
	bpf_link__destroy(in->link);
	bpf_link__destroy(in->within);
	for (int i = 0; in->bpf && i < INJECT_WATCHED; i++)
		if (in->fds[i] >= 0)
			close(in->fds[i]);
	inject_bpf__destroy(in->bpf);
	if (in->optimization)
		injector_optimize(in->optimization);
	*in = injector_closed(in->kind);
}

static void leave_kprobe(struct injector *in)
{
	bpf_link__destroy(in->link);
	in->link = NULL;
	in->outer.function[0] = 0;
}

static int go_kprobe(struct injector *in, const struct place *place)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .offset = place->offset);

	leave_kprobe(in);
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

static int go_breakpoints(struct injector *in, const struct place *place, uint32_t count)
{
	int ret = find_function(in, place->function);

	in->io->address = in->function.address + place->offset;
	for (uint32_t i = 0; !ret && i < count; i++) {
		struct perf_event_attr attr = breakpoint_attr(in->io->address + i);

		ret = ioctl(in->fds[i], PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) ? -errno : 0;
	}
	return ret;
}

static bool at(const struct place *a, const struct place *b)
{
	return !strcmp(a->function, b->function) && a->offset == b->offset;
}

static int go(struct injector *in, const struct place *place, uint32_t count)
{
	int ret;

	in->io->twice = 0;
	leave_kprobe(in);
	if (in->kind == INJECTOR_KPROBE)
		ret = go_kprobe(in, place);
	else
		ret = go_breakpoints(in, place, count);
	if (ret)
		in->place.function[0] = 0;
	else
		in->place = *place;
	return ret;
}

int injector_go(struct injector *in, const struct place *place)
{
	if (!at(&in->place, place) || in->io->twice)
		return go(in, place, 1);
	in->place.visit = place->visit;
	return 0;
}

/* What only two interruptions within one another need. */
static int prepare_within(struct injector *in)
{
	if (in->within)
		return 0;
	if (in->kind != INJECTOR_BREAKPOINT || !in->can_within)
		return -EOPNOTSUPP;
	in->within = bpf_program__attach(in->bpf->progs.inject_within);
	if (!in->within)
		return -EOPNOTSUPP;
	in->optimization = injector_optimize('0');
	return 0;
}

int injector_go_within(struct injector *in, const struct place *outer, const struct place *inner)
{
	int ret = prepare_within(in);

	if (!ret && !at(&in->outer, outer)) {
		ret = go_kprobe(in, outer);
		in->outer = ret ? (struct place){ 0 } : *outer;
	}
	if (!ret && !(in->io->twice && at(&in->place, inner)))
		ret = go_breakpoints(in, inner, 1);
	in->io->twice = !ret;
	in->place = ret ? (struct place){ 0 } : *inner;
	in->place.visit = outer->visit;
	return ret;
}

int injector_watch(struct injector *in, const struct place *place)
{
	return go(in, place, in->width);
}

void injector_watch_begin(struct injector *in)
{
	for (uint32_t i = 0; i < INJECT_WATCHED; i++)
		in->io->watched[i] = 0;
	in->io->watching = 1;
}

uint32_t injector_watch_end(struct injector *in)
{
	uint32_t seen = 0;

	in->io->watching = 0;
	for (uint32_t i = 0; i < in->width; i++)
		seen |= in->io->watched[i] ? 1u << i : 0;
	return seen;
}

int injector_peek(struct injector *in, const struct place *place, uint8_t *bytes, uint32_t size)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int ret = find_function(in, place->function);

	if (ret)
		return ret;
	/* A kprobe changes the text that it lies on. */
	leave_kprobe(in);
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
		payload_fill((uint8_t *)in->io->samples[i].payload, size, number + i);
	in->io->flags = slot;
	in->io->ring = slot;
	in->io->size = size;
	in->io->count = count;
	in->io->number = number;
	in->io->skip = in->place.visit;
	in->io->visits = in->io->fired = in->io->fired_within = 0;
	in->io->armed = 1;
}

struct injected injector_disarm(struct injector *in)
{
	struct injected done;

	in->io->armed = 0;
	done.fired = in->io->fired;
	done.fired_within = in->io->fired_within;
	done.visits = in->io->visits;
	for (int i = 0; i < INJECT_MAX; i++)
		done.codes[i] = (int)in->io->codes[i];
	return done;
}
