# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what it sets and needs is the script's that sources it
# Sourced by vm/run.sh for --image: looks into a distribution's disk image without root, takes its
# kernel out, and packs the tests as a second disk. Needs build, tmp, die, pairs.
#
# Both disks are namespaces of one NVMe controller, because NVMe and ext4 are built into stock cloud
# kernels, so that a kernel given with -k finds its root without an initramfs. The second disk is a
# tar archive and nothing else: what any distribution can read without a driver of a file system.

PATH=$PATH:/usr/sbin:/sbin	# where tools for disks are, also for who is not root

# For messages: what an image has to have.
disk_expected="an image whose PID 1 is systemd (its systemd.run= starts the tests) and has sh, mount and tar, and a kernel with NVMe and the image's file system built in or in its own initrd"

# What names results of the image FILE: nothing if there is none.
disk_name() {
	local name=${1##*/}

	name=${name%.img} name=${name%.raw} name=${name%.qcow2}
	printf '%s\n' "${name//[^A-Za-z0-9._+-]/_}"
}

# Type of the file system that begins at byte OFFSET of $disk_raw, or nothing.
disk_type() { blkid -p -O "$1" -s TYPE -o value "$disk_raw" 2>/dev/null; }

# One command of debugfs on the root file system, which is opened for reading only. A link of ours
# stands for the image, whose name could have a question mark.
disk_debugfs() { debugfs -R "$1" "$disk_raw?offset=$disk_offset" 2>/dev/null; }

# Make $disk_raw something to look at. Of a qcow2 that are its first 2 MiB, in which the table is.
disk_open() { # FILE
	local tool size

	[ -e "$1" ] || die "no image $1: check the path"
	{ [ -f "$1" ] && [ -r "$1" ]; } || die "cannot read the image $1: it has to be a file that you may read"
	for tool in sfdisk blkid jq; do
		command -v "$tool" >/dev/null || die "no $tool on this machine, which finds the root partition of an image: run make deps"
	done
	disk=$(realpath "$1") disk_raw=$tmp/disk
	if [ "$(od -An -tx1 -N4 "$disk" | tr -d ' ')" != 514649fb ]; then
		disk_format=raw
		ln -s "$disk" "$disk_raw"
		return
	fi
	disk_format=qcow2
	command -v qemu-img >/dev/null || die "no qemu-img on this machine, which reads the qcow2 image $1: run scripts/deps --image"
	size=$(qemu-img info -f qcow2 --output=json "$disk" 2>/dev/null | jq -r '."virtual-size"')
	{ [ -n "$size" ] && qemu-img dd -f qcow2 -O raw bs=1M count=2 "if=$disk" "of=$disk_raw" >/dev/null 2>&1 &&
		truncate -s "$size" "$disk_raw"; } || die "cannot read the qcow2 image $1: qemu-img info $1 says why"
}

# Find the root: sets disk_root for the kernel, disk_offset in bytes, and disk_where for the report.
# It is the partition that its GPT type calls the root, else the largest of Linux's.
disk_find_root() {
	local table part nr start sector uuid

	table=$(blkid -p -s PTTYPE -o value "$disk_raw" 2>/dev/null)
	if [ -z "$table" ]; then
		[ -n "$(disk_type 0)" ] || die "$image is no disk image: it has neither a partition table nor a file system"
		disk_root=/dev/nvme0n1 disk_offset=0 disk_where='the whole disk'
		return
	fi
	part=$(sfdisk --json "$disk_raw" 2>/dev/null | jq -r '.partitiontable as $t | $t.partitions
		| map(. + { nr: (.node | capture("(?<n>[0-9]+)$").n | tonumber) })
		| (map(select(.type | ascii_downcase == "4f68bce3-e8cd-4db1-96e7-fbcaf984b709")) | first)
			// (map(select(.type | ascii_downcase | . == "83" or . == "0fc63daf-8483-4772-8e79-3d69d8477de4")) | max_by(.size))
		| "\(.nr) \(.start) \($t.sectorsize // 512) \(.uuid // $t.id)"' 2>/dev/null)
	read -r nr start sector uuid <<<"$part"
	[[ $nr =~ ^[0-9]+$ ]] || die "$image has no partition of Linux's ($table table): give an image with a root file system"
	disk_offset=$((start * sector)) disk_where="partition $nr"
	case $uuid in
	0x*) disk_root=PARTUUID=${uuid#0x}-$(printf %02x "$nr") ;;
	*) disk_root=PARTUUID=${uuid,,} ;;	# an initrd finds it by udev's link, which is so
	esac
}

# Who will be PID 1 can be seen in a file system of the ext family: another than systemd would never
# start the tests, and the run only end at its limit.
disk_check_init() {
	local to

	command -v debugfs >/dev/null || return 0
	case $disk_format$(disk_type "$disk_offset") in rawext[234]) ;; *) return 0 ;; esac
	to=$(disk_debugfs 'stat /sbin/init' | sed -n 's/^Fast link dest: "\(.*\)"$/\1/p')
	[[ $to == *systemd ]] || die "$image does not start systemd as PID 1 (its /sbin/init is ${to:-not a link to it}): expected is $disk_expected"
}

