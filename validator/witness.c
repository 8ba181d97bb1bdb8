// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>

#include "ring.h"
#include "witness.h"
#include "witness.skel.h"

int witness_watch(struct witness *w, uint32_t slot, int fd)
{
	__u64 id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -errno;
	return bpf_map_update_elem(bpf_map__fd(w->bpf->maps.watched), &id, &slot, BPF_ANY) ?
		       -errno : 0;
}

void witness_forget(struct witness *w, int fd)
{
	__u64 id;

	if (!ioctl(fd, PERF_EVENT_IOC_ID, &id))
		bpf_map_delete_elem(bpf_map__fd(w->bpf->maps.watched), &id);
}

uint64_t witness_wakes(const struct witness *w, uint32_t slot)
{
	return __atomic_load_n(&w->bpf->bss->wakes[slot], __ATOMIC_ACQUIRE);
}

/* Load with one of the two programs and attach it. */
static int attach(struct witness *w, bool fentry)
{
	int ret;

	w->bpf = witness_bpf__open();
	if (!w->bpf)
		return -errno;
	w->by = fentry ? "fentry" : "kprobe";
	bpf_program__set_autoload(w->bpf->progs.wake_fentry, fentry);
	bpf_program__set_autoload(w->bpf->progs.wake_kprobe, !fentry);
	ret = witness_bpf__load(w->bpf);
	if (!ret)
		ret = witness_bpf__attach(w->bpf);
	if (ret) {
		witness_bpf__destroy(w->bpf);
		w->bpf = NULL;
	}
	return ret;
}

/* One sample with a threshold of one: the kernel wakes once, and that has to be seen. */
static int try_once(struct witness *w, struct emitter *e, uint32_t cpu)
{
	const struct ring_spec spec = { .cpu = cpu, .pages = 1, .threshold = 1 };
	uint64_t before = witness_wakes(w, 0);
	struct ring r;
	int ret, code = 0;

	ret = ring_open(&r, &spec);
	if (ret)
		return ret;
	ret = emitter_set_slot(e, 0, r.fd);
	if (!ret)
		ret = witness_watch(w, 0, r.fd);
	if (!ret)
		ret = emitter_emit(e, 0, 8, &code);
	if (!ret)
		ret = code;
	if (!ret && witness_wakes(w, 0) != before + 1)
		ret = -ENODATA;
	witness_forget(w, r.fd);
	emitter_drop_slot(e, 0);
	ring_close(&r);
	return ret;
}

/* try_once() on whatever CPU this is, with the thread kept there. */
static int try_here(struct witness *w, struct emitter *e)
{
	cpu_set_t home, here;
	int cpu = sched_getcpu(), ret;

	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	if (cpu < 0 || sched_getaffinity(0, sizeof(home), &home) ||
	    sched_setaffinity(0, sizeof(here), &here))
		return -errno;
	ret = try_once(w, e, (uint32_t)cpu);
	sched_setaffinity(0, sizeof(home), &home);
	return ret;
}

int witness_open(struct witness *w, struct emitter *e)
{
	int ret;

	*w = (struct witness){ 0 };
	ret = attach(w, true);
	if (ret)
		ret = attach(w, false);
	if (ret) {
		w->missing = "this kernel lets no program attach to perf_event_wakeup, neither by fentry nor by kprobe";
		return ret;
	}
	ret = try_here(w, e);
	if (ret) {
		witness_close(w);
		w->missing = ret == -ENODATA ?
			"calls of perf_event_wakeup are not seen when they happen (inlined, or woken from a thread)" :
			"a first sample could not be emitted";
	}
	return ret;
}

void witness_close(struct witness *w)
{
	witness_bpf__destroy(w->bpf);
	w->bpf = NULL;
}
