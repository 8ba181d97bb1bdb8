#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The case files, performed with both emitters; and those that have to be refused are refused.
# PERFWAKE names the command and CASES the folder, where they are not beside this file. Without
# either, the command is the one on the PATH.
here=$(dirname "$0")
cases=${CASES:-$here/cases}
perfwake=${PERFWAKE:-perfwake}
[ -n "${PERFWAKE-}" ] || [ ! -x "$here/perfwake" ] || perfwake=$here/perfwake
number=0
failed=0

# One result, with what the command printed nested in front of it.
expect() { # NAME EXPECTED_STATUS COMMAND...
	name=$1
	expected=$2
	shift 2
	number=$((number + 1))
	output=$("$@" 2>&1)
	status=$?
	printf '%s\n' "$output" | sed 's/^/  /'
	if [ "$status" -eq "$expected" ]; then
		echo "ok $number $name"
	else
		echo "# exit status $status, expected $expected"
		echo "not ok $number $name"
		failed=1
	fi
}

echo "KTAP version 1"
echo "1..3"
expect cases-test-run 0 "$perfwake" run "$cases"
expect cases-attached 0 "$perfwake" run --emitter attached "$cases"
expect refused-pages 2 "$perfwake" run "$cases/refused/pages-not-power-of-two.case"
exit "$failed"
