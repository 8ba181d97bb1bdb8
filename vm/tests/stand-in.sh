# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # scratch is tap.sh's
# Sourced after tap.sh by tests that boot nothing: what stands in for a kernel and for QEMU.

# A build folder of our own, so that a suite of two tests can be planned. They never run.
stand_in_lab() { # sets B
	B=$scratch/b
	mkdir -p "$B"
	ln -s "$build/vm" "$B/vm"
	export B
	echo "/bin/none $scratch/none" >"$B/suite.files"
	: >"$scratch/none"
	printf '%s\n' "first|5|0|/bin/none" "second|5|0|/bin/none x" >"$B/suite.plan"
}

# Bytes with the magic of a bzImage, of release 9.9-made-up.
stand_in_kernel() { head -c 514 /dev/zero; printf 'HdrS'; head -c 8 /dev/zero; printf '\020\001'; head -c 256 /dev/zero; printf '9.9-made-up (x) y'; head -c 512 /dev/zero; }

# fake NAME: a QEMU that does what stdin says; its pid is in $scratch/NAME.pid.
# shellcheck disable=SC2016 # the other script expands it
fake() {
	{ printf '#!/bin/bash\n[ "$1" = --version ] && { echo "QEMU emulator version 0.0"; exit; }\n'
	  printf 'echo $$ >%q.new; mv %q.new %q\n' "$scratch/$1.pid" "$scratch/$1.pid" "$scratch/$1.pid"
	  cat; } >"$scratch/$1"
	chmod +x "$scratch/$1"
}
