#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of build/vm/results with streams made by hand: no guest, no QEMU.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

plan=$scratch/plan work=$scratch/work out=$scratch/out said=$scratch/said

# A plan of three tests; the second is to end with status 1, the third may be skipped.
printf '%s\0' perfwake-plan-2 suite '' 3 one 5 0 '' 1 /bin/one two 5 1 '' 1 /bin/two \
	three 5 0 'not on Mondays' 1 /bin/three >"$plan"
printf '%s\0' perfwake-plan-2 command '' 1 cmd 5 0 '' 1 /bin/cmd >"$scratch/plan1"

begin='B 2 3 2 port 9.9-test'
one='T 1\nL 1 KTAP version 1\nL 1 1..2\nL 1 ok 1 a\nL 1 ok 2 b\nR 1 ok exit 0'
two='T 2\nL 2 1..1\nL 2 not ok 1 due\nR 2 ok exit 1'
three='T 3\nL 3 hello\nR 3 ok exit 0'

# stream STATUS TEXT [OPTION...]: feed TEXT to results, expect STATUS. In TEXT, @N stands
# for the number of lines before it and of their bytes, @L for the first of them.
stream() {
	local due=$1 text=$2 status
	shift 2

	rm -rf "$work" && mkdir "$work"
	printf '%b' "$text" | LC_ALL=C awk '{ gsub(/@L/, NR - 1); gsub(/@N/, NR - 1 " " bytes + 0); print; sub(/\r$/, ""); bytes += length + 1 }' >"$scratch/stream"
	# awk ends each line; a stream that is cut has to stay cut
	[ -z "$(printf '%b' "$text" | tail -c 1)" ] || truncate -s -1 "$scratch/stream"
	"$build/vm/results" -p "$plan" -w "$work" -o "$out" "$@" <"$scratch/stream" >"$said" 2>"$scratch/err"
	status=$?
	same "status $status" "status $due"
}
counts() { last_is "$said" "$1"; }
gives() { stream "$1" "$2" && counts "$3"; }	# STATUS TEXT COUNTS
written() { has "$out/results.ktap" "$1"; }
whole="$begin\n$one\n$two\n$three\nE 0 3 0 0 @N\n"

