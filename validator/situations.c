// SPDX-License-Identifier: GPL-2.0
/*
 * The situations. A page holds 4096 bytes, of which 4095 can be used, and its watermark is 2048; a sample of
 * 8 bytes is a record of 24, of 396 bytes 408: behind 2040 bytes the next crosses the watermark, 4080 fill
 * the ring but for 15 bytes.
 */
#include "situations.h"

#define COUNT(n)	.ring = { .threshold = n }
#define BYTES(w)	.ring = { .threshold = w, .by_watermark = true }
#define BACKWARD(n)	.ring = { .threshold = n, .backward = true }
#define OVERWRITE(n)	.ring = { .threshold = n, .overwrite = true }

const struct situation situations[] = {
	/* the count: every phase */
	{ "n1", COUNT(1), .scout = true, .quick = true },
	{ "n2-0", COUNT(2), .quick = true },
	{ "n2-1", COUNT(2), .before = 1, .quick = true },
	{ "n3-0", COUNT(3) },
	{ "n3-1", COUNT(3), .before = 1, .quick = true },
	{ "n3-2", COUNT(3), .before = 2, .quick = true },
	{ "n10-0", COUNT(10) },
	{ "n10-1", COUNT(10), .before = 1 },
	{ "n10-2", COUNT(10), .before = 2 },
	{ "n10-3", COUNT(10), .before = 3 },
	{ "n10-4", COUNT(10), .before = 4 },
	{ "n10-5", COUNT(10), .before = 5 },
	{ "n10-6", COUNT(10), .before = 6 },
	{ "n10-7", COUNT(10), .before = 7 },
	{ "n10-8", COUNT(10), .before = 8 },
	{ "n10-9", COUNT(10), .before = 9 },
	{ "n101-100", .ring = { .threshold = 101, .pages = 8 }, .before = 100, .quick = true },

	/* half a ring: neither crosses, the inner one does, the outer one does; with and without a count wake */
	{ "half-neither", COUNT(100), .large = 4, .before = 15, .quick = true },
	{ "half-inner", COUNT(100), .large = 4, .before = 16, .quick = true },
	{ "half-outer", COUNT(100), .large = 5, .scout = true, .quick = true },
	{ "half-inner-n2", COUNT(2), .large = 4, .before = 16, .quick = true },
	{ "half-outer-n2", COUNT(2), .large = 5 },
	{ "half-and-count-inner", COUNT(22), .large = 4, .before = 16 },
	{ "half-and-count-outer", COUNT(6), .large = 5 },
	{ "half-by-size", COUNT(100), .large = 4, .before = 12, .inner_size = 200 },
	{ "half-inner-large", COUNT(100), .large = 4, .before = 12, .inner_size = 1000 },

	/* nearly full: room for none, for one, for two; and a LOST record to come */
	{ "full", COUNT(100), .large = 10, .scout = true, .quick = true },
	{ "room-1", COUNT(100), .large = 9, .before = 16, .quick = true },
	{ "room-1-n3", COUNT(3), .large = 9, .before = 16 },
	{ "room-2", COUNT(100), .large = 9, .before = 15 },
	{ "room-inner-only", COUNT(2), .large = 9, .before = 15, .size = 16, .inner_size = 8 },
	{ "room-lost-1", COUNT(100), .large = 9, .before = 15, .lost = 1, .quick = true },
	{ "room-lost-1-n2", COUNT(2), .large = 9, .before = 15, .lost = 1 },
	{ "room-lost-2", COUNT(100), .large = 9, .before = 14, .lost = 1 },
	{ "room-lost-3", COUNT(100), .large = 9, .before = 13, .lost = 2 },
	{ "lost", COUNT(100), .before = 2, .lost = 3, .scout = true, .quick = true },
	{ "lost-n1", COUNT(1), .lost = 1 },
	{ "lost-n2", COUNT(2), .before = 1, .lost = 1 },
	{ "lost-half-inner", COUNT(100), .large = 4, .before = 15, .lost = 1 },
	{ "lost-half-outer", COUNT(100), .large = 4, .before = 16, .lost = 1 },
	{ "paused", COUNT(1), .paused = true, .scout = true },

	/* the watermark */
	{ "watermark-64-inner", BYTES(64), .before = 1, .quick = true },
	{ "watermark-64-outer", BYTES(64), .before = 2 },
	{ "watermark-1", BYTES(1) },
	{ "watermark-ring", BYTES(4096), .large = 9, .before = 16, .drained = true },

	/* records across the end of the ring */
	{ "wrap-outer", COUNT(2), .large = 10, .drained = true },
	{ "wrap-inner", COUNT(2), .large = 9, .before = 16, .drained = true },
	{ "wrap-lost", COUNT(3), .large = 10, .drained = true, .lost = 2 },
	{ "wrap-large", COUNT(2), .large = 9, .before = 7, .drained = true, .inner_size = 1000 },

	/* backward, and overwrite mode */
	{ "backward-n2", BACKWARD(2), .before = 1 },
	{ "backward-n3", BACKWARD(3), .before = 2 },
	{ "backward-half-inner", BACKWARD(100), .large = 4, .before = 16 },
	{ "backward-half-outer", BACKWARD(100), .large = 5 },
	{ "backward-lost", BACKWARD(2), .before = 1, .lost = 1, .scout = true },
	{ "backward-full", BACKWARD(100), .large = 10, .scout = true },
	{ "backward-room-1", BACKWARD(100), .large = 9, .before = 16 },
	{ "overwrite-n2", OVERWRITE(2), .before = 1, .scout = true },
	{ "overwrite-half-inner", OVERWRITE(100), .large = 4, .before = 16 },
	{ "overwrite-wrap", OVERWRITE(3), .large = 10 },

	/* two and three that interrupt, and other sizes */
	{ "two-n2-0", COUNT(2), .inner = 2 },
	{ "two-n2-1", COUNT(2), .before = 1, .inner = 2 },
	{ "two-n3-1", COUNT(3), .before = 1, .inner = 2 },
	{ "two-n10-8", COUNT(10), .before = 8, .inner = 2 },
	{ "two-n10-9", COUNT(10), .before = 9, .inner = 2 },
	{ "two-half", COUNT(100), .large = 4, .before = 15, .inner = 2 },
	{ "two-lost", COUNT(100), .large = 9, .before = 14, .lost = 1, .inner = 2 },
	{ "two-backward", BACKWARD(3), .before = 1, .inner = 2 },
	{ "three-n2", COUNT(2), .before = 1, .inner = 3 },
	{ "three-n10", COUNT(10), .before = 8, .inner = 3 },
	{ "small-in-large", COUNT(2), .before = 1, .size = 1000, .inner_size = 4, .scout = true },
	{ "large-in-small", COUNT(3), .before = 1, .size = 4, .inner_size = 1000 },
	{ "large-in-full", COUNT(3), .large = 7, .before = 11, .inner_size = 1000 },

	/* another event's sample is interrupted: a record of 48 bytes, by functions of its own */
	{ "overflow-n1", COUNT(1), .overflow = true, .scout = true },
	{ "overflow-n2-0", COUNT(2), .overflow = true },
	{ "overflow-n2-1", COUNT(2), .before = 1, .overflow = true },
	{ "overflow-n3-1", COUNT(3), .before = 1, .overflow = true },
	{ "overflow-n3-2", COUNT(3), .before = 2, .overflow = true },
	{ "overflow-n10-8", COUNT(10), .before = 8, .overflow = true },
	{ "overflow-n10-9", COUNT(10), .before = 9, .overflow = true },
	{ "overflow-half-neither", COUNT(100), .large = 4, .before = 14, .overflow = true },
	{ "overflow-half-inner", COUNT(100), .large = 4, .before = 16, .overflow = true },
	{ "overflow-half-outer", COUNT(100), .large = 4, .before = 15, .overflow = true, .scout = true },
	{ "overflow-full", COUNT(100), .large = 10, .overflow = true, .scout = true },
	{ "overflow-room-inner-only", COUNT(2), .large = 9, .before = 16, .overflow = true },
	{ "overflow-room-1", COUNT(100), .large = 9, .before = 15, .overflow = true },
	{ "overflow-room-2", COUNT(100), .large = 9, .before = 14, .overflow = true },
	{ "overflow-room-lost-1", COUNT(100), .large = 9, .before = 14, .lost = 1, .overflow = true },
	{ "overflow-lost", COUNT(100), .before = 2, .lost = 3, .overflow = true, .scout = true },
	{ "overflow-paused", COUNT(1), .paused = true, .overflow = true, .scout = true },
	{ "overflow-watermark", BYTES(64), .before = 1, .overflow = true },
	{ "overflow-wrap", COUNT(2), .large = 9, .before = 16, .drained = true, .overflow = true, .scout = true },
	{ "overflow-two", COUNT(2), .before = 1, .inner = 2, .overflow = true },
	{ "overflow-backward-n2", BACKWARD(2), .before = 1, .overflow = true },
	{ "overflow-backward-half", BACKWARD(100), .large = 4, .before = 15, .overflow = true },
	{ "overflow-backward-lost", BACKWARD(2), .before = 1, .lost = 1, .overflow = true, .scout = true },
	{ "overflow-backward-full", BACKWARD(100), .large = 10, .overflow = true, .scout = true },
	{ "overflow-backward-room-1", BACKWARD(100), .large = 9, .before = 15, .overflow = true },
	{ "overflow-overwrite", OVERWRITE(2), .before = 1, .overflow = true, .scout = true },

	/* the interrupting sample is interrupted in turn */
	{ "within-n2-0", COUNT(2), .inner = 2, .within = true },
	{ "within-n2-1", COUNT(2), .before = 1, .inner = 2, .within = true },
	{ "within-n3-0", COUNT(3), .inner = 2, .within = true },
	{ "within-n3-1", COUNT(3), .before = 1, .inner = 2, .within = true },
	{ "within-n3-2", COUNT(3), .before = 2, .inner = 2, .within = true },
	{ "within-half-first", COUNT(100), .large = 5, .inner = 2, .within = true },
	{ "within-half-second", COUNT(100), .large = 4, .before = 16, .inner = 2, .within = true },
	{ "within-half-third", COUNT(100), .large = 4, .before = 15, .inner = 2, .within = true },
	{ "within-room-2", COUNT(2), .large = 9, .before = 15, .inner = 2, .within = true },
	{ "within-lost", COUNT(100), .before = 2, .lost = 3, .inner = 2, .within = true },
	{ "within-room-lost", COUNT(100), .large = 9, .before = 14, .lost = 1, .inner = 2, .within = true },
	{ "within-backward", BACKWARD(3), .before = 1, .inner = 2, .within = true },
};

const uint32_t situation_count = sizeof(situations) / sizeof(situations[0]);
