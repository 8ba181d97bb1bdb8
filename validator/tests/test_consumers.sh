#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Consumer programs that are missing, die, talk nonsense or hang: a line that says so, nothing judged,
# and no process left. A script stands in for bcc's. Needs the rights to load BPF programs.
#
#	test_consumers.sh PERFWAKE
set -u

# shellcheck source=validator/tests/tap.sh
. "$(dirname "$0")/tap.sh"

[ $# -eq 1 ] || tap_bail_out 'usage: test_consumers.sh PERFWAKE'
[ -x "$1" ] || tap_bail_out "$1 cannot be run"
work=$(mktemp -d) || tap_bail_out 'no folder to work in'
trap 'rm -rf "$work"' EXIT
{ cp "$1" "$work/perfwake" && mkdir "$work/consumers" && cd "$work"; } || tap_bail_out "$work cannot be used"
printf 'name x\nring 0 pages=1 wakeup_events=2\nemit 0 count=2 size=8 every=look-consume\nconsume 0\n' > x.case

# program: what bcc's program does, from stdin
program()
{
	{ echo '#!/bin/sh'; cat; } > consumers/bcc
	chmod +x consumers/bcc
}

# run NAME STATUS TEXT: perfwake with that program ends so and says TEXT, and the program is gone
run()
{
	local name=$1 status=$2 text=$3 bad=0 got

	./perfwake run --no-witness --consumer bcc x.case > out 2>&1 < /dev/null
	got=$?
	[ "$got" -eq "$status" ] || bad=1
	grep -qF -- "$text" out || bad=1
	grep -q '^ok' out && [ "$status" -ne 0 ] && bad=1
	if [ -s pid ] && kill -0 "$(cat pid)" 2> /dev/null; then
		echo 'the program is still there' >> out
		bad=1
	fi
	[ "$bad" -eq 0 ] || { echo "status $got, due $status and: $text"; cat out; } | tap_say
	rm -f pid
	tap_result $bad "$name"
}

if ! ./perfwake run --no-witness x.case > out 2>&1; then
	tap_skip 'consumer programs' "no BPF here: $(tail -n 1 out)"
	tap_done
fi
hello='echo $$ > pid; echo "hello 1 events waits consume'

run 'one that is not built' 2 'consumers/bcc is not built; run: apt-get install libbpfcc-dev && make consumer-programs'
program <<< 'exit 1'
run 'one that does not start' 2 'consumers/bcc does not start; run: apt-get install libbpfcc-dev'
program <<< "$hello frob\"; cat"
run 'an offer that nobody knows' 2 'consumers/bcc does not start'
program <<< "$hello\"; read x"
run 'one that ends at open' 2 'bcc ended, or did not answer'
program <<< "$hello\"; read x; echo 'error no such ring'; cat > /dev/null"
run 'one that cannot open' 2 'error no such ring'
program <<< "$hello fd each\"; read x; echo 'ok 77'; read x; echo 'done 0'"
run 'a descriptor that it does not have' 2 'Bad file descriptor'
program <<< "$hello\"; read x; echo 'ok -1'; read x; kill -SEGV \$\$"
run 'one that dies in poll' 2 'polling failed: bcc ended'
program <<< "$hello\"; read x; echo 'ok -1'; read x; echo 'sample 0g'; cat > /dev/null"
run 'a sample that is none' 2 'polling failed: bcc said: sample 0g'
program <<< "$hello\"; read x; echo 'ok -1'; read x; echo 'done 0'; read x; echo 'done 0'; read x; exit"
run 'one that dies in consume' 2 'consuming failed: bcc ended'
program <<< "$hello\"; read x; echo 'ok -1'; while read x; do echo 'done 0'; done"
run 'one that hands over nothing is judged' 1 'not ok 1 x'
program <<< "$hello\"; read x; echo 'ok -1'; while read x; do echo 'done -5'; done"
run 'a poll that fails' 2 'polling failed: Input/output error'

# One that is missing keeps nobody else from being asked, or from reading its case.
missing='consumers/bcc is not built; run: apt-get install libbpfcc-dev && make consumer-programs'
rm -f consumers/bcc
bad=0
./perfwake consumers x.case > out 2>&1 || bad=1
grep -qF "bcc could not be asked: $work/$missing" out || bad=1
grep -qE '^\| behaviour \| raw [^|]+\| libbpf [^|]+\| libbpf-raw [^|]+\|$' out || bad=1
grep -qE '^\| x [(].x.[)] \| yes \|' out || bad=1
[ "$bad" -eq 0 ] || tap_say < out
tap_result $bad 'others are asked where one is missing'
bad=0
sed 's/^name x/name y/; s/^ring 0/& consumer=bcc/' x.case > y.case
./perfwake run --no-witness y.case x.case > out 2>&1
[ $? -eq 2 ] || bad=1
grep -q '^not ok 1 y' out || bad=1
grep -qF "$missing" out || bad=1
grep -q '^ok 2 x' out || bad=1
[ "$bad" -eq 0 ] || tap_say < out
tap_result $bad 'other cases are judged where one names it'
tap_done
