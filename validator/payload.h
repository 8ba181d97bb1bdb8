/* SPDX-License-Identifier: GPL-2.0 */
/* What a sample carries, and whether it still does when it is read. Knows no kernel. */
#ifndef PERFWAKE_PAYLOAD_H
#define PERFWAKE_PAYLOAD_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "../bpf_progs/sample.h"

struct raw_run;

/* What was emitted as the sample of a number. Behind @size it is laid out as struct sample is. */
struct emitted {
	uint32_t size;		/* payload bytes that were asked for */
	uint16_t cpu;
	uint8_t ring;
	uint8_t context;	/* enum sample_context */
};

/* Write what is in a payload of @size bytes behind its struct sample. */
void payload_fill(uint8_t *payload, uint32_t size, uint32_t number);

/*
 * True if @payload of @size bytes, as read, is that of sample @number, emitted with @asked bytes on @cpu
 * to @ring from @context.
 */
bool payload_whole(const uint8_t *payload, uint32_t size, uint32_t number, uint32_t asked,
		   uint32_t cpu, uint32_t ring, enum sample_context context);

/*
 * How many of the first @count samples of @run are those of the numbers @first, @first + 1 and so on, as
 * @sent, @sent + 1 and so on say, to the last byte: the first that is not ends it.
 */
uint32_t payload_run(const struct raw_run *run, uint32_t count, uint32_t first,
		     const struct emitted *sent);

#endif
