# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # limit is the tests'; scratch, build and top are tap.sh's
# Sourced after tap.sh by tests that boot guests of their own.

run=$top/vm/run.sh
m=/bin/misbehave
patience=30

# lab NAME: a build folder of its own with the suite on stdin, so that runs do not meet.
lab() {
	mkdir -p "$scratch/$1"
	ln -s "$build/vm" "$scratch/$1/vm"
	ln -s "$build/kernels" "$scratch/$1/kernels"
	ln -s "$build/perfwake" "$scratch/$1/perfwake"
	echo "$m $build/vm/misbehave" >"$scratch/$1/suite.files"
	cat >"$scratch/$1/suite.plan"
}

# boot NAME [OPTION...]: run the suite of a lab; what it says is in NAME.said.
boot() {
	local name=$1
	shift
	B=$scratch/$name env --default-signal=INT "$run" "$@" >"$scratch/$name.said" 2>"$scratch/$name.err"
}
ends() {
	local due=$1 status
	shift
	boot "$@"
	status=$?
	same "status $status" "status $due"
}
# Run COMMAND, which boots a guest, and set limit: seconds for one that is to hang, but has to come as far
# as that on a busy machine, too.
limit=8
sets_limit() { # COMMAND...
	local begin=$EPOCHSECONDS status
	"$@"
	status=$?
	limit=$((2 * (EPOCHSECONDS - begin) + 2))
	[ "$limit" -ge 8 ] || limit=8
	return "$status"
}
ktap() { has "$scratch/$1/results/6.1/results.ktap" "$2"; }
said() { last_is "$scratch/$1.said" "$2"; }

# The pid of the QEMU of a lab, told by the folder in its command line.
qemu_of() {
	local p args

	for p in /proc/[0-9]*; do
		args=$(tr '\0' ' ' 2>/dev/null <"$p/cmdline") || continue
		[[ $args == *qemu-system*"$scratch/$1"* && $args != *"/vm/results "* ]] && echo "${p#/proc/}"
	done
}

# half_way NAME DUE WHOM SIGNAL [OPTION...]: boot a lab, and when its test hangs send SIGNAL to run.sh
# or to QEMU; it ends with status DUE and leaves no QEMU.
half_way() {
	local pid qemu status

	B=$scratch/$1 env --default-signal=INT "$run" -v "${@:5}" >"$scratch/$1.said" 2>"$scratch/$1.err" &
	pid=$!
	until_ok grep -qs hanging "$scratch/$1.said" || return 1
	qemu=$(qemu_of "$1")
	[ -n "$qemu" ] || { echo "no QEMU to be seen"; return 1; }
	if [ "$3" = run ]; then kill "-$4" "$pid"; else kill "-$4" "$qemu"; fi
	wait "$pid"
	status=$?
	same "status $status" "status $2" && same "$(qemu_of "$1")" "" && gone "$qemu"
}
