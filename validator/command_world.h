/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands share that perform cases on the running kernel. */
#ifndef PERFWAKE_COMMAND_WORLD_H
#define PERFWAKE_COMMAND_WORLD_H

#include "runner.h"

/* INT and TERM end the running case in order; die_of_signal() then dies of the one that came, if any. */
void catch_signals(void);
void die_of_signal(void);

/* FOLDER/NAME.trace, complete or not at all. 0, or EXIT_SETUP after a line that says why. */
int write_trace(const char *folder, const struct trace *t);

/* The value of --emitter. 0, or EXIT_SETUP after a line that says what is expected. */
int option_emitter(const char *command, const char *text, enum emitter_kind *kind);

/* The value of --probe, likewise. */
int option_probe(const char *command, const char *text, enum injector_kind *kind);

/* The same of --consumer. */
int option_consumer(const char *command, const char *text, enum consumer_kind *kind);

/* Whether to have a second witness: --witness, --no-witness; finding its function takes a while. */
enum witness_wish {
	WITNESS_IF_POSSIBLE,
	WITNESS_REQUIRED,
	WITNESS_NONE,
};

/*
 * Open emitter, with @slots slots, and second witness, and catch signals. Which witness it is, or why there is none, is said on
 * a diagnostic line; that is a failure only when it is required. 0, or EXIT_SETUP after a line that
 * says why. close_instruments() accepts what failed.
 */
int open_instruments(const char *command, struct instruments *with, enum emitter_kind emitter,
		     uint32_t slots, enum witness_wish witness);
void close_instruments(struct instruments *with);

/* And what interrupts samples, for cases that need it. Same returns. */
int open_injector(const char *command, struct instruments *with, enum injector_kind kind);

#endif
