// SPDX-License-Identifier: GPL-2.0
#include "utf8.h"

uint32_t utf8_next(const char **text)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = (unsigned char)*(*text)++;
	int bytes = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;

	if (bytes == 1)
		return c;
	if (!bytes)
		return UTF8_NONE;
	c &= 0x7fu >> bytes;
	for (int i = 1; i < bytes; i++) {
		unsigned char next = (unsigned char)(*text)[i - 1];

		if ((next & 0xc0) != 0x80)
			return UTF8_NONE;
		c = c << 6 | (next & 0x3f);
	}
	if (c < lowest[bytes])
		return UTF8_NONE;
	*text += bytes - 1;
	return c;
}
