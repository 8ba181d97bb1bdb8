/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timelines as SVG. Shapes and letters carry the meaning, colours only help; both schemes, light and
 * dark, are in the style.
 */
#ifndef PERFWAKE_REPORT_SVG_H
#define PERFWAKE_REPORT_SVG_H

#include <stdio.h>

#include "timeline.h"

/* CSS of all drawings, with the colours that the page around them may use too. */
extern const char svg_style[];

/* The symbols that drawings use, once a document. */
void svg_write_symbols(FILE *out);

/* What each mark means, as HTML. */
void svg_write_legend(FILE *out);

/* @l for an HTML page: pieces one behind the other, none wider than a telephone, which wrap. */
void svg_write_flow(FILE *out, const struct timeline *l);

/* @l as a document of its own, with its legend; @words: lines below the drawing, or NULL. */
void svg_write_alone(FILE *out, const struct timeline *l, const char *words);

#endif
