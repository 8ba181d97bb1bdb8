#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of scripts/matrix that need no guest: scripts stand in for run.sh and fetch-kernel.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

B=$scratch/b
mkdir -p "$B/kernels"
ln -s "$build/perfwake" "$B/perfwake"
export B
export MATRIX_RUN=$scratch/run MATRIX_FETCH=$scratch/fetch MATRIX_MODULE=$scratch/module
export MATRIX_KERNELS=$scratch/kernels MATRIX_RULES=$scratch/rules
said=$scratch/said err=$scratch/err

printf '%s\n' '# a comment' 'good s p' 'bad s p' 'lost s p' 'dies s p' 'mute s p' 'skips s p' 'new s p' 'gap s p' 'slow s p' >"$scratch/kernels"
printf '%s\n' '# a comment' 'one/b* K2 K10' 'one* K1' 'two K2' >"$scratch/rules"
printf '%s\n' 'one|5|0|/one' 'two|5|0|/two' >"$B/suite.plan"

cat >"$MATRIX_FETCH" <<'END'
#!/bin/bash
[ "$1" != lost ] || { echo "fetch-kernel: gone from the mirror" >&2; exit 2; }
mkdir -p "$B/kernels/$1"
echo "9.9-$1" >"$B/kernels/$1/release"
echo "suite linux-image-$1 9.9-1" >"$B/kernels/$1/source"
END
# What results.ktap holds after a run of each kind.
cat >"$MATRIX_RUN" <<'END'
#!/bin/bash
name=$2 out=$B/results/$2
begin='KTAP version 1\n1..2\n# QEMU 0.0, accelerator none, 2 CPUs, 512M, kernel from x\n'
a='  1..2\n  # a line between\n  ok 1 a\n'
mkdir -p "$out"
case $name in
good) ktap="$a  ok 2 b\nok 1 one\nok 2 two\n" status=0 ;;
bad) ktap="$a  not ok 2 b\nnot ok 1 one # exit status 1, 1 of its results failed\nok 2 two\n" status=1 ;;
dies) ktap="$a"'  not ok 2 b # missing\nnot ok 1 one # missing: the guest ended in it\nnot ok 2 two # missing: never begun\n' status=3 ;;
skips) ktap="$a"'  ok 2 b # SKIP no such thing\nok 1 one\nok 2 two\n' status=0 ;;
new) ktap="$a"'  ok 2 b\nok 1 one\n  ok 1 x\nok 2 three\n' status=0 ;;
gap) ktap='ok 1 two\n' status=0 ;;
mute) echo 'vm/run.sh: no init' >&2; exit 2 ;;
slow) trap 'kill $!; rm "$out/pid"; exit 143' TERM; sleep 1000 & echo $$ >"$out/pid"; wait ;;
esac
printf "$begin$ktap" >"$out/results.ktap"
echo 'N passed'
exit "$status"
END
cat >"$MATRIX_MODULE" <<'END'
#!/bin/bash
[ "$1" != skips ] || { echo "build-module: no compiler" >&2; exit 2; }
END
chmod +x "$MATRIX_RUN" "$MATRIX_FETCH" "$MATRIX_MODULE"

# ends STATUS KERNEL...: the matrix of these kernels ends with STATUS.
ends() {
	local due=$1 status
	shift

	"$top/scripts/matrix" "$@" >"$said" 2>"$err"
	status=$?
	same "status $status" "status $due"
}
row() { same "$(grep "^$1 " "$said" | tr -s ' ')" "$2"; }
json() { same "$(jq -c "$1" "$B/results/matrix.json")" "$2"; }

