#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/bisect.sh and vm/build-tree, driven by git's own bisect: a tree of a few lines
# stands in for the kernel's, and a script for QEMU. vm/tests/bisect-kernel.sh is the same with
# real kernels.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/stand-in.sh"

stand_in_lab
tree=$scratch/tree said=$scratch/said err=$scratch/err
ring=kernel/events/ring_buffer.c

# The guest does what the source says that was compiled into the image.
fake guest <<'END'
while [ "$1" != -kernel ]; do shift; done
does=$(grep -a -o 'does-[a-z-]*' "$2")
[ "$does" != does-nothing ] || exit 1
printf 'B 2 2 2 port 9.9-made-up\n'
[ "$does" != does-die ] || exit 0
[ "$does" != does-warn-early ] || printf 'K 0 WARNING: made\n'
printf 'T 1\nR 1 ok exit 0\nT 2\n'
case $does in
does-right) printf 'R 2 ok exit 0\nE 0 2 0 0 5 61\n'; exit 3 ;;
does-warn-early) printf 'R 2 ok exit 0\nE 3 2 0 0 6 79\n'; exit 9 ;;
does-wrong) printf 'R 2 failed exit 1\nE 1 1 1 0 5 65\n'; exit 5 ;;
does-panic) exit 0 ;;
does-hang) kill -TERM "$(cat RUNNING)"; sleep 1000 ;;
esac
END
sed -i "s|RUNNING|$scratch/running|" "$scratch/guest"
export QEMU=$scratch/guest

# What vm/build-tree and vm/build-kernel ask of a kernel's tree.
mkdir -p "$tree/arch/x86/boot" "$tree/scripts/kconfig" "$tree/kernel/events" "$tree/kernel/trace"
touch "$tree/Kconfig" "$tree/arch/x86/Makefile" "$tree/kernel/events/Makefile" "$tree/kernel/trace/Makefile"
stand_in_kernel >"$tree/head"
cat >"$tree/Makefile" <<'END'
VERSION = 9
PATCHLEVEL = 9
O ?= .
bzImage: $(O)/arch/x86/boot/bzImage
modules:
$(O)/kernel/events/ring_buffer.o: kernel/events/ring_buffer.c
	mkdir -p $(@D)
	$(CC) -c $< -o $@
$(O)/arch/x86/boot/bzImage: head $(O)/kernel/events/ring_buffer.o
	mkdir -p $(@D)
	cat $^ >$@
	touch $(O)/vmlinux $(O)/System.map
olddefconfig:
	grep -v -f stubborn .config >.config.new; mv .config.new .config
END
# -m -O OBJ CONFIG FRAGMENT..., and -n without CONFIG.
cat >"$tree/scripts/kconfig/merge_config.sh" <<'END'
#!/bin/sh
obj=$3
shift 3
cat "$@" | grep '^CONFIG_.*=[^n]' >"$obj/.config.new"
mv "$obj/.config.new" "$obj/.config"
END
chmod +x "$tree/scripts/kconfig/merge_config.sh"
echo NONE >"$tree/stubborn"
printf '%s\n' '*.o' .config bzImage vmlinux System.map >"$tree/.gitignore"
git_in() { git -C "$tree" -c init.defaultBranch=main -c user.name=x -c user.email=x@x "$@"; }
git_in init -q

# commit NAME: what is in the tree becomes the commit of that tag.
commit() { git_in add -A && git_in commit -q -m "$1" && git_in tag "$1"; }
does() { printf '/* %s */\nconst char does[] = "does-%s";\n' "$2" "$1" >"$tree/$ring"; }

does right one && commit base
does right two && commit comment
echo 'int broken' >>"$tree/$ring" && commit does-not-compile
does right three && commit fixed
echo CONFIG_BPF_EVENTS >"$tree/stubborn" && commit lacks-option
echo NONE >"$tree/stubborn" && commit has-option
sed -i 's/does-right/does-wrong/' "$tree/$ring" && commit broken
does wrong five && commit later
does nothing six && commit never-speaks
does die seven && commit dies-early
does warn-early eight && commit warns-early
does panic nine && commit panics
does hang ten && commit interrupted
does wrong eleven && commit end
printf '%s\n' CONFIG_MINE=y CONFIG_PERF_EVENTS=n >"$tree/.config"
mine=$(cat "$tree/.config")

