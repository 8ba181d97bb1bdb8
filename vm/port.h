/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the guest says over the results port: lines of text, each of one kind, told by its
 * first letter. What a test printed is only ever inside an L line, behind its number, so
 * that nothing a test prints can pass for a line of another kind.
 *
 *	B VERSION TESTS CPUS WAY RELEASE	begin; WAY out is "port" or "off"
 *	N TEXT			a note, e.g. about a file system that is absent
 *	T I			test I begins (from 1)
 *	L I TEXT		test I printed this line; bytes below blank but tab are '?'
 *	F BYTES NAME		a file follows, named under the results folder
 *	D TEXT			some of its bytes: \n \r \t \\ and \xHH stand for themselves
 *	G SUM			it is complete; SUM is port_sum() of its bytes, hexadecimal
 *	K I TEXT		the kernel log has trouble, seen after test I (0: before all)
 *	W I TEXT		the warning that the plan declares came, seen after test I
 *	R I WORD WAY VALUE	test I ended: WORD is init's judgement, WAY and VALUE how
 *	E STATUS PASSED FAILED SKIPPED LINES BYTES	end; tests by judgement, lines before and their bytes
 *
 * A stream without its E line is a partial result.
 */
#ifndef VM_PORT_H
#define VM_PORT_H

#include <stddef.h>
#include <stdint.h>

#define PORT_VERSION	2
#define PORT_LINE_MAX	4096	/* bytes of a line with its newline; init sends no longer one */
#define PORT_TEXT_MAX	3000	/* bytes of what a test printed that are kept of one line */
#define PORT_FILE_MAX	(8 << 20)	/* bytes of one file: the UART takes 40 s for these */

/* A running check sum (FNV-1a); begin with PORT_SUM_START. */
#define PORT_SUM_START	2166136261u

static inline uint32_t port_sum(uint32_t sum, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		sum = (sum ^ *p++) * 16777619u;
	return sum;
}

#endif
