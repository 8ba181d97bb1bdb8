// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>

#include "consumer_raw.h"
#include "payload.h"

#define WINDOWS	251u		/* a prime: no power of two of samples shares one */
#define FRONT	sizeof(struct sample)

/*
 * What fills a payload behind its struct sample: a window into one table of bytes, moved on by the
 * number, so that a piece of another sample or of another place in the same one is noticed.
 */
static uint8_t table[SAMPLE_MAX_BYTES + WINDOWS];

static void __attribute__((constructor)) make_table(void)
{
	uint32_t x = 1;

	for (size_t i = 0; i < sizeof(table); i++) {
		x = x * 1664525 + 1013904223; /* any sequence without a short period does */
		table[i] = (uint8_t)(x >> 24);
	}
}

/* What is behind the struct sample of a payload with that window. */
static inline const uint8_t *fill_at(uint32_t window)
{
	return table + window + FRONT;
}

void payload_fill(uint8_t *payload, uint32_t size, uint32_t number)
{
	if (size > FRONT)
		memcpy(payload + FRONT, fill_at(number % WINDOWS), size - FRONT);
}

/* The kernel pads u32 and payload together to a multiple of 8 (K7). */
static size_t padded(uint32_t asked)
{
	return ((4 + (size_t)asked + 7) & ~(size_t)7) - 4;
}

bool payload_whole(const uint8_t *payload, uint32_t size, uint32_t number, uint32_t asked,
		   uint32_t cpu, uint32_t ring, enum sample_context context)
{
	const struct sample sent = {
		.number = number, .cpu = (__u16)cpu, .ring = (__u8)ring, .context = context,
	};
	struct sample got = sent;	/* a short payload says no more than it has */

	if (size != padded(asked))
		return false;
	if (asked < FRONT)
		memcpy(&got, payload, asked);
	else
		memcpy(&got, payload, FRONT);
	return got.number == sent.number && got.cpu == sent.cpu && got.ring == sent.ring &&
	       got.context == sent.context &&
	       (asked <= FRONT ||
		!memcmp(payload + FRONT, fill_at(number % WINDOWS), asked - FRONT));
}

/*
 * Verifying is held against readers that look at no byte (docs/batches.md). So samples are compared a
 * chunk at a time, all bytes before anything is decided, and in words as wide as the machine has. Only a
 * chunk with a difference in it is gone through one by one.
 */
#define CHUNK	64u

/* The sanitizer is not ready yet when the clone is chosen. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define WIDEST	__attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif
#define INLINE	static inline __attribute__((always_inline))

typedef uint64_t lane __attribute__((vector_size(32), aligned(1), may_alias));

#define LANES_MAX 4		/* of a sample; beyond, a call of memcmp() for each is no slower */

/* Samples that lie @stride bytes apart. All but the number is the same for all. */
struct chunk {
	const uint8_t *payload;
	size_t stride;
	uint32_t count;
	uint32_t number;	/* of the first */
	uint32_t rest;		/* of a struct sample behind the number, as it lies there */
	size_t fill;		/* bytes behind a struct sample */
};

INLINE uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

INLINE void add_lane(lane *differs, const uint8_t *a, const uint8_t *b)
{
	*differs |= *(const lane *)a ^ *(const lane *)b;
}

/* Does a byte differ of the struct samples, and of @lanes lanes behind them? The last two may overlap. */
INLINE bool lanes_differ(const struct chunk *c, uint32_t lanes)
{
	const uint8_t *payload = c->payload, *fill = fill_at(c->number % WINDOWS);
	size_t last = c->fill - sizeof(lane);
	uint32_t differ = 0;
	lane differs = { 0 };

	for (uint32_t i = 0; i < c->count; i++, payload += c->stride, fill++) {
		uint32_t front[2];

		memcpy(front, payload, FRONT);
		differ |= (front[0] ^ (c->number + i)) | (front[1] ^ c->rest);
		if (lanes > 0)
			add_lane(&differs, payload + FRONT + last, fill + last);
		for (size_t at = 0; at + sizeof(lane) < lanes * sizeof(lane); at += sizeof(lane))
			add_lane(&differs, payload + FRONT + at, fill + at);
	}
	return differ | differs[0] | differs[1] | differs[2] | differs[3];
}

