#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# For "git bisect run" in a kernel tree: build the commit at hand, run the suite or a command on
# it in a guest, and answer as git wants it.
set -u -o pipefail

me=vm/bisect.sh
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
build=${B:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
vm=$top/vm

help() {
	cat <<'END'
usage: git bisect run .../vm/bisect.sh [--small] [OPTION...] [-- COMMAND...]

To be run in a kernel tree. Builds the commit that git has checked out, and runs the suite
of perfwake on it, or COMMAND, as vm/run.sh does; OPTIONs are those of vm/run.sh.
  --small  a small kernel (vm/build-kernel), built outside of the tree: quicker. So it is
           without this option too, where the tree has no .config
A tree with a .config is built as that says, in place, with the options that the tests need
merged in (vm/build-tree); .config itself is as before afterwards.

Exit status: 0 all is proved; 1 a rule does not hold, or the kernel crashed, hung or warned in a
test; 125 this commit cannot tell, because it does not build, does not boot, cannot have the
options, or complains before any test. Never another one: git would stop.
The results of a commit are in build/results/bisect/COMMIT/.
END
}

answer() { # STATUS TEXT
	printf '%s: %s: %s\n' "$me" "${commit:-.}" "$2" >&2
	exit "$1"
}
# shellcheck source-path=SCRIPTDIR
. "$vm/signals.sh"
# A commit that cannot be tested is skipped by git.
die() { answer 125 "cannot tell: $*"; }

commit='' small='' kept='' options=()
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) help; exit 0 ;;
	--small) small=1; shift ;;
	--) break ;;
	-k | -o | --shell | --gdb | --build) die "option $1 makes no sense here: see --help" ;;
	*) options+=("$1"); shift ;;
	esac
done
commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || die "$PWD is no git tree: run it in the kernel's"
[ -e .config ] || small=1

# An older commit drops the options that it does not know, and a newer one would never get
# them back: each starts with what the user had.
# shellcheck disable=SC2317 # trap calls it
restore() { [ -z "$kept" ] || mv -f "$kept" .config; }
trap restore EXIT
exiting_trap 'die interrupted' INT TERM HUP

if [ -n "$small" ]; then
	image=$("$vm/build-kernel" -s . | tail -n 1) || die "it does not build"
else
	kept=.config.perfwake
	# One that is there already is what a killed run could not put back.
	[ -e "$kept" ] || cp -p .config "$kept" || die "cannot write to $PWD: check rights and space"
	cp -p "$kept" .config || die "cannot write to $PWD: check rights and space"
	"$vm/build-tree" . >/dev/null || die "it does not build, or cannot have the options"
	image=.
fi
out=$build/results/bisect/$commit
"$vm/run.sh" -k "$image" -o "$out" ${options[@]+"${options[@]}"} "$@" &
pid=$!
trap 'kill -TERM "$pid" 2>/dev/null; wait "$pid"; die interrupted' INT TERM HUP
wait "$pid"
status=$?
case $status in
0) answer 0 "good" ;;
1) answer 1 "bad: a rule does not hold" ;;
3)	grep -q '^# kernel ' "$out/results.ktap" || die "it does not boot"
	# A warning while booting belongs to no test, and both ends of the range may have it.
	grep '^not ok ' "$out/results.ktap" | grep -qv '# missing: never begun' ||
		die "the kernel complains, but in no test"
	answer 1 "bad: the kernel crashed, hung or warned in a test" ;;
*) die "vm/run.sh ended with status $status" ;;
esac
