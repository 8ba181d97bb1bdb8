#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of scripts/mutants that need no kernel: scripts stand in for build-kernel and run.sh.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

B=$scratch/b
mkdir -p "$B" "$scratch/mutants/7.3" "$scratch/cures"
ln -s "$build/vm" "$B/vm"
printf '%s\n' 'one|50|0|/one' 'cases|5|0|perfwake run /cases' >"$B/suite.plan"
export B
export MUTANTS=$scratch/mutants MUTANTS_CURES=$scratch/cures MUTANTS_TABLE=$scratch/table.md
export MUTANTS_RUN=$scratch/run MUTANTS_BUILD=$scratch/build
said=$scratch/said err=$scratch/err

# change NAME FOLDER
change() { printf 'id	%s\nrule	K1\nwhy	It is %s.\n\nfile	kernel/events/core.c\n-a\n+b\n' "$1" "$1" >"$2/$1.change"; }
for one in caught crash survivor secret no-boot no-object no-compile no-guest; do change "$one" "$MUTANTS"; done
change late "$MUTANTS/7.3"
change k8x "$MUTANTS_CURES"
change k8y "$MUTANTS_CURES"
echo 'secret Only the kernel knows.' >"$MUTANTS/untold"

# The kernel's folder is named after its source and changes.
cat >"$MUTANTS_BUILD" <<'END'
#!/bin/bash
[ "$1" != --cached ] || { shift; [ -e "$MUTANTS_BUILD.done" ] || exit 1; }
echo "$*" >>"$B/builds"
[ "$1" = -s ] || exit 2
name=$2; shift 2
for c; do c=${c##*/}; name+=+${c%.change}; done
case $name in *no-compile) echo 'does not' >&2; exit 1 ;; esac
mkdir -p "$B/k/$name"
echo "$name" >"$B/k/$name/label"
case $name in *no-object) echo 'same x.o' ;; *) echo 'differs x.o' ;; esac >"$B/k/$name/objects"
echo "building" >&2
echo "$B/k/$name/bzImage"
END
cat >"$MUTANTS_RUN" <<'END'
#!/bin/bash
name=$(cat "${2%/*}/label") out=$B/results/$(cat "${2%/*}/label")
plan=$(cut -d '|' -f 1 "$B/suite.plan" | tr '\n' ' ')
echo "$name $plan" >>"$MUTANTS_RUN.log"
mkdir -p "$out"
begin='KTAP version 1\n1..2\n'
bad='  # /cases/x.case:3: look 0\n  # model    ready\n  # seen     quiet\n  not ok 1 x\nnot ok 2 cases # exit status 1, 1 of its results failed\n'
strict=$(grep -c -- --strict "$B/suite.plan")
case $name in
*+slow) trap 'kill $!; rm "$B/pid"; exit 143' TERM; sleep 1000 & echo $$ >"$B/pid"; wait ;;
*+caught | *+late) ktap="ok 1 one\n$bad" status=1 ;;
*+crash) ktap='ok 1 one\nnot ok 2 cases # missing: the guest ended in it\n' status=3 ;;
*+no-boot) ktap='not ok 1 one # missing: never begun\nnot ok 2 cases # missing: never begun\n' status=3 ;;
*+no-guest) echo 'vm/run.sh: no init'; exit 2 ;;
6.1+k8x | 6.1+k8y) ktap='not ok 1 explore # exit status 1\n' status=$strict; [ "$strict" = 1 ] || ktap='ok 1 explore\n' ;;
6.1) ktap='ok 1 one\nok 2 cases\n' status=0; [ ! -e "$MUTANTS_RUN.bad" ] || { ktap='not ok 1 one\n' status=1; } ;;
*) ktap='ok 1 one\nok 2 cases\n' status=0 ;;
esac
printf "$begin$ktap" >"$out/results.ktap"
exit "$status"
END
chmod +x "$MUTANTS_RUN" "$MUTANTS_BUILD"

