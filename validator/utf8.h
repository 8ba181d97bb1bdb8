/* SPDX-License-Identifier: GPL-2.0 */
/* Reads text that comes from outside, and need not be any. */
#ifndef PERFWAKE_UTF8_H
#define PERFWAKE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#define UTF8_NONE	UINT32_MAX

/*
 * The character at *@text, which does not end there; *@text then points behind it. UTF8_NONE for a byte
 * that begins none, and behind that byte. Whether there is such a character is not looked at.
 */
uint32_t utf8_next(const char **text);

/* Whether what utf8_next() returned is a character: neither UTF8_NONE, nor half of a pair of UTF-16, nor too large. */
static inline bool utf8_is_character(uint32_t c)
{
	return c < 0xd800 || (c >= 0xe000 && c <= 0x10ffff);
}

#endif