# Another writer on the port: whatever it says between which lines, and ends its own or not, it is
# never taken for a run in order, nor for one that broke a rule.
garbage_anywhere() {
	local at kind status lines
	local kinds=(x 'N ' 'N x\n' 'L 1 ' 'L 1 ok 3 c\n' 'R 3 ok exit 0\n' 'T 3\n' '\n' 'F 9 x\n' 'E 0 3 0 0 14 '
		'\0377\0001\0r' "$(printf '%070000d' 0)\n")

	stream 0 "$whole" || return
	mapfile -t lines <"$scratch/stream"
	for kind in "${kinds[@]}"; do
		for ((at = 0; at <= ${#lines[@]}; at++)); do
			rm -f "$work"/results.ktap
			{
				[ "$at" -eq 0 ] || printf '%s\n' "${lines[@]:0:at}"
				printf '%b' "$kind"
				[ "$at" -eq "${#lines[@]}" ] || printf '%s\n' "${lines[@]:at}"
			} >"$scratch/stream"
			"$build/vm/results" -p "$plan" -w "$work" -o "$out" <"$scratch/stream" >"$said" 2>&1
			status=$?
			[ "$status" -eq 3 ] || [ "$status$at" = 20 ] || { echo "status $status with ${kind:0:20} before line $((at + 1))"; return 1; }
		done
	done
}

# The same to a terminal: with colours and the test at hand, which the report does not get.
on_terminal() {
	local esc
	esc=$(printf '\033')

	stream 0 "$whole"
	rm -rf "$work" && mkdir "$work"
	NO_COLOR='' TERM=xterm script -qec "'$build/vm/results' -p '$plan' -w '$work' -o '$out' <'$scratch/stream'" \
		/dev/null </dev/null >"$said" || return
	has "$said" "\\[1/3\\] one" && has "$said" "$esc\\[32mok 1 one$esc\\[0m" &&
		has "$out/results.ktap" '^ok 1 one$' && lacks "$out/results.ktap" "$esc"
}

tap_plan 78
check "all is well" gives 0 "$whole" "4 passed, 0 failed, 0 skipped"
check "the report has the child's results, nested" written '^  ok 2 b$'
check "the report has the test" written '^ok 1 one$'
check "what is no KTAP becomes a comment" written '^  # hello$'
check "a due failure becomes a comment, too" written '^  # not ok 1 due$'
check "the report says its status" written '^# status 0$'
check "the report is what was said" same "$(head -n -1 "$said")" "$(cat "$out/results.ktap")"
check "a terminal is shown more" on_terminal
check "carriage returns" gives 0 "${whole//\\n/\\r\\n}" "4 passed, 0 failed, 0 skipped"

check "no end" gives 3 "$begin\n$one\n$two\n$three\n" "4 passed, 0 failed, 0 skipped"
check "it is marked" written '^# partial results'
check "a cut in the middle of a line" gives 3 "$begin\n$one\nT 2\nL 2 1..1\nL 2 ok" "2 passed, 2 failed, 0 skipped"
check "the test that was cut is named" written '^not ok 2 two # missing: the guest ended in it'
check "the test that never came is named" written '^not ok 3 three # missing: never begun'
check "a cut in the middle of a child's list" gives 3 "$begin\nT 1\nL 1 1..4\nL 1 ok 1 a\n" "1 passed, 5 failed, 0 skipped"
check "nothing at all" gives 2 "" "0 passed, 3 failed, 0 skipped"
check "a begin and nothing else" gives 3 "$begin\n" "0 passed, 3 failed, 0 skipped"

check "garbage in between" gives 3 "$begin\n\001\0377\n\n%%\n$one\n$two\n$three\nE 0 3 0 0 @N\n" "4 passed, 0 failed, 0 skipped"
check "escapes from a test" stream 0 "${whole/hello/\\033[2J\\0177hello}"
check "no control bytes get through" lacks "$said" $'[\001-\010\013-\037\177]'
check "garbage anywhere" garbage_anywhere
check "a line of 100 kB" gives 3 "$begin\n$(printf '%0100000d' 0)\n$one\n$two\n$three\nE 0 3 0 0 @N\n" "4 passed, 0 failed, 0 skipped"
check "a result in a line that is too long" gives 3 "${whole/ok 2 b/ok 2 $(printf '%05000d' 0)}" "3 passed, 1 failed, 0 skipped"
check "an end that counts other lines" gives 3 "${whole/@N/4 99}" "4 passed, 0 failed, 0 skipped"
check "an end that counts other tests" gives 3 "${whole/E 0 3/E 0 2}" "4 passed, 0 failed, 0 skipped"
check "something after the end" gives 3 "${whole}N late\n" "4 passed, 0 failed, 0 skipped"
check "another number of tests" stream 3 "${whole/B 2 3/B 2 4}"
check "another version" stream 3 "${whole/B 2 3/B 3 3}"
check "a test twice" stream 3 "$begin\n$one\n$one\n$two\n$three\nE 0 3 0 0 @N\n"
check "a test left out" gives 3 "$begin\n$one\n$three\nE 0 2 0 0 @N\n" "3 passed, 1 failed, 0 skipped"
check "is told" written '^not ok 2 two # missing: it was lost on the results port'
check "a result lost" gives 3 "$begin\n${one/R 1/x R 1}\n$two\n$three\nE 0 3 0 0 @N\n" "4 passed, 1 failed, 0 skipped"
check "does not hide the next one" written '^ok 2 two$'
check "the last result lost" gives 3 "$begin\n$one\n$two\nT 3\nE 0 3 0 0 @N\n" "3 passed, 1 failed, 0 skipped"
check "is told, too" written '^not ok 3 three # missing: it was lost on the results port'
check "an end that counts other bytes" stream 3 "${whole/@N/@L 190}"
check "what is no UTF-8 becomes text" stream 0 "${whole/hello/h\\0303\\0251llo \\0377\\0303 \\0355\\0240\\0200}"
check "and what is stays" written $'^  # h\303\251llo ?? ???$'
check "results without a name get one" stream 0 "${whole/hello/1..2\\nL 3 ok 1 # SKIP not here\\nL 3 ok 2}"
check "as the kernel's parser wants it" same "$(grep -c -e '^  ok 1 nameless # SKIP not here$' -e '^  ok 2 nameless$' "$out/results.ktap")" 2
check "a line of another test" stream 3 "${whole/L 1 ok 2/L 2 ok 2}"
check "a lost line of a child" stream 3 "${whole/L 1 ok 1 a\\n/}"
check "the guest's judgement differs" stream 3 "${whole/R 3 ok/R 3 failed}"
failing=${one/ok 2/not ok 2}
failing=${failing/R 1 ok exit 0/R 1 failed exit 1}
check "a failing test" gives 1 "$begin\n$failing\n$two\n$three\nE 1 2 1 0 @N\n" "3 passed, 1 failed, 0 skipped"
check "failing results behind status 0" stream 1 "$begin\n${failing/exit 1/exit 0}\n$two\n$three\nE 1 2 1 0 @N\n"
check "are told" written '^not ok 1 one # exit status 0 although 1'
short=${one/R 1 ok/R 1 failed}
check "a short list behind status 0" stream 1 "$begin\n${short/L 1 ok 2 b\\n/}\n$two\n$three\nE 1 2 1 0 @N\n"
check "is told" written '^not ok 1 one # its KTAP is not sound: line 3: 1 of 2'
check "a test that fails by its status" gives 1 "$begin\n${one/ok exit 0/failed exit 7}\n$two\n$three\nE 1 2 1 0 @N\n" "4 passed, 1 failed, 0 skipped"
check "a hung test" gives 3 "$begin\n$one\n$two\nT 3\nR 3 failed timeout 5\nE 3 2 1 0 @N\n" "3 passed, 1 failed, 0 skipped"
check "a kernel's complaint" gives 3 "$begin\n$one\n$two\nT 3\nK 3 BUG: x\nR 3 failed exit 0\nE 3 2 1 0 @N\n" "3 passed, 1 failed, 0 skipped"
skip='T 3\nL 3 1..0 # SKIP Monday\nR 3 skipped exit 4'
check "a declared skip" gives 0 "$begin\n$one\n$two\n$skip\nE 0 2 0 1 @N\n" "3 passed, 0 failed, 1 skipped"
check "it is reported with its reason" written '^ok 3 three # SKIP Monday$'
check "an undeclared skip" gives 2 "$begin\n${skip//3/1}\n$two\n$three\nE 2 2 0 1 @N\n" "2 passed, 0 failed, 1 skipped"

file='F 8 traces/a.trace\nD a\\n\\tb\\\\\\x01\\r\nD c\nG '
files() { printf '%s' "$begin\n$1$one\n$two\n$three\nE 0 3 0 0 @N\n"; }
check "a file" stream 0 "$(files "${file}676c9c42\n")"
check "its bytes" same "$(od -An -tx1 "$out/traces/a.trace" | tr -d ' \n')" 610a09625c010d63
check "a damaged file" stream 3 "$(files "${file}00000000\n")"
check "is marked" test -s "$out/traces/a.trace.partial"
check "a file that breaks off" stream 3 "$begin\nF 100 big\nD abc\n"
refuses() { stream 2 "$(files "F 1 $1\nD x\nG 0\n")" && has "$said" 'is refused'; }
evil() { for n in ../evil /tmp/evil a/../../evil a/.b results.ktap 'a b' '' a/ a//b; do refuses "$n" || return 1; done; }
check "names that lead elsewhere" evil
check "left nothing" test ! -e "$scratch/evil"

# command STATUS WAY VALUE WORD TEXT: a command that printed TEXT and ended so
command_ends() {
	local due=$1

	plan=$scratch/plan1 stream "$due" "B 2 1 2 port 9.9\nT 1\n$5R 1 $4 $2 $3\nE $due $([ "$4" = ok ] && echo 1 0 0 || echo 0 1 0) @N\n"
}
printf '%s\0' perfwake-plan-2 command 'in_made_up' 1 cmd 5 0 '' 1 /bin/cmd >"$scratch/plan2"
warned() { plan=$scratch/plan2 stream "$1" "B 2 1 2 port 9.9\nT 1\n$2R 1 ${3:-ok} exit 0\nE $1 ${4:-1 0 0} @N\n"; }
due='W 1 WARNING: CPU: 0 PID: 1 at x.c:1 in_made_up+0x1\n'
check "a warning that is due" warned 0 "$due"
check "a due warning that does not come" warned 1 ""
check "a due warning twice" warned 3 "$due$due"
check "a due warning and another" warned 3 "${due}K 1 BUG: x\n" failed '0 1 0'
check "a warning that is not the due one" warned 3 "${due/in_made_up/elsewhere}"
check "a warning where none is due" stream 3 "$begin\n${one/L 1 ok 1/W 1 WARNING: x\\nL 1 ok 1}\n$two\n$three\nE 0 3 0 0 @N\n"
all_skipped='T 1\nL 1 1..1\nL 1 ok 1 a # SKIP no module\nR 1 skipped exit 2'
check "an undeclared skip by status 2" gives 2 "$begin\n$all_skipped\n$two\n$three\nE 2 2 0 1 @N\n" "2 passed, 0 failed, 1 skipped"
check "a declared skip by status 2" gives 0 "$begin\n$one\n$two\nT 3\nL 3 1..1\nL 3 ok 1 a # SKIP no module\nR 3 skipped exit 2\nE 0 2 0 1 @N\n" "3 passed, 0 failed, 1 skipped"
check "status 2 with less than all skipped" stream 1 "$begin\n${one/R 1 ok exit 0/R 1 failed exit 2}\n$two\n$three\nE 1 2 1 0 @N\n"

check "a command's output is all there is" command_ends 0 exit 0 ok 'L 1 a  b\nL 1 c\n'
check "as it was" same "$(cat "$said")" "a  b"$'\n'"c"
check "a command's status 1" command_ends 1 exit 1 failed ''
check "a command's status 2" command_ends 2 exit 2 failed ''
check "a command's status 3" command_ends 3 exit 3 failed ''
check "a command's other status" command_ends 1 exit 77 failed ''
check "a command that was killed" command_ends 1 signal 11 failed ''
check "a command that is not there" command_ends 2 noexec 2 failed ''
tap_end
