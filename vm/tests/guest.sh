#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests on real guests: each way in which a test, a guest or QEMU can go wrong has to be
# seen for what it is, and what was judged until then has to be kept.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"

"$top/vm/fetch-kernel" 6.1 || exit 1

file() { cmp "$scratch/$1/results/6.1/$2" <(printf '%b' "$3"); }
page() { has "$scratch/$1/results/6.1/report.html" "$2"; }

lab fine <<EOF
good|20|0|$m good
due|20|1|$m failing
echo|20|0|$m echo a b
files|20|0|$m files
skip|20|0|$m skip|made for this
EOF
lab bad <<EOF
good|20|0|$m good
hang|1|0|$m hang
after|20|0|$m good
forge|20|0|$m forge
flood|20|0|$m flood
signal|20|0|$m signal
status|20|0|$m exit 3
short|20|0|$m short-plan
liar|20|0|$m liar
failing|20|0|$m failing
noexec|20|0|/bin/none
warn|20|0|$m warn
last|20|0|$m good
EOF
lab panic <<EOF
files|20|0|$m good
panic|20|0|$m panic
never|20|0|$m good
EOF
lab wedge <<EOF
good|20|0|$m good
wedge|2|0|$m wedge
never|20|0|$m good
EOF
for l in warns warns-not; do lab $l <<<"warn|20|0|$m warn-in-full
good|20|0|$m good"; done
lab warns-twice <<EOF
warn|20|0|$m warn-in-full
again|20|0|$m warn-in-full
EOF
for l in killed interrupted; do lab $l <<<"good|20|0|$m good
hang|60|0|$m hang
never|20|0|$m good"; done

tap_plan 56
check "a suite in order, but for bad file names" sets_limit ends 2 fine
check "is counted" said fine "5 passed, 0 failed, 1 skipped"
check "says which kernel" ktap fine '^# kernel 6\.1\.'
check "says which accelerator and QEMU" ktap fine '^# QEMU .*accelerator'
check "a child's results are nested" ktap fine '^  ok 2 b$'
check "a due failure is in order" ktap fine '^ok 2 due$'
check "a declared skip is told" ktap fine '^ok 5 skip # SKIP no such thing'
check "a file comes over" file fine traces/one.trace 'name one\nend\n'
check "any byte comes over" file fine traces/odd.trace 'tab\tback\\slash\001\0377\r\nno newline'
check "a page shows the results" page fine '^<tr><td>files<td>ok$'
check "a bad file name is refused" has "$scratch/fine.said" 'is refused'

check "a suite of misfits" ends 3 bad
check "a hung test is ended" ktap bad '^not ok 2 hang # not done after 1 s'
check "the next one runs" ktap bad '^ok 3 after$'
check "forged lines stay inside" ktap bad '^  # E 0 9 0 0 9$'
check "a forged result proves nothing" ktap bad '^not ok 4 forge'
check "a line without end stays one line" ktap bad '^not ok 5 flood # its KTAP is not sound: line 2001'
check "a signal" ktap bad '^not ok 6 signal # killed by signal 6'
check "an exit status" ktap bad '^not ok 7 status # exit status 3 where 0 was due'
check "a short plan" ktap bad '^not ok 8 short # its KTAP is not sound'
check "a failure behind status 0" ktap bad '^not ok 9 liar # exit status 0 although'
check "a failure" ktap bad '^not ok 10 failing # exit status 1, 1 of'
check "a program that is not there" ktap bad '^not ok 11 noexec # cannot be started'
check "a kernel warning" ktap bad '^not ok 12 warn # the kernel complained'
check "is shown" ktap bad '^# kernel log: WARNING: CPU: 0 PID: 1 at made'
check "also on the page" page bad 'kernel log: WARNING: CPU: 0 PID: 1 at made'
check "does not stick to the next test" ktap bad '^ok 13 last$'
check "all is counted" said bad "11 passed, 11 failed, 0 skipped"

check "a warning that is declared" ends 0 warns --warns for_the_test
check "is told" ktap warns '^# the warning that is due came: WARNING: CPU: 0 PID: 1 at made'
check "and nothing else of it" lacks "$scratch/warns/results/6.1/results.ktap" 'kernel log'
check "another warning than the declared one" ends 3 warns-not --warns some_function
check "is told, too" ktap warns-not '^# no warning with "some_function" came'
check "a declared warning twice" ends 3 warns-twice --warns for_the_test
check "the second is trouble" ktap warns-twice '^not ok 2 again # the kernel complained'

check "a panic" ends 3 panic
check "keeps what was proved" ktap panic '^ok 1 files$'
check "names the test" ktap panic '^not ok 2 panic # missing: the guest ended in it'
check "names what did not run" ktap panic '^not ok 3 never # missing: never begun'
check "shows the kernel's words" ktap panic '^# console: .*Kernel panic'
check "also on the page" page panic 'console: .*Kernel panic'
check "is marked as partial" ktap panic '^# partial results'

check "a guest that never ends" ends 3 wedge -t "$limit"
check "keeps what was proved, too" ktap wedge '^ok 1 good$'
check "is told" ktap wedge "not done after $limit s"
check "QEMU killed half-way" half_way killed 3 qemu KILL
check "keeps the results" ktap killed '^not ok 2 hang # missing: the guest ended in it'
check "INT half-way" half_way interrupted 130 run INT
check "keeps its results" ktap interrupted '^not ok 3 never # missing'
check "also on the page" page interrupted 'missing: never begun'

# command STATUS ARGUMENT...: one command in a guest.
command_ends() {
	local due=$1 status
	shift
	B=$scratch/fine "$run" -- "$@" >"$scratch/command.said" 2>"$scratch/command.err"
	status=$?
	same "status $status" "status $due"
}
echo hello >"$scratch/a file"
echo world >"$scratch/fine/a file"
check "a variable for a command" command_ends 0 AN_Y=a/b=c B= misbehave variable AN_Y
check "is in its environment" has "$scratch/command.said" '^<a/b=c>$'
check "a command" command_ends 0 misbehave echo 'a  b' '' "$scratch/a file" "$scratch/fine/a file"
check "says what it says and no more" same "$(tr '\n' ' ' <"$scratch/command.said")" "<a  b> <> </host/0/a file> </host/1/a file> "
check "a command from the host, and its status" command_ends 2 "$build/vm/misbehave" exit 2
check "no QEMU is left" same "$(qemu_of '')" ""
tap_end
