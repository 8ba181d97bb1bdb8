#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/run.sh under fire. First, with a script in QEMU's place: a disk that is full, and a
# Ctrl-C, at every moment of a run, and several runs at once. Then real guests whose kernel is in
# trouble and goes on, hangs, or has no memory left, and guests that flood the results port.
# shellcheck disable=SC2317,SC2015 # functions are called through check; a chain may fail anywhere
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/stand-in.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"

"$top/vm/fetch-kernel" 6.1 || exit 1
kernel=$scratch/bzImage disk=$scratch/disk err=$scratch/err said=$scratch/said
stand_in_kernel >"$kernel"
mkdir "$disk"

# A guest's whole stream, of some pages; the @ are for the guest's own word, by which runs are told apart.
{
	printf '%s\n' 'B 2 2 2 port 9.9-made-up' 'T 1' 'L 1 KTAP version 1' 'L 1 1..1' 'L 1 ok 1 word-@@@@@@@' 'R 1 ok exit 0' 'T 2'
	yes 'L 2 # so that it takes more than a page of the disk, and no part of it comes at once' | head -n 200
	printf '%s\n' 'R 2 ok exit 0'
} | awk '{ print; bytes += length + 1 } END { print "E 0 2 0 0", NR, bytes }' >"$scratch/stream"
fake talks <<<"cat '$scratch/stream'; exit 3"
for n in 0 1 2; do fake word$n <<<"sed s/@@@@@@@/number$n/ '$scratch/stream'; exit 3"; done
fake waits <<<"head -n 6 '$scratch/stream'; echo; sleep 1000"

# --- the disk is full

# is_whole FOLDER: each file there is one run's from its begin to its end, and the results are there.
is_whole() {
	local file

	for file in "$1"/* "$1"/.[!.]*; do
		case ${file##*/} in
		results.ktap) last_is "$file" '# status 0' ;;
		results.json) jq -e .complete "$file" >/dev/null ;;
		junit.xml) last_is "$file" '</testsuites>' ;;
		report.html) has "$file" '</html>$' ;;
		'*' | '.[!.]*') ;;
		*) echo "what is $file?"; cat "$file"; false ;;
		esac || { echo "of $file: $(wc -c <"$file") bytes"; return 1; }
	done
	[ -e "$1/results.ktap" ]
}

# A run with KIB left on the disk, on which there are results of an earlier one: it ends with 0, or
# with 2 and one line; what is there is the old or the new.
with_room() {
	local status

	mount -t tmpfs -o "size=$1k" none "$disk" && mkdir "$disk/out" && echo old >"$disk/out/results.ktap" || return 1
	QEMU=$scratch/talks "$run" -k "$kernel" -o "$disk/out" >"$said" 2>"$err"
	status=$?
	case $status in
	0) is_whole "$disk/out" && [ -e "$disk/out/report.html" ] && echo whole >>"$scratch/moments" ;;
	2) same "$(wc -l <"$err")" 1 && cat "$err" >>"$scratch/moments" &&
		{ same "$(ls -A "$disk/out") $(cat "$disk/out/results.ktap")" 'results.ktap old' >/dev/null || is_whole "$disk/out"; } ;;
	*) same "status $status" 'status 0 or 2' ;;
	esac && same "$(ls -A "$disk")" out || { echo "with $1 KiB:"; cat "$err"; ls -lA "$disk" "$disk/out"; umount "$disk"; return 1; }
	umount "$disk"
}
# In pages of memory, from none to more than enough; the image alone needs nearly all of that.
every_room() {
	local image room

	QEMU=$scratch/talks "$run" -k "$kernel" --keep -o "$scratch/kept" >"$said" 2>"$err" || return
	image=$(du -k "$(sed -n 's/^# kept: //p' "$err")/initramfs" | cut -f 1)
	for ((room = 4; room < image + 400; room += room < 12 || room >= image - 4 ? 4 : image - room - 4)); do
		with_room "$room" || return
		[ "$(grep -cx whole "$scratch/moments")" -lt 2 ] || return 0
	done
	echo "no run was whole"
	return 1
}
disk_full() {
	export scratch run kernel disk err said
	export -f every_room with_room is_whole same has last_is
	unshare -rm bash -c every_room
}
ended() { grep -q "$1" "$scratch/moments" || { echo "no run ended so: $1"; sort "$scratch/moments" | uniq -c; return 1; }; }

# --- Ctrl-C