# Take the newest kernel of the image and its initrd out of /boot: sets vmlinuz, initrd (or ''),
# label and source. A kernel that was fetched as well has the name that it has in vm/kernels.
disk_take_kernel() {
	local type names name version known

	type=$(disk_type "$disk_offset")
	if [ "$disk_format" = qcow2 ]; then
		rm -f "$disk_raw"
		qemu-img convert -O raw "$disk" "$disk_raw" >/dev/null 2>&1 || die "cannot unpack $image to look for its kernel: check the space left on the disk, or give a kernel with -k"
		type=$(disk_type "$disk_offset")
	fi
	case $type in
	ext[234]) ;;
	*) die "$image has its root in a file system (${type:-unknown}) out of which no kernel can be taken without root: give one with -k" ;;
	esac
	command -v debugfs >/dev/null || die "no debugfs on this machine, which takes the kernel out of an image: run make deps, or give a kernel with -k"
	names=$(disk_debugfs 'ls -p /boot' | cut -d / -f 6 | grep -x '[A-Za-z0-9._+~-]*')
	name=$(grep '^vmlinuz-' <<<"$names" | sort -V | tail -n 1)
	[ -n "$name" ] || die "$image has no /boot/vmlinuz-* in its root file system: give a kernel with -k"
	version=${name#vmlinuz-} vmlinuz=$tmp/vmlinuz initrd=''
	disk_debugfs "dump /boot/$name $vmlinuz" >/dev/null
	for name in "initrd.img-$version" "initrd-$version" "initramfs-$version.img"; do
		grep -qxF -e "$name" <<<"$names" || continue
		initrd=$tmp/initrd
		disk_debugfs "dump /boot/$name $initrd" >/dev/null
		[ -s "$initrd" ] || die "cannot take /boot/$name out of $image: check the space left on the disk"
	done
	label=$(kernel_release "$vmlinuz") || exit 2
	source="the image: /boot/vmlinuz-$version"
	for known in "$build"/kernels/*/release; do
		[ "$(cat "$known" 2>/dev/null)" != "$label" ] || { known=${known%/release}; label=${known##*/}; break; }
	done
}

# Pack the tests: $tmp/tests.tar. The archive has the owner root and no times.
disk_pack_tests() {
	local pair guest

	for pair in "/init=$build/vm/init" "/plan=$tmp/plan" ${pairs[@]+"${pairs[@]}"}; do
		guest=$tmp/tree${pair%%=*}
		{ mkdir -p "${guest%/*}" && ln -s "$(realpath "${pair#*=}")" "$guest"; } || die "cannot write to $tmp: check the space left on the disk"
	done
	tar -c -h -f "$tmp/tests.tar" -C "$tmp/tree" --sort=name --mtime=@0 --owner=root:0 --group=root:0 --numeric-owner . ||
		die "cannot pack the tests into $tmp/tests.tar: check the space left on the disk"
}

# Add to the kernel's words and to QEMU's. Kernels from 6.12 on look at namespaces side by side, so
# that the tests may be the first: both are tried, and the disk is never mistaken for an archive.
# systemd makes a service of its own of systemd.run=, in a target that starts what is basic, and
# powers off when that service fails.
disk_add_machine() {
	local at=/run/perfwake start

	start="mkdir -p $at; mount -t tmpfs -o mode=755 perfwake $at && cd $at && "
	start+="{ tar -x -f /dev/nvme0n2 2>/dev/null; tar -x -f /dev/nvme0n1 2>/dev/null; exec ./init; }"
	start+=" || echo N the image could not unpack the tests and start them >/dev/ttyS1; exit 1"
	append+=" root=$disk_root rw rootwait fsck.mode=skip systemd.firstboot=no systemd.run=\"/bin/sh -c '$start'\""
	machine+=(-drive "file=${disk//,/,,},format=$disk_format,if=none,id=image,snapshot=on"
		-drive "file=${tmp//,/,,}/tests.tar,format=raw,if=none,id=tests,readonly=on"
		-device 'nvme,serial=perfwake,id=disks'
		-device 'nvme-ns,drive=image,bus=disks,nsid=1' -device 'nvme-ns,drive=tests,bus=disks,nsid=2')
}
