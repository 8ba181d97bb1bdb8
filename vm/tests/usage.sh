#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/run.sh and vm/image that need no guest: what is refused, and how a run ends
# whatever QEMU does. A script stands in for QEMU.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/stand-in.sh"

stand_in_lab
run=$top/vm/run.sh
err=$scratch/err said=$scratch/said

# refused TEXT ARGUMENT...: run.sh says one line with TEXT and ends with status 2.
refused() { one_line "$1" "$run" "${@:2}"; }
# with NAME=VALUE FUNCTION...: with this in its environment.
with() { local -x "$1"; "${@:2}"; }

# A file with the magic of a bzImage; nobody boots it.
kernel=$scratch/bzImage
stand_in_kernel >"$kernel"

begin='printf "B 2 2 2 port 9.9\nT 1\nL 1 hi\nR 1 ok exit 0\nT 2\n"'
fake dumb <<<'exit 1'
fake full <<<'echo "qemu: cannot set up guest memory" >&2; exit 1'
fake slow <<<"$begin; sleep 1000"
fake stubborn <<<"$begin; trap '' TERM; while :; do sleep 1000; done"
fake dies <<<"$begin; kill -KILL \$\$"
fake wrong <<<"$begin; printf 'R 2 ok exit 0\nE 0 2 0 0 6 60\n'; exit 0"
fake right <<<"echo \"\$*\" >'$scratch/words'; $begin; printf 'R 2 ok exit 0\nE 0 2 0 0 6 60\n'; exit 3"

# ends STATUS NAME OPTION...: run.sh with the QEMU called NAME ends with STATUS.
ends() {
	local due=$1 name=$2 status
	shift 2

	rm -f "$scratch/$name.pid"
	QEMU=$scratch/$name "$run" -k "$kernel" "$@" >"$said" 2>"$err"
	status=$?
	same "status $status" "status $due"
}

pid_of() { cat "$scratch/$1.pid"; }

