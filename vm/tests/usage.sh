#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/run.sh and vm/image that need no guest: what is refused, and how a run ends
# whatever QEMU does. A script stands in for QEMU.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

# A build folder of our own, so that a suite can be planned that is not the project's.
B=$scratch/b
mkdir -p "$B" "$scratch/kernels/6.1"
ln -s "$build/vm" "$B/vm"
export B
run=$top/vm/run.sh
err=$scratch/err said=$scratch/said

# refused TEXT ARGUMENT...: run.sh says one line with TEXT and ends with status 2.
refused() {
	local text=$1 status
	shift

	"$run" "$@" >"$said" 2>"$err" </dev/null
	status=$?
	same "status $status" "status 2" && has "$err" "$text" && same "$(wc -l <"$err")" 1
}

# A file with the magic of a bzImage; nobody boots it.
kernel=$scratch/bzImage
{ head -c 514 /dev/zero; printf 'HdrS'; head -c 8 /dev/zero; printf '\020\001'; head -c 256 /dev/zero; printf '9.9-made-up (x) y'; head -c 512 /dev/zero; } >"$kernel"
echo "/bin/none $kernel" >"$B/suite.files"
echo "first|5|0|/bin/none" >"$B/suite.plan"
echo "second|5|0|/bin/none x" >>"$B/suite.plan"

# fake NAME: a QEMU that does what stdin says; its pid is in $scratch/NAME.pid.
# shellcheck disable=SC2016 # the other script expands it
fake() {
	{ printf '#!/bin/bash\n[ "$1" = --version ] && { echo "QEMU emulator version 0.0"; exit; }\n'
	  printf 'echo $$ >%q.new; mv %q.new %q\n' "$scratch/$1.pid" "$scratch/$1.pid" "$scratch/$1.pid"
	  cat; } >"$scratch/$1"
	chmod +x "$scratch/$1"
}
begin='printf "B 1 2 2 port 9.9\nT 1\nL 1 hi\nR 1 ok exit 0\nT 2\n"'
fake dumb <<<'exit 1'
fake full <<<'echo "qemu: cannot set up guest memory" >&2; exit 1'
fake slow <<<"$begin; sleep 1000"
fake stubborn <<<"$begin; trap '' TERM; while :; do sleep 1000; done"
fake dies <<<"$begin; kill -KILL \$\$"
fake wrong <<<"$begin; printf 'R 2 ok exit 0\nE 0 2 0 0 6\n'; exit 0"
fake right <<<"$begin; printf 'R 2 ok exit 0\nE 0 2 0 0 6\n'; exit 3"

# ends STATUS NAME OPTION...: run.sh with the QEMU called NAME ends with STATUS.
ends() {
	local due=$1 name=$2 status
	shift 2

	rm -f "$scratch/$name.pid"
	QEMU=$scratch/$name "$run" -k "$kernel" "$@" >"$said" 2>"$err"
	status=$?
	same "status $status" "status $due"
}

# Wait for COMMAND... to succeed; bounded, since a test that hangs tells nobody anything.
until_ok() {
	local n

	for ((n = 0; n < 500; n++)); do
		"$@" && return
		read -r -t 0.02 <>"$scratch/never"
	done
	echo "still not: $*"
	return 1
}
mkfifo "$scratch/never"
pid_of() { cat "$scratch/$1.pid"; }

