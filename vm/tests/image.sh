#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/run.sh --image on real guests: inside an image each way in which a test or a guest can go
# wrong has to be seen for what it is, as without one, and the image stays as it is.
#	vm/tests/image.sh [IMAGE]
# IMAGE is a distribution's, with a kernel of its own (make check-images makes a Debian). Without it
# busybox and a stand-in for systemd are an image, which boots in no time.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"

PATH=$PATH:/sbin:/usr/sbin
given=${1-}
"$top/vm/fetch-kernel" 6.1 || exit 1

# tiny NAME: an image with busybox and, as systemd, the script on stdin.
tiny() {
	local root=$scratch/$1.root

	mkdir -p "$root"/{bin,sbin,lib/systemd,proc,dev,sys,run,tmp} && cat >"$root/lib/systemd/systemd" &&
		chmod +x "$root/lib/systemd/systemd" && ln -s ../lib/systemd/systemd "$root/sbin/init" &&
		cp "$build/busybox/busybox" "$root/bin/" || exit 1
	for tool in sh mount mkdir tar sed poweroff grep cat; do ln -s busybox "$root/bin/$tool"; done
	mke2fs -q -t ext4 -E root_owner=0:0 -d "$root" "$scratch/$1.img" 16M >/dev/null || exit 1
}
# What systemd.run= is for systemd: a command line, whose failure powers off.
# shellcheck disable=SC2016 # the guest expands it
stand_in='#!/bin/sh
mount -t proc proc /proc
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs run /run
eval "$(sed "s/.*systemd.run=\"\([^\"]*\)\".*/\1/" /proc/cmdline)"
poweroff -f'

image=$scratch/tiny.img with=(-k 6.1)
"$top/vm/fetch-busybox" || exit 1
tiny tiny <<<"$stand_in"
tiny idle <<<'#!/bin/sh
poweroff -f'
tiny blocked <<<"${stand_in/eval/: >/run/perfwake; eval}"
if [ -n "$given" ]; then
	# A name of its own, with what a name may have.
	image="$scratch/an image, 100% [1].raw"
	ln -s "$(realpath "$given")" "$image" || exit 1