# As a terminal does it, at once to all of its foreground: MILLISECONDS after a run with the QEMU NAME began.
# Sets status. Nothing runs on, no folder is left but that of results, which is whole, or marked, or the old one.
ctrl_c_after() {
	local pid old

	old=$(cat "$results/results.ktap" 2>/dev/null)
	rm -f "$scratch/$2.pid"
	QEMU=$scratch/$2 setsid env --default-signal=INT "$run" -k "$kernel" -t 20 >"$said" 2>"$err" &
	pid=$!
	until_ok grep -qsx run.sh "/proc/$pid/comm" || return
	read -r -t "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))" <>"$scratch/never"
	kill -INT -- "-$pid" 2>/dev/null
	wait "$pid"
	status=$?
	until_ok session_gone "$pid" && { [ ! -e "$scratch/$2.pid" ] || until_ok gone "$(cat "$scratch/$2.pid")"; } &&
		same "$(ls -A "$B/results")" "$(ls "$B/results")" && same "$(wc -l <"$err")" 0 || { cat "$err"; return 1; }
	[ -e "$results" ] || return 0
	same "$(cat "$results/results.ktap")" "$old" >/dev/null || has "$results/results.ktap" '^# partial results: interrupted by signal 2$' ||
		is_whole "$results"
}
# Moments from none to that at which such a run was seen to be over, and some more.
ctrl_c_always() { # NAME STATUS
	local i first took

	first=$(date +%s%3N)
	if [ "$1" = talks ]; then QEMU=$scratch/talks "$run" -k "$kernel" >"$said" 2>"$err" || return; else took=700; fi
	took=${took:-$(($(date +%s%3N) - first))}
	: >"$scratch/moments"
	for ((i = 0; i <= 20; i++)); do
		ctrl_c_after $((took * i / 16)) "$1" || { echo "after $((took * i / 16)) ms, status $status"; return 1; }
		echo "$status" >>"$scratch/moments"
		[[ " $2 " == *" $status "* ]] || { echo "status $status after $((took * i / 16)) ms"; return 1; }
	done
}

# --- several at once

# Three runs that begin at once, each with a word of its own in its results: all are well, and what
# is there afterwards is of one of them.
at_once() {
	local pids=() n word round

	for ((round = 0; round < 8; round++)); do
		# In every other round there is nothing yet.
		((round % 2)) || rm -rf "$results"
		for n in 0 1 2; do
			QEMU=$scratch/word$n "$run" -k "$kernel" >/dev/null 2>"$err.$n" &
			pids[n]=$!
		done
		for n in 0 1 2; do
			wait "${pids[n]}" || { echo "status $?"; cat "$err.$n"; return 1; }
		done
		word=$(grep -o 'word-number[0-9]$' "$results/results.ktap") && is_whole "$results" || return
		same "$(jq -r '.tests[0].results[0].name' "$results/results.json")" "$word" && has "$results/junit.xml" "\"$word\"" &&
			has "$results/report.html" "$word" && same "$(ls -A "$B/results")" "${results##*/}" || return
	done
}

# --- guests

# limit is theirs, too: see sets_limit.
lab trouble <<EOF
good|20|0|$m good
eat|20|0|$m eat
after-eat|20|0|$m good
fill|20|0|$m fill
after-fill|20|0|$m good
oops|20|0|$m kernel oops
after-oops|20|0|$m good
bug|20|0|$m kernel bug
after-bug|20|0|$m good
warn|20|0|$m kernel warn
after-warn|20|0|$m good
sleep|1|0|$m kernel sleep
last|20|0|$m good
EOF
lab spin <<EOF
good|20|0|$m good
spin|2|0|$m kernel spin
never|20|0|$m good
EOF
for l in bytes line lines; do lab $l <<EOF; done
good|20|0|$m good
flood|2|0|$m port $l
last|20|0|$m good
EOF
lab full <<EOF
good|20|0|$m good
flood|20|0|$m flood
again|20|0|$m flood
EOF

# The module is built in a copy: kbuild writes beside the sources.
misfit() {
	"$top/vm/fetch-headers" 6.1 && cp -r "$top/vm/tests/misfit" "$scratch/" &&
		make -s -C "$build/headers/6.1/kdir" M="$scratch/misfit" CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= \
			CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$scratch/misfit.log" 2>&1 || return 1
	for l in trouble spin; do echo "/lib/misfit.ko $scratch/misfit/misfit.ko" >>"$scratch/$l/suite.files"; done
}
# What a guest is told over its port by another than PID 1: no pass, in time, and few bytes here.
flooded() { # NAME
	ends 3 "$1" && [ "$(du -sk "$scratch/$1/results/6.1" | cut -f 1)" -lt 1000 ] &&
		iconv -f UTF-8 -t UTF-8 "$scratch/$1/results/6.1/results.ktap" >/dev/null && same "$(qemu_of "$1")" ''
}
# More from tests than anybody reads: bounded, and marked.
much() {
	local work=$scratch/much

	mkdir "$work" && printf '%s\0' perfwake-plan-2 suite '' 1 one 5 0 '' 1 /bin/one >"$scratch/plan" || return
	{ printf 'B 2 1 2 port 9.9\nT 1\n'; yes "L 1 $(printf '%0900d' 0)" | head -n 80000; printf 'R 1 ok exit 0\n'; } |
		"$build/vm/results" -b -p "$scratch/plan" -w "$work" -o "$scratch/much.out" >"$said" 2>&1
	same "status ${PIPESTATUS[1]}" 'status 3' && has "$scratch/much.out/results.ktap" '^# partial results: .* lines of tests were dropped' &&
		[ "$(stat -c %s "$scratch/much.out/results.ktap")" -lt 68000000 ]
}
# A real guest that fills what is left of the disk.
full_guest() {
	local image status

	image=$(du -k "$(sed -n 's/^# kept: //p' "$scratch/fine.err")/initramfs" | cut -f 1)
	mount -t tmpfs -o "size=$((image + 24))k" none "$disk" && mkdir "$disk/out" && echo old >"$disk/out/results.ktap" || return 1
	B=$scratch/full "$run" -o "$disk/out" >"$said" 2>"$err"
	status=$?
	same "status $status" 'status 2' && same "$(wc -l <"$err")" 1 && same "$(ls -A "$disk") $(cat "$disk/out/results.ktap")" 'out old' ||
		{ cat "$err"; return 1; }
}
disk_full_of_guest() {
	export -f full_guest
	unshare -rm bash -c full_guest
}

