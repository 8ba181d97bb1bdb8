// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../bpf_progs/sample.h"
#include "emit_clock.skel.h"
#include "emitter_module.h"
#include "interrupter.h"

static int open_clock(struct interrupter *in)
{
	int ret;

	in->clock = emit_clock_bpf__open();
	if (!in->clock)
		return -errno;
	ret = bpf_map__reuse_fd(in->clock->maps.slots, in->e->slots_fd);
	if (!ret)
		ret = emit_clock_bpf__load(in->clock);
	if (ret)
		return ret;
	in->io[SAMPLE_PROCESS] = in->e->io;
	in->io[SAMPLE_HARDIRQ] = &in->clock->bss->io;
	return 0;
}

int interrupter_open(struct interrupter *in, struct emitter *e)
{
	int ret = 0;

	*in = (struct interrupter){ .e = e, .fd = -1 };
	if (e->kind == EMITTER_MODULE)
		for (uint32_t c = 0; c < SAMPLE_CONTEXTS; c++)
			in->io[c] = &e->io[c];
	else if (e->kind == EMITTER_TEST_RUN)
		ret = open_clock(in);
	else
		ret = -EINVAL;
	for (uint32_t c = 0; !ret && c < SAMPLE_CONTEXTS; c++) {
		if (!in->io[c])
			continue;
		in->io[c]->number = in->io[c]->runs = in->io[c]->accepted = 0;
		in->io[c]->flags = in->io[c]->ring = 0;
		in->io[c]->size = sizeof(struct sample);
		in->io[c]->count = 1;
	}
	return ret;
}

void interrupter_close(struct interrupter *in)
{
	interrupter_stop(in);
	emit_clock_bpf__destroy(in->clock);
	*in = (struct interrupter){ .fd = -1 };
}

static int start_clock(struct interrupter *in, uint32_t interval_ns)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,	/* a timer's hard interrupt, on PREEMPT_RT too */
		.sample_period = interval_ns,		/* below 10 us the kernel takes that */
		.disabled = 1,				/* its program comes first */
	};

	in->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (in->fd < 0)
		return -errno;
	if (ioctl(in->fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(in->clock->progs.emit_clock)) ||
	    ioctl(in->fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

int interrupter_start(struct interrupter *in, uint32_t cpu, uint32_t contexts, uint32_t interval_ns,
		      uint32_t seed)
{
	if (!in->clock)
		return emitter_module_timer(in->e, cpu, contexts, interval_ns, seed);
	if (contexts != 1 << SAMPLE_HARDIRQ)
		return -EOPNOTSUPP;
	return start_clock(in, interval_ns);
}

int interrupter_stop(struct interrupter *in)
{
	if (!in->clock)
		return in->e ? emitter_module_timer(in->e, 0, 0, 0, 0) : 0;
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	return 0;
}

int interrupter_burst(struct interrupter *in, uint32_t count)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (count > SAMPLE_BATCH)
		return -EINVAL;
	if (!in->clock)
		return emitter_module_burst(in->e, count);
	in->io[SAMPLE_PROCESS]->count = count;
	return bpf_prog_test_run_opts(in->e->program_fd, &opts) ? -errno : 0;
}

uint32_t interrupter_outputs(const struct interrupter *in, enum sample_context context)
{
	return in->io[context] ? in->io[context]->runs : 0;
}

uint32_t interrupter_accepted(const struct interrupter *in, enum sample_context context)
{
	return in->io[context] ? in->io[context]->accepted : 0;
}
