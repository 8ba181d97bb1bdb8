#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/disk-image: the same bytes each time, and what it makes boots without anything of ours on
# the host, by BIOS, by UEFI, and as a kernel with an initramfs, and says what came out.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"

"$top/vm/fetch-kernel" 6.1 || exit 1
said=$scratch/said err=$scratch/err
qemu=(qemu-system-x86_64 -accel "tcg,thread=single" -cpu max -smp 2 -m 512M -display none -monitor none -no-reboot)
exit_port=(-device "isa-debug-exit,iobase=0xf4,iosize=0x04")

make_image() { B=$scratch/$1 "$top/vm/disk-image" >"$said" 2>"$err"; }
later() { [ "$EPOCHSECONDS" -gt $((made + 2)) ]; }	# than FAT can tell
# Another folder, time, time zone and mode of new files, but the same input.
same_again() {
	mkdir "$scratch/other" && cp -r "$scratch/fine/." "$scratch/other/" && rm -rf "$scratch/other/image" &&
		until_ok later && (umask 077 && TZ=Asia/Tokyo make_image other) || return 1
	for file in initramfs plan perfwake.img; do
		cmp "$scratch/fine/image/$file" "$scratch/other/image/$file" || return 1
	done
}
another() { make_image bad && ! cmp -s "$scratch/fine/image/perfwake.img" "$scratch/bad/image/perfwake.img"; }

# refused TEXT ARGUMENT...: one line with TEXT, status 2, and no image.
refused() {
	mkdir -p "$scratch/none" && ln -sfn "$build/vm" "$build/kernels" "$scratch/none/" &&
		B=$scratch/none one_line "$1" "$top/vm/disk-image" "${@:2}" && same "$(find "$scratch/none" -name 'image*')" ""
}

# boots NAME STATUS ARGUMENT...: QEMU with ARGUMENTs ends with STATUS; the console is NAME.log.
boots() {
	local log=$scratch/$1.log due=$2 status
	shift 2

	timeout 300 "${qemu[@]}" -serial "file:$log.raw" "$@" >"$scratch/qemu" 2>&1
	status=$?
	tr -d '\r' <"$log.raw" >"$log"
	same "status $status" "status $due" && return
	tail -n 5 "$log" "$scratch/qemu"
	return 1
}
disk() { printf '%s\n' "file=$scratch/$1/image/perfwake.img,format=raw,snapshot=on"; }
answers() { has "$scratch/$1.log" "^$2\$" && has "$scratch/$1.log" "^$3\$"; }

lab fine <<EOF
good|20|0|$m good
skip|20|0|$m skip|made for this
EOF
lab bad <<EOF
good|20|0|$m good
failing|20|0|$m failing
EOF
lab panic <<EOF
good|20|0|$m good
panic|20|0|$m panic
EOF

# The results port's own bytes, judged by the plan that is published beside the image.
judged() {
	mkdir "$scratch/work" && "$build/vm/results" -p "$scratch/fine/image/plan" -w "$scratch/work" -o "$scratch/out" <"$scratch/port" >"$said" 2>"$err" &&
		last_is "$said" "2 passed, 0 failed, 1 skipped"
}

# No serial port: the answer is on the screen, and in the status.
on_a_screen() {
	timeout 300 "${qemu[@]}" -serial none -drive "$(disk fine)" "${exit_port[@]}" >"$scratch/qemu" 2>&1
	same "status $?" "status 3"
}
panics() {
	make_image panic && boots panic 0 -drive "$(disk panic)" && has "$scratch/panic.log" '^ok 1 good$' &&
		has "$scratch/panic.log" 'Kernel panic' && lacks "$scratch/panic.log" '# status'
}

ovmf=/usr/share/OVMF/OVMF_CODE.fd
tap_plan 22
check "help" "$top/vm/disk-image" --help
check "an unknown option" refused usage --frob
check "two kernels" refused usage 6.1 6.12
check "no kernel of that name" refused 'no kernel 99.9' 99.9
check "a file that is no kernel" refused 'is no kernel' "$0"
check "no suite" refused 'no suite in' 6.1
check "an image" make_image fine
made=$EPOCHSECONDS
check "names its files" same "$(cut -f 1 "$said" | tr '\n' ' ')" "$scratch/fine/image/initramfs $scratch/fine/image/perfwake.img $scratch/fine/image/plan "
check "leaves nothing else" same "$(find "$scratch/fine/image" -mindepth 1 | wc -l)" 3
check "the same input, the same bytes" same_again
check "by BIOS" boots bios 0 -drive "$(disk fine)"
check "says what came out" answers bios '# status 0' '2 passed, 0 failed, 1 skipped'
check "without a serial port" on_a_screen
if [ -r "$ovmf" ]; then
	check "by UEFI, with a way out" boots uefi 3 -drive "if=pflash,format=raw,readonly=on,file=$ovmf" -drive "$(disk fine)" -net none "${exit_port[@]}"
	check "says what came out" answers uefi '# status 0' '2 passed, 0 failed, 1 skipped'
else
	echo "ok 14 by UEFI # SKIP no $ovmf: run scripts/deps --image"
	echo "ok 15 says what came out # SKIP no $ovmf: run scripts/deps --image"
	tap_nr=15
fi
check "a kernel and the initramfs, with a results port" boots direct 0 -kernel "$build/kernels/6.1/vmlinuz" -initrd "$scratch/fine/image/initramfs" \
	-append "console=ttyS0 panic=-1 PERFWAKE_CONSOLE=0" -serial "file:$scratch/port"
check "says what came out" answers direct '# status 0' '2 passed, 0 failed, 1 skipped'
check "and on the port the same" judged
check "another suite is another image" another
check "a failure" boots bad 5 -drive "$(disk bad)" "${exit_port[@]}"
check "is shown with its reason" answers bad 'not ok 2 failing # exit status 1, 1 of .*' '# status 1'
check "a panic ends without an answer" panics
tap_end
