/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoint that emitting BPF programs attach to, as the raw tracepoint "perfwake_fire". */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM perfwake

#if !defined(PERFWAKE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PERFWAKE_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(perfwake_fire,
	TP_PROTO(unsigned int context),
	TP_ARGS(context),
	TP_STRUCT__entry(__field(unsigned int, context)),
	TP_fast_assign(__entry->context = context;),
	TP_printk("context=%u", __entry->context)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE perfwake_trace
#include <trace/define_trace.h>