# interrupted STATUS SIGNAL PATTERN: a run that gets SIGNAL when PATTERN was said.
interrupted() {
	local pid status

	rm -f "$scratch/slow.pid"
	# A script starts what is in the background with INT ignored, and it would stay so.
	QEMU=$scratch/slow env --default-signal=INT "$run" -k "$kernel" >"$said" 2>"$err" &
	pid=$!
	until_ok grep -qs "$3" "$said" || return 1
	kill "-$2" "$pid"
	wait "$pid"
	status=$?
	same "status $status" "status $1" && until_ok gone "$(pid_of slow)"
}
killed() {
	interrupted 137 KILL 'ok 1 first'
}
nobody_reads() {
	rm -f "$scratch/slow.pid"
	QEMU=$scratch/slow "$run" -k "$kernel" | head -n 1 >/dev/null
	until_ok gone "$(pid_of slow)"
}
two_at_once() {
	local one two

	QEMU=$scratch/right "$run" -k "$kernel" >/dev/null & one=$!
	QEMU=$scratch/right "$run" -k "$kernel" >/dev/null & two=$!
	wait "$one" && wait "$two" && has "$results/results.ktap" '^ok 2 second'
}
# A kernel of vm/build-kernel has its label beside it, by which its results are called.
labelled() {
	mkdir "$scratch/l" && cp "$kernel" "$scratch/l/" && echo a/b+c >"$scratch/l/label" && echo made here >"$scratch/l/source" &&
		QEMU=$scratch/right "$run" -k "$scratch/l/bzImage" >"$said" 2>"$err" &&
		has "$B/results/a_b+c/results.ktap" 'kernel from made here$'
}
same_image() {
	"$top/vm/image" "$scratch/i1" "$kernel" "/x=$kernel" && touch "$kernel" &&
		"$top/vm/image" "$scratch/i2" "$kernel" "/x=$kernel" && cmp "$scratch/i1" "$scratch/i2"
}
results=$B/results/9.9-made-up

tap_plan 40
check "help" "$run" --help
check "an unknown option" refused 'unknown option' --frob
check "a word where none belongs" refused 'unexpected word' frob
check "an option without its value" refused 'needs a value' -c
check "a warning without its text" refused 'needs a value' --warns
check "a shell and a warning" refused 'do not go together' --shell --warns x
check "no number of CPUs" refused 'CPUs are' -c zero
check "no amount of memory" refused 'memory is' -m lots
check "no number of seconds" refused 'limit is' -t 0
check "no command behind --" refused 'no COMMAND' --
check "a consumer that is not built" refused 'bcc-py is not built' -k "$kernel" -- /bin/none --consumer=bcc-py
check "no kernel of that name" refused 'no kernel' -k 99.9
check "a file that is no kernel" refused 'is no kernel' -k "$run"
check "a tree that is not built" refused 'build that kernel' -k "$scratch"
check "no QEMU" env QEMU=/none bash -c "$(declare -f refused same has); run='$run' said='$said' err='$err'; refused 'no /none' -k '$kernel'"
check "a folder that cannot be written" env B=/proc/none bash -c "! '$run' -k '$kernel' 2>/dev/null"
check "an image is the same each time" same_image
check "a QEMU that fails at once" ends 2 dumb
check "says so" has "$said" 'never said anything'
check "a QEMU that complains" ends 2 full
check "its complaint is shown" has "$said" 'QEMU: qemu: cannot set up guest memory'
check "a QEMU in order" ends 0 right
check "its results are in place" has "$results/results.ktap" '^ok 2 second$'
check "nothing else is left" same "$(ls -A "$B/results")" 9.9-made-up
check "a QEMU whose end belies the guest" ends 3 wrong
check "a QEMU that is killed" ends 3 dies
check "what came before is kept" has "$results/results.ktap" '^ok 1 first$'
check "what did not come is marked" has "$results/results.ktap" '^not ok 2 second # missing'
check "a guest that never ends" ends 3 stubborn -t 1
check "is gone" gone "$(pid_of stubborn)"
check "says so" has "$said" 'not done after 1 s'
check "INT" interrupted 130 INT 'ok 1 first'
check "keeps the results" has "$results/results.ktap" '^# partial results: interrupted'
check "TERM" interrupted 143 TERM 'ok 1 first'
check "no temporary folder is left" same "$(ls -A "$B/results")" 9.9-made-up
check "KILL leaves no QEMU" killed
check "a reader that goes away leaves no QEMU" nobody_reads
check "two at once" two_at_once
check "a kernel with a label" labelled
check "a bad line in the suite" bash -c "$(declare -f refused same has); run='$run' said='$said' err='$err'; echo 'x|y|z' >>'$B/suite.plan'; refused 'test x' -k '$kernel'"
tap_end
