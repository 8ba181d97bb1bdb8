// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "deviation.h"

#define OF(kind)	(1u << CONSUMER_##kind)
#define LIBBPF		(OF(LIBBPF) | OF(LIBBPF_RAW))
#define BCC		(OF(BCC) | OF(BCC_CC) | OF(BCC_PY))

const struct deviation deviations[] = {
	{ "poll-counts-rings", LIBBPF | OF(BCC_CC), "poll-says", "libbpf 1.1, 1.5, bcc 0.26.0",
	  "poll returns how many rings were ready, not how many samples it handed over" },
	{ "poll-says-nothing", OF(BCC) | OF(BCC_PY), "poll-says", "bcc 0.26.0",
	  "perf_reader_poll() returns 0 and perf_buffer_poll() None, whatever was handed over" },
	{ "quiet-wake", OF(BCC_PY), "stale-ready", "bcc 0.26.0",
	  "as poll says nothing, a wake with an empty ring cannot be told from none" },
	{ "reader-never-ends", BCC, "one-consume-ends", "bcc 0.26.0",
	  "the reader loads data_head again after each record, so one consume or poll does not end while a sample comes in for each that it hands over" },
	{ "nested-poll", LIBBPF, "nested-epoll", "libbpf 1.1, 1.5",
	  "perf_buffer__epoll_fd() in an epoll of one's own: that wait takes the ring's only flag, and perf_buffer__poll() then reads nothing; perf_buffer__consume() does" },
	{ "errno-after-success", LIBBPF, "errno-stays", "libbpf 1.1, 1.5",
	  "a consume that succeeded leaves errno at 2 (ENOENT)" },
	{ "size-without-page", LIBBPF, "buffer-size", "libbpf 1.1, 1.5",
	  "perf_buffer__buffer() documents the size of the whole mapping, and gives that of the data behind its first page" },
	{ "free-under-poll", LIBBPF, "selftests/patterns", "libbpf 1.1",
	  "perf_buffer__free() wakes a poll in another thread, which then reads what was freed: the tool dies" },
	{ "zero-is-one", OF(LIBBPF), "zero zero-has-no-count", "libbpf 1.5",
	  "perf_buffer__new() takes a sample_period of 0 for 1, so that every sample wakes" },
	{ "array-larger-than-cpus", OF(CILIUM), "larger-array", "cilium/ebpf 0.9.1",
	  "NewReader() opens an event for each entry of the array and passes over offline CPUs, but fails (EINVAL) for those beyond what the kernel can have" },
	{ 0 },
};

/* Is @name one of the words in @list? */
static bool is_word(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += len)
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

const struct deviation *deviation_of(enum consumer_kind kind, const char *shows)
{
	for (const struct deviation *d = deviations; d->id; d++)
		if (d->consumers & 1u << kind && is_word(d->shows, shows))
			return d;
	return NULL;
}