# The page says of each rule and kernel what the JSON does.
page_agrees() {
	local page=$B/results/report.html rule name cell n=0

	while IFS=$'\t' read -r rule name cell; do
		same "$rule $name $(page_cell "$page" "$rule" "$name")" "$rule $name $cell" || return
		n=$((n + 1))
	done < <(jq -r '.rules[] as $r | .kernels[] | .cells[$r] as $c |
		"\($r)\t\(.name)\t\($c.passed)/\($c.failed)/\($c.skipped)"' "$B/results/matrix.json")
	[ "$n" -gt 0 ]
}

# page_cell PAGE RULE KERNEL: the cell as the table in the terminal has it
page_cell() {
	local cells column text

	column=$(grep -A 1 'id=rules' "$1" | grep -o '<th scope=col>[^<]*' | grep -n ">$3\$" | cut -d: -f 1)
	cells=$(sed -n "s|^<tr><th scope=row>$2 <small>[^<]*</small><td[^>]*>||p" "$1" | sed 's|<td[^>]*>|;|g; s|<[^>]*>||g')
	text=$(cut -d ';' -f $((column - 1)) <<<"$cells")
	for word in ok failed skipped; do
		grep -o "[0-9]* $word" <<<"$text" || echo 0
	done | sed 's/ .*//' | paste -sd /
}

# A run that gets SIGNAL while a guest runs; the stand-in has to have been ended in order.
interrupted() {
	local pid status

	env --default-signal=INT "$top/scripts/matrix" slow >"$said" 2>"$err" &
	pid=$!
	until_ok test -s "$B/results/slow/pid" || return 1
	kill "-$2" "$pid"
	wait "$pid"
	status=$?
	same "status $status" "status $1" && [ ! -e "$B/results/slow/pid" ]
}

no_rule() {
	echo 'four|5|0|/four' >"$B/suite.plan"
	ends 2 good && has "$err" 'no rule in vm/rules for the test four'
}

# The pattern of the test as a whole is none of a case: they are held against those with a "/".
each_case_has_rules() {
	local file pattern name without=''

	for file in "$top"/selftests/cases/*.case; do
		name=cases/$(basename "$file" .case)
		while read -r pattern _; do
			# shellcheck disable=SC2053 # it is a pattern
			[[ $pattern != */* || $name != $pattern ]] || continue 2
		done < <(grep '^[^#]' "$top/vm/rules")
		without+=" $name"
	done
	same "without a rule:$without" 'without a rule:'
}

tap_plan 37
check "an unknown kernel" ends 2 none
check "two kernels, one of them with a failure" ends 1 good bad
check "the head names the kernels" row rule 'rule good bad'
check "a rule by kernel" row K1 'K1 1/0/0 1/0/0'
check "a rule of two tests" row K2 'K2 2/0/0 1/1/0'
check "a second rule of a test, K10 last" row K10 'K10 1/0/0 0/1/0'
check "how the guests ended" row guest 'guest ended well rule broken'
check "a result of two rules is one in the sum" last_is "$said" '5 passed, 1 failed, 0 skipped'
check "a failure is named" has "$said" '^# bad: failed: one/b$'
check "JSON has what was resolved" json '.kernels[0] | [.release, .suite, .package, .version, .qemu, .accelerator]' '["9.9-good","suite","linux-image-good","9.9-1","0.0","none"]'
check "JSON has each result" json '.kernels[1].results[1] | [.test, .result, .rules, .outcome]' '["one","b",["K2","K10"],"failed"]'
check "Markdown has the table" has "$B/results/matrix.md" '^| K2 | 2/0/0 | 1/1/0 |$'
check "a kernel that cannot be had" ends 2 good lost
check "is shown as such" row K1 'K1 1/0/0 not to be had'
check "with the reason" has "$said" '^# lost: not to be had: fetch-kernel: gone'
check "and is a failure" last_is "$said" '3 passed, 1 failed, 0 skipped'
check "more kernels than guests at a time" ends 3 good skips dies bad gap
check "each in its column" row guest 'guest ended well ended well crashed rule broken ended well'
check "with its own counts" row K2 'K2 2/0/0 1/0/1 0/2/0 1/1/0 1/0/0'
check "the page has the same counts" page_agrees
check "a guest that crashed is the worst" ends 3 dies bad lost
check "and is shown" row guest 'guest crashed rule broken not to be had'
check "the page has the same counts, and the kernel that cannot be had" page_agrees
check "as such" has "$B/results/report.html" '<b>no results</b>'
check "a set-up without results is a failure" ends 2 good mute
check "and is shown" row K2 'K2 2/0/0 no results'
check "a skip" ends 0 skips
check "is shown with its reason" has "$said" '^# skips: skipped: one/b (no such thing)$'
check "a module that cannot be built is told" has "$said" '^# skips: no test module: build-module: no compiler$'
check "a result without a rule is an error" ends 2 good new
check "and is told" has "$said" 'no rule in vm/rules for the test three/x'
check "a rule without a result is a failure" ends 1 good gap
check "and is told" has "$said" '^# gap: failed: no result at all for K10$'
check "INT ends the guests" interrupted 130 INT
check "TERM ends the guests" interrupted 143 TERM
check "a planned test without a rule" no_rule
check "each case of the suite has one" each_case_has_rules
tap_end
