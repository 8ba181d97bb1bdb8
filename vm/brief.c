// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "brief.h"

const char *brief_rest(struct brief *b)
{
	b->held[b->len] = '\0';
	b->len = 0;
	return b->held;
}

const char *brief_take(struct brief *b, const char *line, enum ktap_kind kind)
{
	size_t len = strlen(line);

	if (kind == KTAP_NOT_OK || kind == KTAP_BAIL)
		return brief_rest(b);
	if (kind == KTAP_OK || kind == KTAP_SKIP || kind == KTAP_PLAN) {
		b->len = 0;
	} else if (b->len + len + 1 < sizeof(b->held)) {
		memcpy(b->held + b->len, line, len);
		b->held[b->len + len] = '\n';
		b->len += len + 1;
	}
	return NULL;
}