# ends STATUS ARGUMENT...
ends() {
	local due=$1 status
	shift
	"$top/scripts/mutants" "$@" >"$said" 2>"$err" </dev/null
	status=$?
	same "status $status" "status $due" || { cat "$said" "$err"; return 1; }
}
ran() { same "$(grep -c "^$1 " "$MUTANTS_RUN.log")" "$2"; }
record() { has "$B/mutants/$1.suite" "$2"; }
interrupted() {
	local pid status

	change slow "$MUTANTS"
	env --default-signal=INT "$top/scripts/mutants" slow >"$said" 2>"$err" &
	pid=$!
	until_ok test -s "$B/mutants/suite/pid" || return 1
	kill "-$2" "$pid"
	wait "$pid"
	status=$?
	rm "$MUTANTS/slow.change"
	same "status $status" "status $1" && [ ! -e "$B/mutants/suite/pid" ]
}

tap_plan 45
check "help" "$top/scripts/mutants" --help
check "an unknown option" ends 2 --frob
check "no mutant of that name" ends 2 frob
check "the list" ends 0 --list
check "has source, rule and fault of each" has "$said" $'^late\t7.3\tK1\tIt is late.$'
check "and a way back for each cure" has "$said" $'^back-k8x\t6.1\tK1\tBack to stock'

check "a fault that is caught" ends 0 caught
check "is recorded as that" record caught $'^outcome\tcaught$'
check "with the test" record caught $'^test\tcases\tfailed\t1$'
check "and the first step that differs" record caught $'^first\tx:3: look 0 -- due ready, seen quiet$'
check "the summary counts it" last_is "$said" '1 caught, 0 not caught, 0 that nobody can tell, 0 that do not count'
check "its base ran, with the exploration" same "$(grep -c '^6.1 explore' "$MUTANTS_RUN.log")" 1
check "nothing is written with a name given" test ! -e "$MUTANTS_TABLE"
check "a second run" ends 0 caught
check "boots nothing" ran 6.1+caught 1
check "unless it is told to" ends 0 --again caught
check "and then does" ran 6.1+caught 2
check "a fault that crashes the guest" ends 0 crash
check "a survivor" ends 1 survivor
check "is named" has "$said" '^# survivor: survived$'
check "it was explored as well" ran 6.1+survivor 2
check "one that nobody can tell" ends 0 secret
check "a kernel that does not boot" ends 0 no-boot
check "does not count" last_is "$said" '0 caught, 0 not caught, 0 that nobody can tell, 1 that do not count'
check "one with the same object code" ends 0 no-object
check "is not booted" ran 6.1+no-object 0
check "one that does not compile" ends 0 no-compile
check "no guest at all is no result" ends 1 no-guest
check "and is not recorded" test ! -e "$B/mutants/no-guest.suite"
check "a cure taken away" ends 0 back-k8x
check "is judged strictly" has "$B/mutants/back-k8x.suite" $'^test\texplore\tfailed'
rm "$MUTANTS/no-guest.change"
check "all" ends 1
check "writes the table" has "$MUTANTS_TABLE" '^| survivor | 6.1 | K1 | It is survivor. |$'
check "with what each was caught by" has "$MUTANTS_TABLE" '^| late | 7.3 | K1 | It is late. | cases | x:3: look 0'
echo 'caught It is said to be impossible.' >>"$MUTANTS/untold"
check "a reason that is disproved" ends 1 caught
touch "$MUTANTS_RUN.bad"
echo >>"$B/suite.plan" 'two|5|0|/two'
check "a base that does not pass" ends 2 caught
check "is named" has "$err" 'the kernel without a fault, unchanged-6.1, does not pass (one)'
rm "$MUTANTS_RUN.bad"
check "INT" interrupted 130 INT
check "TERM" interrupted 143 TERM
export MUTANTS_SAMPLE='caught survivor'
check "a sample without built kernels" ends 4 --sample
check "is all skipped, and says how to build them" has "$said" '^ok 1 caught # SKIP its kernel is not built; make mutants M=caught does it$'
touch "$MUTANTS_BUILD.done"
check "a sample of built kernels fails with a survivor" ends 1 --sample
check "which is named" has "$said" '^not ok 2 survivor$'
check "and tells what caught the other" has "$said" '^# caught at x:3: look 0'
export MUTANTS_SAMPLE=caught
check "and passes without" ends 0 --sample
tap_end
