#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# vm/run.sh --build on a real kernel to its end: a developer's O= folder of 6.1 whose .config lacks options
# that the tests need. One kernel is built, so it is part of make check-kernels.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

"$top/vm/fetch-source" --whole 6.1 || exit 1
source=$build/linux-source-6.1-whole obj=$build/own-kernel said=$scratch/said err=$scratch/err
case=$top/selftests/cases/remainder-9-of-10.case
lacks=(MODULES FTRACE_SYSCALLS IO_URING TIMERFD SIGNALFD)

# The small config without those, and with a name of its own, which has to survive.
configure() {
	rm -rf "$obj"
	mkdir -p "$obj" && cp "$top/vm/kernel.config" "$scratch/fragment" || return
	sed -i 's/^CONFIG_LOCALVERSION=.*/CONFIG_LOCALVERSION="-own"/' "$scratch/fragment"
	for one in "${lacks[@]}"; do
		sed -i "/^CONFIG_$one=/d" "$scratch/fragment"
		echo "CONFIG_$one=n" >>"$scratch/fragment"
	done
	make -s -C "$source" O="$obj" allnoconfig >"$said" 2>&1 &&
		(cd "$obj" && "$source/scripts/kconfig/merge_config.sh" -m -O "$obj" "$obj/.config" "$scratch/fragment") >>"$said" 2>&1 &&
		make -s -C "$obj" olddefconfig >>"$said" 2>&1
}
asked() { "$top/vm/run.sh" -k "$obj" "$@" -- perfwake run "$case" >"$said" 2>"$err" </dev/null; }
refused() { one_line 'no arch/x86/boot/bzImage .* or let --build do it' "$top/vm/run.sh" -k "$obj" -- perfwake run "$case"; }
built() { asked --build || { tail -n 3 "$said" "$err"; return 1; }; last_is "$err" '# 1 passed, 0 failed, 0 skipped'; }
told() {
	local one

	for one in "${lacks[@]}"; do has "$err" "merging into $obj/.config: .*CONFIG_$one=y (there it is n)" || return; done
}
options() {
	local one

	for one in "${lacks[@]}"; do has "$obj/.config" "^CONFIG_$one=y" || return; done
}
again() { cp "$obj/.config" "$scratch/config" && built && lacks "$err" merging && cmp "$obj/.config" "$scratch/config"; }

tap_plan 8
check "a build folder that lacks options" configure
check "is refused as long as it is not built" refused
check "--build merges them, builds, boots, and a case passes" built
check "what was merged was said" told
check "and is there" options
check "the rest of the config is the developer's" has "$err" '^# kernel [0-9.]*-own'
check "a second time there is nothing to merge" again
check "and without --build it runs as well" asked
rm -rf "$obj"
tap_end