# interrupted STATUS SIGNAL PATTERN: a run that gets SIGNAL when PATTERN was said.
interrupted() {
	local pid status

	rm -f "$scratch/slow.pid"
	: >"$said"	# what an earlier run said there would have the signal come before this one is there
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
# A built tree, as far as run.sh looks at one: with all options, in a git tree, and one without an option.
tree=$scratch/tree
mkdir -p "$tree/arch/x86/boot" "$tree/scripts/kconfig" "$scratch/poor"
cp "$kernel" "$tree/arch/x86/boot/bzImage"
touch "$tree/scripts/kconfig/merge_config.sh"
grep -h ^CONFIG_ "$top/selftests/config" "$top/vm/guest.config" >"$tree/.config"
cp -r "$tree/." "$scratch/poor"
sed -i '/^CONFIG_BPF_EVENTS=/d; s/^CONFIG_SERIAL_8250=.*/CONFIG_SERIAL_8250=m/' "$scratch/poor/.config"
git_in() { git -C "$tree" -c init.defaultBranch=main -c user.name=x -c user.email=x@x "$@"; }
git_in init -q && git_in commit -q --allow-empty -m one
from_a_tree() { ends 0 right -k "$tree" && has "$results/results.ktap" "kernel from $tree at $(git_in rev-parse --short=12 HEAD)\$"; }
# The folder that a kernel was built in with O= has a link to its source.
from_objects() {
	mkdir -p "$scratch/obj/arch" && ln -s "$tree" "$scratch/obj/source" && cp -r "$tree/arch/x86" "$scratch/obj/arch/" &&
		cp "$tree/.config" "$scratch/obj/" && ends 0 right -k "$scratch/obj"
}
from_below() { cp -r "$scratch/obj" "$tree/below" && rm "$tree/below/source" && cp -r "$tree/scripts" "$tree/below/" && ends 0 right -k "$tree/below" && has "$results/results.ktap" "kernel from $tree/below\$"; }
elsewhere() { ends 0 right -o "$scratch/new/out" && has "$scratch/new/out/results.ktap" '^ok 2 second$' && same "$(ls -A "$scratch/new")" out; }
keeps_what_is_there() { mkdir -p "$scratch/mine" && touch "$scratch/mine/file" && refused 'something else than results' -o "$scratch/mine" && [ -e "$scratch/mine/file" ]; }
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
# Two readings of the TSC agree to a hundredth of a percent, and a guest that reads it is told the like.
# What a busy emulator makes of it was nine tenths wrong.
like() { [ $((($1 - $2) * 10000 / $2)) -eq 0 ] || { echo "$1 kHz and $2 kHz"; return 1; }; }
told_tsc() {
	local khz
	khz=$("$build/vm/tsc") || { lacks "$scratch/words" tsc_early_khz; return; }
	like "$khz" "$("$build/vm/tsc")" && like "$(grep -o 'tsc_early_khz=[0-9]*' "$scratch/words" | cut -d = -f 2)" "$khz"
}
accelerator() { ACCEL=$1 QEMU=$scratch/right "$run" -k "$kernel" >"$said" 2>"$err" && has "$results/results.ktap" "^# QEMU .*accelerator $1,"; }

# ext4 NAME COMMAND...: an image with what COMMAND, a line for bash, makes in its folder.
PATH=$PATH:/sbin:/usr/sbin
ext4() {
	mkdir -p "$scratch/$1.root"/{sbin,boot} && (cd "$scratch/$1.root" && eval "$2") &&
		mke2fs -q -t ext4 -O ^has_journal -d "$scratch/$1.root" "$scratch/$1.img" 1M >/dev/null
}
systemd='ln -s ../lib/systemd/systemd sbin/init'
{ ext4 other 'ln -s busybox sbin/init' && ext4 none : && ext4 bare "$systemd" && ext4 bad "$systemd; echo x >boot/vmlinuz-9" &&
	ext4 whole "$systemd; echo x >boot/vmlinuz-9.9; cp '$kernel' boot/vmlinuz-9.10"; } || exit 1
truncate -s 4M "$scratch/dos.img" "$scratch/swap.img"
{ sfdisk -q "$scratch/dos.img" <<<'start=2048, type=c' && mkswap -q "$scratch/swap.img"; } >/dev/null 2>&1 || exit 1
own_kernel() {
	QEMU=$scratch/right "$run" --image "$scratch/whole.img" >"$said" 2>"$err" &&
		has "$B/results/whole-9.9-made-up/results.ktap" 'kernel from the image: /boot/vmlinuz-9.10$'
}

tap_plan 71
check "help" "$run" --help
check "an unknown option" refused 'unknown option' --frob
check "a word where none belongs" refused 'unexpected word' frob
check "an option without its value" refused 'needs a value' -c
check "a warning without its text" refused 'needs a value' --warns
check "a shell and a warning" refused 'do not go together' --shell --warns x
check "no number of CPUs" refused 'CPUs are' -c zero
check "no amount of memory" refused 'memory is' -m lots
check "no number of seconds" refused 'limit is' -t 0
check "more seconds than a plan can have" refused 'limit is' -t 86401
check "no command behind --" refused 'no COMMAND' --
check "a consumer that is not built" refused 'bcc-py is not built' -k "$kernel" -- /bin/none --consumer=bcc-py
check "no kernel of that name" refused 'no kernel' -k 99.9
check "a file that is no kernel" refused 'is no kernel' -k "$run"
check "a tree that is not built" refused 'build that kernel' -k "$scratch"
check "a tree that lacks options" refused 'lacks options: CONFIG_BPF_EVENTS=y (there it is n), CONFIG_SERIAL_8250=y (there it is m); to merge them .*--build' -k "$scratch/poor"
check "an image without its name" refused '--image needs a value' -k "$kernel" --image ''
check "no image of that name" refused 'no image /none' --image /none
check "a folder for an image" refused 'has to be a file' --image "$scratch"
check "what is no image" refused 'is no disk image' --image "$kernel"
check "an image without a partition of Linux's" refused "has no partition of Linux's (dos table)" --image "$scratch/dos.img"
check "one without a file system that we know" refused 'in a file system (swap)' --image "$scratch/swap.img"
check "one that starts something else" refused 'does not start systemd as PID 1 (its /sbin/init is busybox)' --image "$scratch/other.img"
check "one that starts nothing" refused 'does not start systemd as PID 1 (its /sbin/init is not a link' --image "$scratch/none.img"
check "one without a kernel" refused 'no /boot/vmlinuz' --image "$scratch/bare.img"
check "one whose kernel is none" refused 'is no kernel that can boot' --image "$scratch/bad.img"
check "an image and a shell" refused 'does not go together' --image "$scratch/bare.img" --shell
check "an image and a debugger" refused 'does not go together' --image "$scratch/bare.img" --gdb
check "an image and consumers" refused 'does not go together' --image "$scratch/bare.img" --consumers
check "building what is no tree" refused 'needs a kernel tree' -k "$kernel" --build
check "a folder of results with something else in it" keeps_what_is_there
check "no QEMU" with QEMU=/none refused 'no /none' -k "$kernel"
check "a folder that cannot be written" env B=/proc/none bash -c "! '$run' -k '$kernel' 2>/dev/null"
check "no accelerator" with ACCEL=frob refused 'ACCEL=frob' -k "$kernel"
check "KVM when it is asked for" accelerator kvm
check "has the guest find its clocks itself" lacks "$scratch/words" tsc_early_khz
check "none when none is asked for" accelerator tcg
check "tells the guest how fast its clock counts" told_tsc
check "an image is the same each time" same_image
check "a QEMU that fails at once" ends 2 dumb
check "says so" has "$said" 'never said anything'
check "a QEMU that complains" ends 2 full
check "its complaint is shown" has "$said" 'QEMU: qemu: cannot set up guest memory'
check "a QEMU in order" ends 0 right
check "its results are in place" has "$results/results.ktap" '^ok 2 second$'
check "as JSON, too" same "$(jq -c '[.kernel, .passed, .failed, .complete]' "$results/results.json")" '["9.9",2,0,true]'
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
check "a built tree" from_a_tree
check "one that was built elsewhere" from_objects
check "one in a repository that is not its own" from_below
check "results in another folder" elsewhere
check "and once more there" elsewhere
check "an image, and a kernel" ends 0 right --image "$scratch/bare.img"
check "its results have its name" has "$B/results/bare-9.9-made-up/results.ktap" "^# in the image $scratch/bare.img, root on the whole disk\$"
check "its own kernel, of two the newer" own_kernel
echo 'x|y|z' >>"$B/suite.plan"
check "a bad line in the suite" refused 'test x' -k "$kernel"
tap_end
