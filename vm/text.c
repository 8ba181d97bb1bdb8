// SPDX-License-Identifier: GPL-2.0
#include "../validator/utf8.h"
#include "text.h"

void text_clean(char *line)
{
	while (*line) {
		const char *behind = line;
		uint32_t c = utf8_next(&behind);

		if (utf8_is_character(c) && (c == '\t' || (c >= ' ' && c != 127)))
			line += behind - line;
		else
			*line++ = '?';
	}
}
