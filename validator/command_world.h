/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands share that perform cases on the running kernel. */
#ifndef PERFWAKE_COMMAND_WORLD_H
#define PERFWAKE_COMMAND_WORLD_H

#include "emitter.h"
#include "trace.h"
#include "witness.h"

/* INT and TERM end the running case in order; die_of_signal() then dies of the one that came, if any. */
void catch_signals(void);
void die_of_signal(void);

/* FOLDER/NAME.trace, complete or not at all. 0, or EXIT_SETUP after a line that says why. */
int write_trace(const char *folder, const struct trace *t);

/* The value of --emitter. 0, or EXIT_SETUP after a line that says what is expected. */
int option_emitter(const char *command, const char *text, enum emitter_kind *kind);

/* Why emitter_open() returned @ret, and what to do. Returns EXIT_SETUP. */
int complain_emitter(const char *command, const struct emitter *e, int ret);

/* Whether to have a second witness: --witness, --no-witness; finding its function takes a while. */
enum witness_wish {
	WITNESS_IF_POSSIBLE,
	WITNESS_REQUIRED,
	WITNESS_NONE,
};

/*
 * Open the second witness and say on a diagnostic line which it is, or why there is none; that is a
 * failure only when it is required. 0, or EXIT_SETUP after a line that says why.
 */
int open_witness(const char *command, struct witness *w, struct emitter *e, enum witness_wish wish);

#endif
