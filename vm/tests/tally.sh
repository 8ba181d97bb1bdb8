#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of the KTAP reader through build/vm/tally: text in, last line and status out.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

# tallies TEXT LAST-LINE STATUS
tallies() {
	local out status

	out=$(printf '%b' "$1" | "$build/vm/tally")
	status=$?
	same "$(tail -n 1 <<<"$out"), status $status" "$2, status $3"
}

tap_plan 34
check "a plain list" tallies 'TAP version 13\n1..2\nok 1 a\nok 2 - b\n' "2 passed, 0 failed, 0 skipped" 0
check "a failure" tallies '1..2\nok 1 a\nnot ok 2 b\n' "1 passed, 1 failed, 0 skipped" 1
check "a skip" tallies '1..2\nok 1 a\nok 2 b # SKIP why\n' "1 passed, 0 failed, 1 skipped" 0
check "a skip before its name" tallies '1..2\nok 1 a\nok 2 # SKIP b\n' "1 passed, 0 failed, 1 skipped" 0
check "a name with the word SKIP" tallies '1..1\nok 1 SKIP no#SKIP\n' "1 passed, 0 failed, 0 skipped" 0
check "all skipped is no pass" tallies '1..0 # SKIP none\n' "0 passed, 0 failed, 1 skipped" 1
check "an expected failure" tallies '1..2\nok 1 a\nnot ok 2 b # XFAIL known\n' "2 passed, 0 failed, 0 skipped" 0
check "nothing" tallies '' "0 passed, 0 failed, 0 skipped" 2
check "no KTAP at all" tallies 'hello\nok then\n# not ok 1\n' "0 passed, 0 failed, 0 skipped" 2
check "a plan not met" tallies '1..3\nok 1 a\n' "1 passed, 2 failed, 0 skipped" 1
check "a plan and no result" tallies '1..2\n' "0 passed, 2 failed, 0 skipped" 1
check "no plan" tallies 'KTAP version 1\nok 1 a\n' "1 passed, 1 failed, 0 skipped" 1
check "a plan at the end" tallies 'ok 1 a\nok 2 b\n1..2\n' "2 passed, 0 failed, 0 skipped" 0
check "a plan at the end, too small" tallies 'ok 1 a\nok 2 b\n1..1\n' "2 passed, 1 failed, 0 skipped" 1
check "more results than planned" tallies '1..1\nok 1 a\nok 2 b\n' "2 passed, 1 failed, 0 skipped" 1
check "a number twice" tallies '1..3\nok 1 a\nok 1 b\nok 3 c\n' "3 passed, 1 failed, 0 skipped" 1
check "a number left out" tallies '1..3\nok 1 a\nok 3 c\n' "2 passed, 1 failed, 0 skipped" 1
check "no number in a list" tallies '1..1\nok a\n' "1 passed, 1 failed, 0 skipped" 1
check "two plans" tallies '1..1\n1..1\nok 1 a\n' "1 passed, 1 failed, 0 skipped" 1
check "a stream after a stream" tallies '1..1\nok 1 a\n1..1\nok 1 b\nTAP version 13\n1..1\nok 1 c\n' "3 passed, 0 failed, 0 skipped" 0
check "giving up" tallies '1..1\nok 1 a\nBail out! no\n' "1 passed, 1 failed, 0 skipped" 1
nested='KTAP version 1\n1..2\n  KTAP version 1\n  1..2\n  ok 1 a\n  %s 2 b\n%s 1 p\nok 2 q\n'
# shellcheck disable=SC2059 # the format is ours
nest() { printf "$nested" "$1" "$2"; }
check "children count, parents do not" tallies "$(nest ok ok)" "3 passed, 0 failed, 0 skipped" 0
check "a failing child" tallies "$(nest 'not ok' 'not ok')" "2 passed, 1 failed, 0 skipped" 1
check "a parent that fails alone" tallies "$(nest ok 'not ok')" "3 passed, 1 failed, 0 skipped" 1
check "a parent that hides a failure" tallies "$(nest 'not ok' ok)" "2 passed, 1 failed, 0 skipped" 1
check "which is told" has <(nest 'not ok' ok | "$build/vm/tally") '^# tally: line 7: .*although something below it failed'
check "a child's plan not met" tallies '1..1\n  1..2\n  ok 1 a\nok 1 p\n' "1 passed, 1 failed, 0 skipped" 1
check "children without their parent" tallies '1..1\nok 1 p\n  1..1\n  ok 1 a\n' "2 passed, 1 failed, 0 skipped" 1
check "a hidden failure, indented" tallies '1..1\n  not ok 1 a\nok 1 p\n' "0 passed, 2 failed, 0 skipped" 1
runner='TAP version 13\n1..1\n# selftests: x: y\n# TAP version 13\n# 1..2\n# # not ok 9\n# ok 1 a\n# %s 2 b\n%s 1 selftests: x: y\n'
# shellcheck disable=SC2059
run() { printf "$runner" "$1" "$2"; }
check "the runner's prefix" tallies "$(run ok ok)" "2 passed, 0 failed, 0 skipped" 0
check "the runner's prefix, a failure" tallies "$(run 'not ok' 'not ok')" "1 passed, 1 failed, 0 skipped" 1
check "carriage returns" tallies '1..1\r\nok 1 a\r\n' "1 passed, 0 failed, 0 skipped" 0
check "no newline at the end" tallies '1..1\nok 1 a' "1 passed, 0 failed, 0 skipped" 0
check "a number too large" tallies '1..99999999999\nok 1 a\n' "1 passed, 1 failed, 0 skipped" 1
tap_end