/* How many lanes the fill is compared in; 0: it is not. */
static uint32_t lanes_of(const struct chunk *c)
{
	return c->fill < sizeof(lane) || c->fill > LANES_MAX * sizeof(lane) ? 0 :
	       (uint32_t)((c->fill + sizeof(lane) - 1) / sizeof(lane));
}

/* The number of lanes as a constant, so that there is no loop over them. */
WIDEST static bool chunk_differs(const struct chunk *c, uint32_t lanes)
{
	_Static_assert(LANES_MAX == 4, "the last case");
	switch (lanes) {
	case 0: return lanes_differ(c, 0);
	case 1: return lanes_differ(c, 1);
	case 2: return lanes_differ(c, 2);
	case 3: return lanes_differ(c, 3);
	default: return lanes_differ(c, 4);
	}
}

/* The same for fills that are not compared in lanes. */
static bool fills_differ(const struct chunk *c)
{
	const uint8_t *payload = c->payload, *fill = fill_at(c->number % WINDOWS);
	size_t last = c->fill - sizeof(uint64_t);
	uint64_t differ = 0;

	for (uint32_t i = 0; i < c->count; i++, payload += c->stride, fill++) {
		if (c->fill < sizeof(uint64_t) || c->fill >= sizeof(lane)) {
			differ |= (uint64_t)memcmp(payload + FRONT, fill, c->fill);
			continue;
		}
		differ |= word_at(payload + FRONT + last) ^ word_at(fill + last);
		for (size_t at = 0; at < last; at += sizeof(uint64_t))
			differ |= word_at(payload + FRONT + at) ^ word_at(fill + at);
	}
	return differ;
}

/* Were all of @sent emitted alike? Then each is as the one behind it. */
static bool alike(const struct emitted *sent, uint32_t count)
{
	return !memcmp(sent, sent + 1, (count - 1) * sizeof(*sent));
}

/* How many from @payload on make a chunk that is whole, up to @count; 0: they have to be looked at closer. */
static uint32_t whole_chunk(const uint8_t *payload, const struct raw_run *run, uint32_t count,
			    uint32_t number, const struct emitted *sent)
{
	uint32_t windows = WINDOWS - number % WINDOWS;	/* until the table begins anew */
	struct chunk c = {
		.payload = payload, .stride = run->stride, .count = count, .number = number,
	};
	uint32_t lanes;

	if (sent->size < FRONT || run->record.size != padded(sent->size))
		return 0;
	if (c.count > CHUNK)
		c.count = CHUNK;
	if (c.count > windows)
		c.count = windows;
	c.fill = sent->size - FRONT;
	memcpy(&c.rest, (const uint8_t *)sent + sizeof(number), sizeof(c.rest));
	lanes = lanes_of(&c);
	if (!alike(sent, c.count) || chunk_differs(&c, lanes))
		return 0;
	return c.fill && !lanes && fills_differ(&c) ? 0 : c.count;
}

uint32_t payload_run(const struct raw_run *run, uint32_t count, uint32_t first,
		     const struct emitted *sent)
{
	const uint8_t *payload = run->record.payload;
	uint32_t done, n;

	_Static_assert(offsetof(struct sample, cpu) == 4 && offsetof(struct emitted, cpu) == 4,
		       "laid out alike behind a word");
	for (done = 0; done < count; done += n, payload += (size_t)n * run->stride) {
		const struct emitted *s = &sent[done];

		n = whole_chunk(payload, run, count - done, first + done, s);
		if (n)
			continue;
		n = 1;
		if (!payload_whole(payload, run->record.size, first + done, s->size, s->cpu,
				   s->ring, s->context))
			break;
	}
	return done;
}
