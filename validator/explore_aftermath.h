/* SPDX-License-Identifier: GPL-2.0 */
/* What a defect means to a reader: what it is told in AFTERMATH_SAMPLES samples after an interruption. */
#ifndef PERFWAKE_EXPLORE_AFTERMATH_H
#define PERFWAKE_EXPLORE_AFTERMATH_H

#include "explore.h"

/*
 * Meet defects[@defect] once more where @r->worst says, and print what is seen then, and what would be if the
 * samples had come one after the other. Silent where only watermarks show it, or it cannot be performed.
 */
void explore_aftermath(struct explorer *x, const struct explored *r, int defect);

#endif
