/* SPDX-License-Identifier: GPL-2.0 */
/* Text for HTML, SVG and JSON: whatever comes from outside goes through here. */
#ifndef PERFWAKE_MARKUP_H
#define PERFWAKE_MARKUP_H

#include <stdio.h>

/*
 * @text as character data or within a quoted attribute. What is no UTF-8, or is not allowed in XML,
 * becomes U+FFFD.
 */
void markup_text(FILE *out, const char *text);

/* @text as a JSON string with its quotes; what is no UTF-8 becomes U+FFFD. NULL: null. */
void markup_json(FILE *out, const char *text);

#endif
