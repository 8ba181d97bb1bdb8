/* SPDX-License-Identifier: GPL-2.0 */
/* Emits numbered samples through a BPF program, synchronously, from the calling thread. */
#ifndef PERFWAKE_EMITTER_H
#define PERFWAKE_EMITTER_H

#include <linux/types.h>

#include "../bpf_progs/sample.h"
#include "value.h"

enum emitter_kind {
	EMITTER_TEST_RUN,	/* a raw tracepoint program run by BPF_PROG_TEST_RUN */
	EMITTER_ATTACHED,	/* a program attached to a system call's tracepoint */
	EMITTER_MODULE,		/* programs attached to the test module's tracepoint: any context */
	EMITTER_PACKET,		/* a program of the network run by BPF_PROG_TEST_RUN on emitter_packet */
	EMITTERS
};

struct emit_io;
struct settle;
struct emit_test_run_bpf;
struct emit_attached_bpf;
struct emit_module_bpf;
struct emit_packet_bpf;

struct emitter {
	enum emitter_kind kind;
	struct emit_test_run_bpf *test_run;	/* one of these is loaded */
	struct emit_attached_bpf *attached;
	struct emit_module_bpf *module;
	struct emit_packet_bpf *packet;
	int device_fd;				/* the module's; else -1 */
	volatile struct emit_io *io;		/* the loaded one's variable, mapped; the module's, of each context */
	int program_fd;
	int slots_fd;				/* the perf event array */
	struct settle *settle;			/* where wakes may come late; else NULL */
	const char *failed;			/* what emitter_open() was doing when it failed */
};

const char *emitter_name(enum emitter_kind kind);

/*
 * Load, and attach where the kind says so, for the calling thread. Returns 0 or -errno, with
 * @e->failed saying at what; *@e then holds nothing else. emitter_close() accepts that.
 */
int emitter_open(struct emitter *e, enum emitter_kind kind);
void emitter_close(struct emitter *e);

/* The same with fewer slots than SAMPLE_SLOTS: some libraries open an event for each that there is. */
int emitter_open_slots(struct emitter *e, enum emitter_kind kind, uint32_t slots);

/* The same as emitter_open(), but emissions do not wait for late wakes: for settle.c itself, and for measuring. */
int emitter_open_unsettled(struct emitter *e, enum emitter_kind kind);

/* Put descriptor @fd into slot @slot, or empty the slot. 0 or -errno. */
int emitter_set_slot(struct emitter *e, uint32_t slot, int fd);
int emitter_drop_slot(struct emitter *e, uint32_t slot);

/* The number of the next sample; emitter_open() starts with 0. */
uint32_t emitter_number(const struct emitter *e);
void emitter_set_number(struct emitter *e, uint32_t number);

/*
 * Emit one sample of @size payload bytes to the ring in slot @slot, on the CPU that the thread runs
 * on; where wakes come late (settle.h) it has to be pinned there, and this waits for them.
 * Returns 0 when the program ran, and in *@code what its helper returned (0 or -errno);
 * -EIO when it did not run, or another -errno.
 */
int emitter_emit(struct emitter *e, uint32_t slot, uint32_t size, int *code);

/*
 * The same for up to emitter_batch(@size) samples at once, with nothing between them: what each carries of
 * its own has to fit into struct sample. In @codes what the helper returned for each.
 */
#define EMITTER_BATCH SAMPLE_BATCH
uint32_t emitter_batch(uint32_t size);
int emitter_emit_batch(struct emitter *e, uint32_t slot, uint32_t size, uint32_t count, int *codes);

/* The same with @flags for the helper instead of a slot, for what a slot cannot express. */
int emitter_emit_flags(struct emitter *e, uint64_t flags, uint32_t size, int *code);

/* What EMITTER_PACKET's program runs on; helper flags from 1ULL << 32 on add that many bytes of it to a sample. */
#define EMITTER_PACKET_BYTES 64
extern const uint8_t emitter_packet[EMITTER_PACKET_BYTES];

/*
 * One sample of @size bytes from each of @contexts (bits 1 << enum sample_context), each within the one
 * before, as model_emit_within() says; @codes gets what their helpers returned, outermost first. @flags are the
 * helper's, @ring is what the samples say. For EMITTER_MODULE alone. Returns as emitter_emit() does;
 * -EOPNOTSUPP for contexts that this kernel cannot nest; -EIO also when an output that was not
 * refused was not interrupted by the next one while it was being written.
 */
int emitter_emit_from(struct emitter *e, uint32_t contexts, uint64_t flags, uint32_t ring,
		      uint32_t size, int codes[SAMPLE_CONTEXTS]);

/* What each emission ends with: where wakes come late, wait for those due. 0 or -errno. */
int emitter_settle(struct emitter *e);

#endif
