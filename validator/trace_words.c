// SPDX-License-Identifier: GPL-2.0
/* The words of the text format, and the errno numbers of this machine that its codes stand for. */
#include <errno.h>

#include "trace_text.h"

const char *step_kind_name(enum step_kind kind)
{
	static const char *const names[STEP_KINDS] = {
		[STEP_EMIT] = "emit",	    [STEP_LOOK] = "look",	[STEP_CONSUME] = "consume",
		[STEP_PAUSE] = "pause",	    [STEP_RESUME] = "resume",	[STEP_DISABLE] = "disable",
		[STEP_ENABLE] = "enable",   [STEP_REMAP] = "remap",	[STEP_UNMAP] = "unmap",
		[STEP_MAP] = "map",	    [STEP_DROP_SLOT] = "drop-slot",
		[STEP_REDIRECT] = "redirect", [STEP_READ_LOST] = "read-lost",
	};

	return kind < STEP_KINDS ? names[kind] : "?";
}

const char *const look_via_names[VIAS + 1] = {
	[VIA_EPOLL] = "epoll",	    [VIA_SECOND] = "second",	[VIA_EDGE] = "edge",
	[VIA_ONESHOT] = "oneshot",  [VIA_MOD] = "mod",		[VIA_NESTED] = "nested",
	[VIA_POLL] = "poll",	    [VIA_RDNORM] = "rdnorm",	[VIA_BOTH] = "both",
};

const char *const consumer_names[CONSUMERS + 1] = {
	[CONSUMER_NOT_SAID] = "",	[CONSUMER_RAW] = "raw",
	[CONSUMER_LIBBPF] = "libbpf",	[CONSUMER_LIBBPF_RAW] = "libbpf-raw",
	[CONSUMER_BCC] = "bcc",		[CONSUMER_BCC_CC] = "bcc-cc",
	[CONSUMER_BCC_PY] = "bcc-py",	[CONSUMER_CILIUM] = "cilium",
};

/* By their bits less one; then the deepest nesting that the helper lets through. */
const char *const from_names[] = {
	"process",
	"softirq",
	"process>softirq",
	"hardirq",
	"process>hardirq",
	"softirq>hardirq",
	"process>softirq>hardirq",
	"nmi",
	"process>nmi",
	"softirq>nmi",
	"process>softirq>nmi",
	"hardirq>nmi",
	"process>hardirq>nmi",
	"softirq>hardirq>nmi",
	"process>softirq>hardirq>nmi",
	"nested",
	[FROM_OVERFLOW] = "overflow",
	NULL
};

uint32_t from_contexts(uint32_t index)
{
	uint32_t nested = 1 << CONTEXT_PROCESS | 1 << CONTEXT_SOFTIRQ | 1 << CONTEXT_HARDIRQ;
	uint32_t bits = index + 1 < 1 << CONTEXTS ? index + 1 : nested;

	return bits == 1 << CONTEXT_PROCESS ? 0 : bits;
}

const char *from_name(uint32_t contexts)
{
	return from_names[contexts ? contexts - 1 : 0];
}

const char *code_name(enum code code)
{
	static const char *const names[CODES] = {
		[CODE_OK] = "ok",
#define CODE_WORD(name) [CODE_##name] = #name,
		VALUE_CODES(CODE_WORD)
#undef CODE_WORD
		[CODE_OTHER] = "OTHER",
	};

	return code < CODES ? names[code] : "?";
}

enum code code_from_errno(int error)
{
	switch (error) {
	case 0:
		return CODE_OK;
#define CODE_CASE(name) case name: return CODE_##name;
	VALUE_CODES(CODE_CASE)
#undef CODE_CASE
	}
	return CODE_OTHER;
}

const char *readiness_name(enum readiness readiness)
{
	switch (readiness) {
	case READINESS_QUIET:
		return "quiet";
	case READINESS_READY:
		return "ready";
	case READINESS_HUP:
		return "hup";
	case READINESS_ERR:
		return "err";
	}
	return "?";
}
