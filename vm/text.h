/* SPDX-License-Identifier: GPL-2.0 */
/* What comes from a guest is not always text. */
#ifndef VM_TEXT_H
#define VM_TEXT_H

/*
 * Put '?' in the place of each byte of a line that is no UTF-8 or a control byte, but tabs: readers
 * of results.ktap take text, and a terminal does what control bytes say.
 */
void text_clean(char *line);

#endif