fi
called=$(basename "$image")
called=${called%.*}
called=${called//[^A-Za-z0-9._+-]/_}
sum=$(sha256sum <"$image")

# inside NAME DUE [OPTION...]: run the suite of a lab inside the image; it ends with status DUE.
inside() {
	local lab=$1 due=$2
	shift 2
	ends "$due" "$lab" --image "$image" ${with[@]+"${with[@]}"} "$@"
}
ktap() { has "$scratch/$1/results/$called-6.1/results.ktap" "$2"; }
unlike() { ends 2 "$1" --image "$scratch/$1.img" -k 6.1 -t 60 && has "$scratch/$1.said" "$2"; }
untouched() { same "$(sha256sum <"$image")" "$sum"; }

# A command, which may write where it likes: the image's own files are there, and ours beside them.
command_inside() {
	B=$scratch/fine "$run" --image "$image" ${with[@]+"${with[@]}"} -- "$@" >"$scratch/command.said" 2>"$scratch/command.err"
	same "status $?" "status 0"
}

patience=120
lab fine <<EOF
good|20|0|misbehave good
due|20|1|misbehave failing
echo|20|0|misbehave echo a b
skip|20|0|misbehave skip|made for this
EOF
lab bad <<EOF
good|20|0|misbehave good
hang|1|0|misbehave hang
signal|20|0|misbehave signal
failing|20|0|misbehave failing
noexec|20|0|/bin/none
warn|20|0|misbehave warn
last|20|0|misbehave good
EOF
lab panic <<<"good|20|0|misbehave good
panic|20|0|misbehave panic
never|20|0|misbehave good"
for l in blocked idle; do lab "$l" <<<"good|20|0|misbehave good"; done

if [ -n "$given" ]; then tap_plan 39; else tap_plan 20; fi
check "a suite in order" sets_limit inside fine 0
check "is counted" said fine "4 passed, 0 failed, 1 skipped"
check "says which image" ktap fine "^# in the image ${image//[][]/.}, root on "
check "leaves the image as it was" untouched
check "a suite of misfits" inside bad 3
check "a hung test is ended" ktap bad '^not ok 2 hang # not done after 1 s'
check "a signal" ktap bad '^not ok 3 signal # killed by signal 6'
check "a failure" ktap bad '^not ok 4 failing # exit status 1, 1 of'
check "a program that is not there" ktap bad '^not ok 5 noexec # cannot be started'
check "a kernel warning" ktap bad '^not ok 6 warn # the kernel complained'
check "is shown" ktap bad '^# kernel log: WARNING: CPU: 0 PID: 1 at made'
check "does not stick to the next test" ktap bad '^ok 7 last$'
check "a panic" inside panic 3
check "what came before is kept" ktap panic '^ok 1 good$'
check "where it came is seen" ktap panic '^not ok 2 panic # missing: the guest ended in it'
check "what did not come is marked" ktap panic '^not ok 3 never # missing: never begun'
# shellcheck disable=SC2016 # the guest expands it
check "a program of the image, and a file of the host" command_inside sh -c 'mount | grep -c " on / " >/one && cat /one "$0"' "$scratch/blocked/suite.plan"
check "are both there, and what is written goes to a copy" same "$(tr '\n' ' ' <"$scratch/command.said")" "1 good|20|0|misbehave good "
check "an image that cannot unpack the tests" unlike blocked 'the image could not unpack the tests'
if [ -n "$given" ]; then
	lab failing <<<"failing|20|0|misbehave failing
last|20|0|misbehave good"
	lab noexec <<<"noexec|20|0|/bin/none"
	lab wedge <<<"good|20|0|misbehave good
wedge|2|0|misbehave wedge"
	lab hung <<<"hang|1|0|misbehave hang
lives|20|0|lives"
	printf '%s\n' '#!/bin/sh' 'exec grep -q systemd-journal /proc/[0-9]*/comm' >"$scratch/lives"
	chmod +x "$scratch/lives"
	echo "/bin/lives $scratch/lives" >>"$scratch/hung/suite.files"
	lab killed <<<"good|20|0|misbehave good
hang|60|0|misbehave hang"
	check "a failure alone" inside failing 1
	check "is counted" said failing "3 passed, 1 failed, 0 skipped"
	check "a missing program alone" inside noexec 2
	check "a guest that hangs" inside wedge 3 -t "$limit"
	check "is ended at its limit" ktap wedge "^# partial results: the guest was not done after $limit s"
	check "a test that hangs" inside hung 3
	check "is ended, and no service of the image with it" ktap hung '^ok 2 lives$'
	check "Ctrl-C" half_way killed 130 run INT --image "$image" "${with[@]}"
	check "keeps what there is" ktap killed '^ok 1 good$'
	check "an image that never starts the tests" unlike idle 'the image never started the tests: expected is'
	check "the kernel of -k" command_inside uname -r
	check "is the one that runs" last_is "$scratch/command.said" "$(cat "$build/kernels/6.1/release")"
	with=()
	check "the image's own kernel" inside fine 0
	check "is counted" said fine "4 passed, 0 failed, 1 skipped"
	check "which kernel runs" command_inside uname -r
	check "that one" has "$scratch/fine.said" ", kernel from the image: /boot/vmlinuz-$(tail -n 1 "$scratch/command.said" | grep .)\$"
	check "the image is as it was" untouched
	qemu-img convert -O qcow2 "$given" "$scratch/other.qcow2"
	image=$scratch/other.qcow2
	check "qcow2" inside fine 0
	check "is counted" said fine "4 passed, 0 failed, 1 skipped"
fi
check "no QEMU is left" same "$(qemu_of '')" ""
tap_end
