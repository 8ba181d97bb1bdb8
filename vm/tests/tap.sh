# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the tests of vm/: TAP, and a scratch folder. Run them from the top folder.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
build=${B:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

tap_nr=0 tap_bad=0

tap_plan() { echo "TAP version 13"; echo "1..$1"; }

# check NAME COMMAND...: passes if the command does.
check() {
	local name=$1 result=ok
	shift

	"$@" >"$scratch/check.out" 2>&1 || result="not ok"
	tap_nr=$((tap_nr + 1))
	echo "$result $tap_nr $name"
	[ "$result" = ok ] && return
	tap_bad=1
	echo "# failed: ${*:0:8}" | cut -c 1-200
	head -n 5 "$scratch/check.out" | sed 's/^/# /'
}

# The exit status of a script of checks.
tap_end() { exit "$tap_bad"; }

same() { [ "$1" = "$2" ] || { echo "is:  $1"; echo "due: $2"; return 1; }; }
has() { grep -q -e "$2" "$1" || { echo "no line with '$2' in $1:"; tail -n 4 "$1"; return 1; }; }
lacks() { ! grep -q -e "$2" "$1" || { echo "a line with '$2' in $1"; return 1; }; }
# one_line TEXT COMMAND...: it ends with status 2 and one line that has TEXT; what it says is in $said and $err.
# shellcheck disable=SC2154 # said and err are files of the test's
one_line() {
	local text=$1 status
	shift

	"$@" >"$said" 2>"$err" </dev/null
	status=$?
	same "status $status" "status 2" && has "$err" "$text" && same "$(wc -l <"$err")" 1
}
last_is() { same "$(tail -n 1 "$1")" "$2"; }

# Wait for COMMAND... to succeed; for $patience seconds at most, since a test that hangs tells nobody anything.
patience=10
mkfifo "$scratch/never" || exit 1
until_ok() {
	local n

	for ((n = 0; n < patience * 50; n++)); do
		"$@" && return
		read -r -t 0.02 <>"$scratch/never"
	done
	echo "still not: $*"
	return 1
}
gone() { ! kill -0 "$1" 2>/dev/null; }
# Of all that was started by the session leader PID, in whichever process group, nothing runs on. A name may
# have spaces, so the fields count from behind its bracket: state, parent, group, session.
session_gone() { # PID
	! cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^.*) //' | awk -v s="$1" '$4 == s && $1 != "Z" { n++ } END { exit !n }'
}
