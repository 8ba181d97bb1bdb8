#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of scripts/soak that need no guest: a script stands in for run.sh.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

B=$scratch/b
mkdir -p "$B"
echo 'one|5|0|/one' >"$B/suite.plan"
printf '%s %s\n' /bin/perfwake build/perfwake /cases/x selftests/cases/every-fifth.case \
	/cases/y selftests/cases/codes-of-refusals.case >"$B/suite.files"
export B SOAK_RUN=$scratch/run SOAK_FETCH=true SOAK_MODULE=$scratch/module
said=$scratch/said err=$scratch/err

cat >"$SOAK_MODULE" <<'END'
#!/bin/bash
[ "$1" != without ] && mkdir -p "$B/kmod/$1" && : >"$B/kmod/$1/perfwake_test.ko"
END
cat >"$SOAK_RUN" <<'END'
#!/bin/bash
[ -e "$B/kmod/$2/perfwake_test.ko" ] || { echo "no module"; exit 2; }
out=$B/results/$2
mkdir -p "$out/traces"
echo "$2 $4 $(wc -l <"$B/suite.files") $(grep -c 'one CPU' "$LACKS")" >>"$SOAK_RUN.log"
printf 'KTAP version 1\n  # 14 cases, 100 steps: 9 samples\nok 1 one\n' >"$out/results.ktap"
printf 'look 0 = quiet -> quiet\nemit 0 -> ok\nname x\n' >"$out/traces/x.trace"
case $2 in
bad) echo 'not ok 1 one'; echo '3 passed, 1 failed, 0 skipped'; exit 1 ;;
slow) trap 'kill $!; rm "$SOAK_RUN.pid"; exit 143' TERM; sleep 1000 & echo $$ >"$SOAK_RUN.pid"; wait ;;
esac
echo '3 passed, 0 failed, 0 skipped'
END
chmod +x "$SOAK_MODULE" "$SOAK_RUN"

ends() {
	local due=$1 status
	shift
	"$top/scripts/soak" "$@" >"$said" 2>"$err" </dev/null
	status=$?
	same "status $status" "status $due" || { cat "$said" "$err"; return 1; }
}
interrupted() {
	local pid status

	env --default-signal=INT "$top/scripts/soak" 2 slow >"$said" 2>"$err" &
	pid=$!
	until_ok test -s "$SOAK_RUN.pid" || return 1
	kill "-$2" "$pid"
	wait "$pid"
	status=$?
	same "status $status" "status $1" && [ ! -e "$SOAK_RUN.pid" ]
}

tap_plan 12
check "help" "$top/scripts/soak" --help
check "an unknown option" ends 2 --frob
check "a kernel for which there is no module" ends 2 1 without
check "runs that pass" ends 0 7 good fine
check "are added up" last_is "$said" '7 of 7 runs, 714 judged steps in cases and fuzz, 21 results passed, 0 failed; 0 runs did not pass'
check "the kernels take turns with 1, 2 and 4 CPUs" same "$(sort "$SOAK_RUN.log" | cut -d ' ' -f 1,2 | tr '\n' ,)" \
	'fine 1,fine 2,fine 4,good 1,good 1,good 2,good 4,'
check "with one CPU the cases for two are left out, and skips declared" same "$(grep -c ' 1 2 4$' "$SOAK_RUN.log")" 3
check "with more they are not" same "$(grep -c ' [24] 3 0$' "$SOAK_RUN.log")" 4
check "one that fails" ends 1 2 good bad
check "is kept and told" test -d "$B/soak/failed-1"
check "INT" interrupted 130 INT
check "TERM" interrupted 143 TERM
tap_end
