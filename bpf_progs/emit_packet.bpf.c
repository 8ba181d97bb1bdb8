// SPDX-License-Identifier: GPL-2.0
/*
 * A program of the network, run by BPF_PROG_TEST_RUN on a packet that nobody sent. Its helper goes
 * another way to the ring than that of tracing programs, and can add bytes of the packet.
 */
#include "emit.bpf.h"

struct emit_io io;

SEC("tc")
int emit_packet(struct __sk_buff *packet)
{
	emit_samples(packet, &io, SAMPLE_PROCESS);
	return 0;
}