# answers STATUS TEXT TAG [ARGUMENT...]: bisect.sh says so about the commit TAG.
answers() {
	local due=$1 text=$2 tag=$3 pid status
	shift 3
	git_in checkout -q "$tag" || return 1
	(cd "$tree" && exec "$top/vm/bisect.sh" "$@") >"$said" 2>"$err" &
	pid=$!
	echo "$pid" >"$scratch/running"
	wait "$pid"
	status=$?
	same "status $status" "status $due" && has "$err" "bisect.sh: .*$text" && same "$(cat "$tree/.config" 2>/dev/null)" "$mine"
}
# finds TAG: git finds the first bad commit with no hand.
finds() {
	git_in bisect start end base >/dev/null || return 1
	(cd "$tree" && exec git bisect run "$top/vm/bisect.sh") >"$said" 2>"$err" || { tail -n 3 "$err"; return 1; }
	
	has "$said" "^$(git_in rev-parse "$1") is the first bad commit"
}
merged() { has "$err" 'merging into ./.config: CONFIG_PERF_EVENTS=y (there it is n)'; }
small() { rm "$tree/.config" && mine='' && answers 0 good comment && [ ! -e "$tree/.config" ]; }
builds() { git_in checkout -q "$1" && "$top/vm/build-tree" "$tree" >"$said" 2>"$err" && same "$(cat "$said")" "$tree/arch/x86/boot/bzImage"; }
refuses() {
	local due=$1 text=$2 status
	shift 2
	"$top/vm/build-tree" "$@" >"$said" 2>"$err"
	status=$?
	same "status $status" "status $due" && has "$err" "$text" && same "$(cat "$said")" ''
}
then_runs() { git_in checkout -q base && "$top/vm/run.sh" -k "$tree" --build >"$said" 2>"$err" && has "$said" '^2 passed, 0 failed'; }
not_built() { git_in checkout -q "$1" && ! "$top/vm/run.sh" -k "$tree" --build >"$said" 2>"$err"; }

tap_plan 29
check "help" "$top/vm/bisect.sh" --help
check "no git tree" bash -c "cd / && '$top/vm/bisect.sh'; [ \$? = 125 ]"
check "an option that is not for it" answers 125 'makes no sense' base --shell
check "a good commit" answers 0 good base
check "options are merged" merged
check "a broken one" answers 1 'bad: a rule does not hold' broken
check "its results are kept" has "$B/results/bisect/$(git_in rev-parse --short=12 broken)/results.ktap" '^not ok 2 second'
check "one that does not compile" answers 125 'does not build' does-not-compile
check "one that lacks an option" answers 125 'cannot have the options' lacks-option
check "says which" has "$err" 'does not take: CONFIG_BPF_EVENTS=y (there it is n)'
check "one that never speaks" answers 125 'cannot tell' never-speaks
check "one that dies before any test" answers 125 'in no test' dies-early
check "one that warns before any test" answers 125 'in no test' warns-early
check "one that panics in a test" answers 1 'in a test' panics
check "an interrupted one" answers 125 'interrupted' interrupted
cp "$tree/.config" "$tree/.config.perfwake" && echo degraded >"$tree/.config"
check "what a killed one left" answers 0 good base
check "an option that vm/run.sh refuses" answers 125 'status 2' base -c many
check "git finds the broken commit" finds broken
check "--small is built elsewhere" answers 1 'bad: a rule does not hold' later --small
check "no .config is as --small" small
check "git finds the commit then, too" finds broken

printf '%s\n' CONFIG_MINE=y >"$tree/.config"
check "vm/build-tree" builds base
check "keeps the user's options" has "$tree/.config" '^CONFIG_MINE=y$'
check "and has all others" same "$(grep -h ^CONFIG_ "$top/selftests/config" "$top/vm/guest.config" | grep -vc -x -F -f "$tree/.config")" 0
check "a folder that is no tree" refuses 2 'is no kernel tree' "$scratch"
check "vm/run.sh --build" then_runs
check "of what does not compile" not_built does-not-compile
check "says so" has "$err" 'does not compile'
rm "$tree/.config"
check "a tree without .config" refuses 2 'no .config' "$tree"
tap_end
