// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdint.h>

#include "markup.h"
#include "utf8.h"

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

void markup_text(FILE *out, const char *text)
{
	const char *at = text;

	while (*at) {
		const char *from = at;
		uint32_t c = utf8_next(&at);

		if (!allowed(c))
			fputs("\xef\xbf\xbd", out);
		else if (escape(c))
			fputs(escape(c), out);
		else
			fwrite(from, 1, (size_t)(at - from), out);
	}
}

void markup_json(FILE *out, const char *text)
{
	const char *at = text;

	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	while (*at) {
		const char *from = at;
		uint32_t c = utf8_next(&at);

		if (!utf8_is_character(c))
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
