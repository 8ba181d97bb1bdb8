# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by scripts that run other programs or make folders: that they end in order when a signal
# comes, at any time.
#
# Where bash (5.2) expands a $( ), signals get lost. A trap that is due just then is parsed as if it
# were inside of it, and fails; and an INT is taken for the inside's own where that ends by itself.
# What is not lost is a signal that has no trap, other than INT: it ends bash, which runs the trap
# for EXIT first.

# A trap that does not fail there: what follows the first line is read only as if it were in a $( ),
# which the ")" ends. COMMAND has to exit.
exiting_trap() { # COMMAND SIGNAL...
	local command=$1
	shift

	# shellcheck disable=SC2064 # it is to be expanded now
	trap "$command"$'\n)\n'"$command" "$@"
}

# Run COMMAND when the script ends, however it does, after what it still runs was ended as well.
# Where there is nothing more to do, COMMAND is ":".
at_end() { # COMMAND...
	at_end=("$@")
	trap run_at_end EXIT
	exiting_trap 'exit 130' INT	# without it bash goes on behind a program that handles INT
}

run_at_end() {
	trap '' INT TERM HUP USR1	# a second Ctrl-C would leave the half of it
	end_children
	"${at_end[@]}"
}

# End what this shell runs, in the foreground or not, and wait for it.
end_children() {
	local pids=()

	read -r -a pids <"/proc/$BASHPID/task/$BASHPID/children"
	[ ${#pids[@]} -eq 0 ] || insist TERM "${pids[@]}"
} 2>/dev/null

# Send SIGNAL to the children PID until they are gone: what comes between fork and exec is lost.
insist() { # SIGNAL PID...
	local i=0 signal=$1
	shift

	while kill -0 "$@"; do
		((i++ % 10)) || kill "-$signal" "$@"
		sleep 0.05
	done
} 2>/dev/null

# Go on in a second process, for scripts that run guests: this one only waits, for its end and for
# signals. The first one that comes is handed on, INT as USR1. A second would end bash without its
# trap, so the other process is in a group of its own, where a terminal's Ctrl-C does not reach it.
# Where this one is killed, it gets TERM.
guard() { # WORD...: those of the script
	local pid='' signal='' ended='' status

	if [ "${PERFWAKE_GUARD-}" = "$PPID" ]; then
		unset PERFWAKE_GUARD
		return
	fi
	trap 'guard_got USR1 130' INT
	trap 'guard_got TERM 143' TERM
	trap 'guard_got HUP 129' HUP
	set -m
	PERFWAKE_GUARD=$$ setpriv --pdeathsig TERM "$BASH" "$0" "$@" &
	pid=$!
	set +m
	[ -z "$signal" ] || insist "$signal" "$pid"	# it came before there was a pid
	wait_for "$pid"
	exit "${ended:-$status}"
}

guard_got() { # SIGNAL STATUS
	[ -z "$signal" ] || return
	signal=$1 ended=$2
	[ -z "$pid" ] || insist "$1" "$pid"
}

# Set status to that of the child PID, also where a trap makes wait return early.
wait_for() {
	wait "$1"
	status=$?
	while kill -0 "$1"; do
		wait "$1"
		status=$?
	done
} 2>/dev/null
