// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdint.h>

#include "markup.h"

#define NO_CHARACTER 0xfffdu

static const char *escape(uint32_t c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* What XML 1.0 allows, less the controls that only look like nothing. */
static bool allowed(uint32_t c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n';
	if (c >= 0x7f && c < 0xa0)
		return false;
	return c < 0xd800 || (c >= 0xe000 && c < 0xfffe) || (c >= 0x10000 && c < 0x110000);
}

/* The character at *@text, which then points behind it; NO_CHARACTER for a byte that begins none. */
static uint32_t next_character(const unsigned char **text)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = *(*text)++;
	int bytes = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;

	if (bytes == 1)
		return c;
	if (!bytes)
		return NO_CHARACTER;
	c &= 0x7fu >> bytes;
	for (int i = 1; i < bytes; i++) {
		if (((*text)[i - 1] & 0xc0) != 0x80)
			return NO_CHARACTER;
		c = c << 6 | ((*text)[i - 1] & 0x3f);
	}
	if (c < lowest[bytes])
		return NO_CHARACTER;
	*text += bytes - 1;
	return c;
}

void markup_text(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		const unsigned char *from = at;
		uint32_t c = next_character(&at);

		if (c == NO_CHARACTER || !allowed(c))
			fputs("\xef\xbf\xbd", out);
		else if (escape(c))
			fputs(escape(c), out);
		else
			fwrite(from, 1, (size_t)(at - from), out);
	}
}

void markup_json(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	while (*at) {
		const unsigned char *from = at;
		uint32_t c = next_character(&at);

		if (c == NO_CHARACTER || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
			fputs("\xef\xbf\xbd", out);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", (unsigned int)c);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (char)c);
		else
			fwrite(from, 1, (size_t)(at - from), out);
	}
	fputc('"', out);
}
