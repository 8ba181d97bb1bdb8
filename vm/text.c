// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "text.h"

/* Bytes of the UTF-8 character at @s, or 0 where there is none; a NUL ends it. */
static size_t utf8_length(const char *s)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = s[0];
	size_t len = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
	unsigned int c = first & (0x7f >> len);

	if (len < 2)
		return len;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : len;
}

void text_clean(char *line)
{
	while (*line) {
		size_t len = utf8_length(line);

		if (!len || ((unsigned char)*line < ' ' && *line != '\t') || *line == 127)
			*line = '?';
		line += len ?: 1;
	}
}
