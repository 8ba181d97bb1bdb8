#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/run.sh --shell and --gdb on a real guest: somebody types, and a debugger connects.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

run=$top/vm/run.sh
said=$scratch/said err=$scratch/err
"$top/vm/fetch-kernel" 6.1 || exit 1

mkfifo "$scratch/keys"
patience=60

# Type LINEs, each when the shell has prompted; what comes is in $said.
types() {
	local pid prompts=1 line

	"$run" --shell <"$scratch/keys" >"$said" 2>"$err" &
	pid=$!
	exec 5>"$scratch/keys"
	for line; do
		until_ok prompted "$prompts" || break
		printf '%s\n' "$line" >&5
		prompts=$((prompts + 1))
	done
	exec 5>&-
	wait "$pid"
}
prompted() { [ "$(grep -ao 'guest:/# ' "$said" | wc -l)" -ge "$1" ]; }
answers() { tr -d '\r' <"$said" | grep -qx -e "$1" || { echo "no line $1"; tail -n 5 "$said"; return 1; }; }

# A debugger's first words: is it stopped (T05), and then: go on. It stays connected.
port=$((20000 + RANDOM % 20000))
debugs() {
	local pid status said_stop

	GDB_PORT=$port "$run" --gdb -- perfwake run "$top/selftests/cases/remainder-9-of-10.case" >"$said" 2>"$err" &
	pid=$!
	until_ok connects || { kill "$pid"; return 1; }
	# shellcheck disable=SC2016 # the protocol's
	printf '+$?#3f' >&6
	IFS= read -r -t 30 -d '#' -u 6 said_stop
	same "$(tail -n 1 "$said" | grep -c ok)" 0
	# shellcheck disable=SC2016
	printf '+$c#63' >&6
	wait "$pid"
	status=$?
	exec 6>&-
	case $said_stop in *T05*) ;; *) echo "the guest was not stopped: $said_stop"; return 1 ;; esac
	same "status $status" "status 0"
}
# What was typed out last of JSON is in order, and has as many cases as there are.
reports() {
	tr -d '\r' <"$said" | sed -n '/^{"format"/,/"status": [0-9]*}$/p' >"$scratch/json"
	"$top/vm/tests/in-schema" "$scratch/json" "$top/docs/report.schema.json" &&
	same "$(jq '.cases | length' "$scratch/json")" "$(printf '%s\n' "$top"/selftests/cases/*.case | wc -l)" &&
	same "$(jq -c '[.cases[].outcome] | unique' "$scratch/json")" '["proved","skipped"]'
}
connects() { { exec 6<>"/dev/tcp/localhost/$port"; } 2>/dev/null; }

tap_plan 10
# shellcheck disable=SC2016 # for the other shell
check "a shell" types 'perfwake run /cases/remainder-9-of-10.case; echo "status $?"' 'threshold >/tmp/t; echo "threshold $?"' \
	'ls /cases | grep -c case; ulimit -l' 'vi --help 2>&1 | head -n 1' \
	'perfwake run --consumer libbpf --json /tmp/r /cases/*.case >/tmp/t 2>&1; cat /tmp/r' exit
check "has perfwake and the cases" answers 'status 0'
check "has the selftests" answers 'threshold 0'
check "has all cases" answers "$(printf '%s\n' "$top"/selftests/cases/*.case | wc -l)"
check "has no limit on locked memory" answers unlimited
check "has what a busybox has" answers 'BusyBox v.*'
check "perfwake run writes JSON that is in order" reports
check "a guest under a debugger waits for it" debugs
check "says how to connect one" has "$err" "gdb -ex 'target remote localhost:$port'"
check "and that this kernel came without symbols" has "$err" 'no vmlinux lies beside'
tap_end