stand_in_lab
ln -s "$build/perfwake" "$B/perfwake"
results=$B/results/9.9-made-up

skip() { # WHY NAME...
	local name

	for name in "${@:2}"; do
		tap_nr=$((tap_nr + 1))
		echo "ok $tap_nr $name # SKIP $1"
	done
}

tap_plan 43
if unshare -rm mount -t tmpfs none "$disk" 2>/dev/null; then
	check "a full disk, at any moment" disk_full
	check "when the folder is made" ended '^vm/run.sh: cannot write'
	check "when the image is made" ended '^image: no image'
	check "when results come" ended '^results: cannot write'
	check "when they are exported" ended '^export: cannot write'
	check "when the page is written" ended '^vm/finish: no report.html'
else
	skip "mounting a small disk needs root or user namespaces" "a full disk, at any moment" "when the folder is made" \
		"when the image is made" "when results come" "when they are exported" "when the page is written"
fi
check "Ctrl-C at any time of a guest that goes on" ctrl_c_always waits 130
check "Ctrl-C at any time of a guest that ends" ctrl_c_always talks '130 0'
check "some of them came in time" ended 130
check "several runs at once" at_once
check "more lines than anybody reads" much

check "bytes on the results port" sets_limit flooded bytes
check "keep what was proved" ktap bytes '^ok 1 good$'
check "and what comes behind them" ktap bytes '^ok 3 last$'
check "are told" ktap bytes '^# the results port says what it should not'
check "a line without end on the results port" flooded line
check "keeps what comes behind it" ktap line '^ok 3 last$'
check "lines like those of PID 1 on the results port" flooded lines
check "prove nothing of another test" lacks "$scratch/lines/results/6.1/results.ktap" '^ok 3'
check "keep what was proved" ktap lines '^ok 1 good$'

check "a module that makes trouble" misfit
check "a kernel in trouble that goes on" ends 3 trouble
check "no memory left" ktap trouble '^not ok 2 eat # the kernel complained meanwhile'
check "is shown" ktap trouble '^# kernel log: Out of memory: Killed process .*misbehave'
check "the next one runs" ktap trouble '^ok 3 after-eat$'
check "files in memory" ktap trouble '^ok 4 fill$'
check "leave some for the next one" ktap trouble '^ok 5 after-fill$'
check "an oops" ktap trouble '^not ok 6 oops # the kernel complained meanwhile'
check "is shown, too" ktap trouble '^# kernel log: Oops: '
check "the one behind it runs" ktap trouble '^ok 7 after-oops$'
check "a BUG" ktap trouble '^not ok 8 bug # the kernel complained meanwhile'
check "and the one behind it" ktap trouble '^ok 9 after-bug$'
check "a WARN" ktap trouble '^not ok 10 warn # the kernel complained meanwhile'
check "and the one behind that" ktap trouble '^ok 11 after-warn$'
check "a hang in the kernel" ktap trouble '^not ok 12 sleep # not done after 1 s, and it cannot be killed'
check "does not hinder the last" ktap trouble '^ok 13 last$'
check "all is counted" said trouble "15 passed, 5 failed, 0 skipped"
check "a hang of every CPU in the kernel" ends 3 spin -t "$limit"
check "keeps what was proved" ktap spin '^ok 1 good$'
check "names the test" ktap spin '^not ok 2 spin # missing: the guest ended in it'
check "and what did not run" ktap spin '^not ok 3 never # missing: never begun'
check "is told" ktap spin "not done after $limit s"
check "no QEMU is left" same "$(qemu_of '')" ""
tap_end
