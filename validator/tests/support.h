/* SPDX-License-Identifier: GPL-2.0 */
/* What several host tests need: cases out of text, correct traces by the model, and text again. */
#ifndef PERFWAKE_TESTS_SUPPORT_H
#define PERFWAKE_TESTS_SUPPORT_H

#include "trace_text.h"

/* @text as a case or trace; one that is refused ends the program. Free with trace_file_free(). */
void text_to_file(const char *text, struct trace_file *f);

/* The same for a file on disk. */
void path_to_file(const char *path, struct trace_file *f);

/* @f as text, with its observations when it has any; free() it. */
char *file_to_text(const struct trace_file *f);

/* Fill in what the model says as the observations of @f: the trace of a kernel without faults. */
void observe_model(struct trace_file *f);

/* The first difference of trace @f, or with @case_only the first that its expectations show. */
struct verdict judge_file(const struct trace_file *f, bool case_only);

/* What report_difference() says about it; free() it. */
char *difference_text(const struct trace_file *f, bool case_only);

/* "%s" of kinds, rules and parts, for diagnostics. */
const char *kind_name(enum verdict_kind kind);
const char *part_name(uint32_t part);

/* The *.case files of a folder, sorted; ends the program when there are none. */
struct folder {
	char **paths;
	size_t count;
};

struct folder folder_read(const char *path, const char *ending);
void folder_free(struct folder *folder);

#endif
