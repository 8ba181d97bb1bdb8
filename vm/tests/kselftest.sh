#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of make kselftest-install: the selftests as a target of Debian's kernel source VERSION,
# built, installed, packed and run by the kernel's own means on the running kernel (root).
# Part of make check-kernels, since a whole kernel source has to be fetched.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

version=${1:-6.1}
"$top/vm/fetch-source" --whole "$version" || exit 1
whole=$build/linux-source-$version-whole
unset MAKEFLAGS MAKELEVEL MFLAGS

# What a target needs of the tree; the source itself is not written to.
tree=$scratch/linux selftests=$scratch/linux/tools/testing/selftests
mkdir -p "$tree/tools/testing" && cp -r "$whole/Makefile" "$whole/scripts" "$tree/" &&
	cp -r "$whole/tools/"{lib,scripts,build,include,arch} "$tree/tools/" &&
	cp -r "$whole/tools/testing/selftests" "$tree/tools/testing/" || exit 1
out=$scratch/out
said=$scratch/said

install() { make -C "$top" --no-print-directory kselftest-install KDIR="$1" >"$said" 2>&1; }
refused() { ! install "$2" && has "$said" "$1"; }
foreign() { mkdir "$selftests/perf_wakeup" && refused 'not from here' "$tree" && rmdir "$selftests/perf_wakeup"; }
targets() { same "$(grep -c 'TARGETS += perf_wakeup$' "$selftests/Makefile")" 1; }
files() { (cd "$tree" && find . -type f -printf '%P %s\n' | sort); }
kselftest() { make -C "$selftests" TARGETS=perf_wakeup "$@" >"$said" 2>&1 || { tail -n 5 "$said"; return 1; }; }
untouched() { files >"$scratch/after" && cmp "$scratch/before" "$scratch/after"; }
lists() {
	same "$("$1/run_kselftest.sh" -l | LC_ALL=C sort | tr '\n' ' ')" \
		"$(sed -n '/^TEST_GEN_PROGS :=/,/[^\\]$/p' "$top/selftests/Makefile" | sed 's/.*:=//; s/\\//' | tr -s ' \t' '\n' | grep . | cat - <(echo cases.sh) | sed 's/^/perf_wakeup:/' | LC_ALL=C sort | tr '\n' ' ')"
}
one() { "$1/run_kselftest.sh" -t perf_wakeup:threshold 2>&1 | cat >"$said"; has "$said" '^ok 1 selftests: perf_wakeup: threshold$'; }
# 7.3 prints no plan for run_tests, so what has to be there is counted here.
all_pass() {
	kselftest "$@" run_tests || return 1
	! grep -E '^(# )*not ok' "$said" &&
		same "$(grep -c '^ok [0-9]* selftests: perf_wakeup: [a-z_.]*$' "$said")" "$("$scratch/tar/run_kselftest.sh" -l | wc -l)"
}
unpacked() { mkdir "$scratch/tar" && tar -xf "$out/kselftest/kselftest_install/kselftest-packages/kselftest.tar.gz" -C "$scratch/tar"; }
cases_alone() { (cd "$scratch/tar/perf_wakeup" && env -i PATH=/usr/bin:/bin ./cases.sh) >"$said" 2>&1 && same "$(grep -c '^ok' "$said")" 3; }

# A prefix of tools that write down what they were called for.
mkdir "$scratch/cross"
for tool in gcc ar ld; do
	# shellcheck disable=SC2016 # the tool's
	printf '#!/bin/sh\necho "%s $*" >>%q\nexec %s "$@"\n' "$tool" "$scratch/called" "$tool" >"$scratch/cross/my-$tool"
	chmod +x "$scratch/cross/my-$tool"
done
crossed() {
	kselftest O="$scratch/out-cross" CROSS_COMPILE="$scratch/cross/my-" &&
		has "$scratch/called" '^gcc .*/threshold$\|^gcc .*threshold.c' && has "$scratch/called" '^gcc .*validator/model.c' &&
		has "$scratch/called" '^gcc .* libbpf.c\|^gcc .*/libbpf.o' && has "$scratch/called" '^ar .*libperfwake.a'
}

tap_plan 17
check "no tree" refused 'no kernel tree' ''
check "a tree that is not whole" refused 'no whole kernel source' "$build/linux-source-6.1"
check "a target of that name from elsewhere" foreign
check "into Debian's $version" install "$tree"
check "is a target once" targets
check "once more" install "$tree"
check "is a target once then, too" targets
files >"$scratch/before"
check "gen_tar, which builds and installs, with O=" kselftest O="$out" gen_tar
check "writes nothing into the source" untouched
check "run_kselftest.sh -l has each program and cases.sh" lists "$out/kselftest/kselftest_install"
check "the package, unpacked" unpacked
check "lists the same" lists "$scratch/tar"
check "CROSS_COMPILE" crossed
if [ "$(id -u)" -eq 0 ]; then
	check "run_kselftest.sh -t runs one" one "$scratch/tar"
	check "the cases find their command" cases_alone
	check "run_tests: all pass" all_pass O="$out"
else
	for what in "run_kselftest.sh -t runs one" "the cases find their command" "run_tests: all pass"; do
		tap_nr=$((tap_nr + 1))
		echo "ok $tap_nr $what # SKIP loading BPF programs needs root"
	done
fi
in_place() { kselftest && [ -x "$selftests/perf_wakeup/perfwake" ] && kselftest clean && untouched; }
check "built in place, and clean again" in_place
tap_end
