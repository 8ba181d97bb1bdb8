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
