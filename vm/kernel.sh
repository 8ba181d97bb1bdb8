# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what it sets and needs is the script's that sources it
# Sourced by what boots or builds a kernel: where its parts are, and which options it lacks.
# Needs top, build, and die.

# What a kernel has to have, for the tests and for the guest.
options_needed=("$top/selftests/config" "$top/vm/guest.config")

# Print the options of FRAGMENTs that the .config CONFIG has not, with commas between.
options_missing() { # CONFIG FRAGMENT...
	local config=$1
	shift

	awk -F '[= ]' '
		FILENAME != config && /^# not everywhere: / { may_lack[$4] }
		!/^CONFIG_/ { next }
		{ value = substr($0, length($1) + 2) }
		FILENAME == config { is[$1] = value; next }
		{ if (!($1 in due)) option[++options] = $1; due[$1] = value }
		END {
			for (i = 1; i <= options; i++) {
				o = option[i]
				there = o in is ? is[o] : "n"
				if (due[o] != there && !(o in may_lack))
					printf "%s%s=%s (there it is %s)", n++ ? ", " : "", o, due[o], there
			}
		}' config="$config" "$@" "$config"
}

# Print the source of the build folder TREE, which is its own where it was built in place.
tree_source() {
	if [ -e "$1/scripts/kconfig/merge_config.sh" ]; then
		realpath "$1"
	else
		realpath -e "$1/source" 2>/dev/null || die "$1 is no kernel tree, nor a build folder (O=) of one: it has neither scripts/kconfig nor source"
	fi
}

# Print what uname -r will say. The boot protocol has a magic at 0x202 and, at 0x20e, where
# the version lies.
kernel_release() {
	local at release

	{ [ -f "$1" ] && [ -r "$1" ]; } || die "cannot read the kernel $1: check the path and its rights"
	[ "$(dd if="$1" bs=1 skip=514 count=4 2>/dev/null | tr -d '\0')" = HdrS ] ||
		die "$1 is no kernel that can boot here (no bzImage): give a bzImage or vmlinuz"
	at=$(od -An -tu2 -j526 -N2 "$1" | tr -d ' ')
	release=$(dd if="$1" bs=1 skip=$((at + 512)) count=80 2>/dev/null | tr '\0' ' ')
	release=${release%% *}
	release=${release//[^A-Za-z0-9._+-]/_}
	printf '%s\n' "${release:-unknown}"
}

# A tree that lacks options would fail tests for that, so it is refused.
check_tree_options() { # TREE
	local missing source obj

	[ -f "$1/.config" ] || return 0
	missing=$(options_missing "$1/.config" "${options_needed[@]}")
	[ -n "$missing" ] || return 0
	source=$(tree_source "$1") || exit 2
	obj=$(realpath "$1")
	die "$1 lacks options: $missing; to merge them and build: vm/run.sh -k $1 --build, or by hand: (cd $obj && $source/scripts/kconfig/merge_config.sh -m -O $obj $obj/.config ${options_needed[*]} && make -C $obj olddefconfig bzImage)"
}

# Where a built tree comes from, for the report: its path, and its commit if git knows one.
tree_origin() {
	local commit='' source

	source=$(tree_source "$1") || exit 2
	# A source that lies in another project's repository is none of its commits.
	[ -n "$(git -C "$source" rev-parse --show-prefix 2>/dev/null)" ] ||
		commit=$(git -C "$source" rev-parse --short=12 HEAD 2>/dev/null)
	echo "$1${commit:+ at $commit}"
}

# Find the kernel KERNEL: sets vmlinuz, label (names the results folder), source (for the
# report) and symbols (its vmlinux, or '').
find_kernel() {
	local kernel=$1 dir

	source=$kernel symbols=''
	if [[ $kernel != */* ]] && awk -v n="$kernel" '$1 == n { f = 1 } END { exit !f }' "$top/vm/kernels"; then
		"$top/vm/fetch-kernel" "$kernel" || exit 2
		dir=$build/kernels/$kernel
		vmlinuz=$dir/vmlinuz
		label=$kernel
		source=$(cat "$dir/source")
		return
	elif [ -d "$kernel" ]; then
		dir=$kernel
		vmlinuz=$dir/arch/x86/boot/bzImage
		[ -e "$vmlinuz" ] || die "no arch/x86/boot/bzImage in $dir: build that kernel first, or let --build do it"
		check_tree_options "$dir"
		source=$(tree_origin "$dir") || exit 2
	elif [ -e "$kernel" ]; then
		dir=$(dirname "$kernel")
		vmlinuz=$kernel
	else
		die "no kernel $kernel: neither a file, nor a built tree, nor a name in vm/kernels"
	fi
	[ ! -e "$dir/vmlinux" ] || symbols=$(realpath "$dir/vmlinux")
	# vm/build-kernel puts beside it what tells kernels of one release apart.
	if [ -f "$kernel" ] && [ -s "$dir/label" ]; then
		label=$(tr -c "A-Za-z0-9._+\n-" _ <"$dir/label")
		source=$(cat "$dir/source")
		return
	fi
	label=$(kernel_release "$vmlinuz") || exit 2
}
