#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The command line of perfwake: exit statuses, and messages of exactly one line.
#
#	test_cli.sh PERFWAKE
set -u

# shellcheck source=validator/tests/tap.sh
. "$(dirname "$0")/tap.sh"

[ $# -eq 1 ] || tap_bail_out 'usage: test_cli.sh PERFWAKE'
[ -x "$1" ] || tap_bail_out "$1 cannot be run"
perfwake=$(realpath "$1")
top=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d) || tap_bail_out 'no folder to work in'
trap 'rm -rf "$work"' EXIT
cd "$work" || tap_bail_out "$work cannot be entered"

# same NAME WHAT IS SHOULD: complains where they differ
same()
{
	[ "$3" = "$4" ] && return 0
	printf '%s is:\n%s\nshould be:\n%s\n' "$2" "$3" "$4" | tap_say
	return 1
}

# check NAME STATUS STDOUT STDERR COMMAND...: all of it exactly
check()
{
	local name=$1 status=$2 out=$3 err=$4 got bad=0

	shift 4
	"$@" > out 2> err < /dev/null
	got=$?
	same "$name" status "$got" "$status" || bad=1
	same "$name" stdout "$(cat out)" "$out" || bad=1
	same "$name" stderr "$(cat err)" "$err" || bad=1
	tap_result $bad "$name"
}

# refuse NAME MESSAGE ARGUMENT...: status 2, nothing judged, one line
refuse()
{
	local name=$1 message=$2

	shift 2
	check "$name" 2 '' "perfwake: $message" "$perfwake" "$@"
}

make_files()
{
	local ring='ring 0 pages=1 wakeup_events=2'

	mkdir empty cases 'odd[1]*' locked
	printf 'name good\n%s\nemit 0 count=2 size=8 -> ok\nlook 0 -> ready\n' "$ring" > good.trace
	printf 'name bad\n%s\nemit 0 count=2 size=8 -> ok\nlook 0 -> quiet\n' "$ring" > bad.trace
	printf 'name part\n%s\nemit 0 count=2 size=8 -> ok\nlook 0\n' "$ring" > part.trace
	printf 'name lostwake\n%s\nemit 0 count=1 size=8 -> ok\n%s -> ok\nlook 0 -> quiet\n' "$ring" \
		'emit 0 count=2 size=8 at=f+0x1' > lostwake.trace
	printf 'name plain\n%s\nemit 0 count=2 size=8\nlook 0 = ready\n' "$ring" > plain.case
	printf 'name plain\n%s\nlook 0\n' "$ring" > other.case
	printf 'name wish\n%s\nlook 0 = ready\n' "$ring" > wish.case
	printf 'name wrong\n%s\nlook 1\n' "$ring" > wrong.case
	cp good.trace cases/a.case
	cp good.trace cases/ignored.trace
	cp good.trace 'odd[1]*/a.case'
	cp good.trace locked/locked.trace
	chmod 000 locked/locked.trace
	chmod 755 .
}

# What an ordinary user runs; root becomes one.
ordinary()
{
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$@"
	fi
}

can_be_ordinary()
{
	cp "$perfwake" "$work/perfwake" && chmod 755 "$work/perfwake" &&
		ordinary "$work/perfwake" --version > out 2>&1
}

test_usage()
{
	refuse 'no command' 'no command; see perfwake --help'
	refuse 'an unknown command' "unknown command 'prove'; see perfwake --help" prove
	refuse 'an unknown option' "unknown command '--frob'; see perfwake --help" --frob
	"$perfwake" --help > out 2> err
	tap_result $(($? || $(grep -c '^usage: perfwake' out) != 1 || $(wc -c < err))) 'help'
	"$perfwake" --version > out 2> err
	tap_result $(($? || $(grep -c '^perfwake [^ ]*$' out) != 1 || $(wc -c < err))) 'version'
}

test_files()
{
	refuse 'replay of nothing' 'replay: give recorded traces: perfwake replay FILE...' replay
	refuse 'replay with an unknown option' \
		'replay: unknown option --all; see perfwake --help' replay --all
	refuse 'a missing file' 'no.trace: cannot be read: No such file or directory' \
		replay no.trace
	refuse 'an empty file' "/dev/null:1:1: the case has no name: begin with 'name NAME'" \
		replay /dev/null
	refuse 'a folder without cases' 'empty: no *.case file lies in this folder' replay empty
	refuse 'a malformed file' \
		"wrong.case:3:6: this ring is not declared: write 'ring' with its number first" \
		replay wrong.case
	refuse 'a malformed file behind a good one: nothing is judged' \
		"wrong.case:3:6: this ring is not declared: write 'ring' with its number first" \
		replay good.trace wrong.case
	refuse 'replay of a case' \
		"plain.case: nothing was recorded in it; perform it with 'perfwake run'" \
		replay good.trace plain.case
	refuse 'list with an unknown option' 'list: unknown option -l; see perfwake --help' list -l
}

# Which step it is that fails depends on the kernel and its settings.
test_no_rights()
{
	local hint='Operation not permitted: run as root, or with CAP_BPF and CAP_PERFMON'
	local lines status bad=0

	ordinary "$work/perfwake" run plain.case > out 2> err < /dev/null
	status=$?
	lines=$(grep -c "^perfwake: run: [^:]* failed: $hint\$" err)
	same 'run without rights' status "$status" 2 || bad=1
	same 'run without rights' stdout "$(cat out)" '' || bad=1
	if [ "$lines" -ne 1 ] || [ "$(wc -l < err)" -ne 1 ]; then
		tap_say < err
		bad=1
	fi
	tap_result $bad 'run without rights'
}

test_unreadable()
{
	if can_be_ordinary; then
		check 'an unreadable file' 2 '' \
			'perfwake: locked/locked.trace: cannot be read: Permission denied' \
			ordinary "$work/perfwake" replay locked/locked.trace
		test_no_rights
	else
		tap_skip 'an unreadable file' 'this user cannot become an ordinary one'
		tap_skip 'run without rights' 'this user cannot become an ordinary one'
	fi
}

good_report='KTAP version 1
1..1
ok 1 good'

# bad_lines NUMBER: what is reported of bad.trace
bad_lines()
{
	echo "# bad.trace:4: look 0: expected ready, seen quiet
# rule     K1: every wakeup_events samples wake once, whatever was consumed in between
# again    perfwake replay bad.trace
# before   head=48 tail=0 wakeup=1 watermark=2048 events=0 wakeup_events=2 lost=0 ready
not ok $1 bad"
}

part_lines()
{
	echo "# part.trace:4: look 0: not judged: the trace does not say what this step showed
# again    perfwake replay part.trace
not ok $1 part"
}

test_replay()
{
	local begin='KTAP version 1
1..'

	check 'replay of a good trace' 0 "$good_report" '' "$perfwake" replay good.trace
	check 'replay of a folder, of its *.case files' 0 "$good_report" '' "$perfwake" replay cases
	check 'replay of a folder with an odd name' 0 "$good_report" '' "$perfwake" replay 'odd[1]*'
	"$perfwake" replay lostwake.trace > known
	tap_result $? 'a known defect is no failure'
	grep -q '^not ok 1 lostwake # XFAIL known defect K8a$' known
	tap_result $? 'a known defect is named'
	"$perfwake" replay --strict lostwake.trace > known
	[ $? -eq 1 ] && grep -q '^not ok 1 lostwake known defect K8a$' known
	tap_result $? 'with --strict it is a failure'
	check 'replay of a falsified trace' 1 "${begin}1
$(bad_lines 1)" '' "$perfwake" replay bad.trace
	check 'replay of a trace that is not whole' 2 "${begin}1
$(part_lines 1)" '' "$perfwake" replay part.trace
	check 'a broken rule outweighs what was not judged' 1 "${begin}3
$(part_lines 1)
$(bad_lines 2)
ok 3 good" '' "$perfwake" replay part.trace bad.trace good.trace
	check 'what was not judged outweighs a pass' 2 "${begin}2
ok 1 good
$(part_lines 2)" '' "$perfwake" replay good.trace part.trace
}

# on_terminal COMMAND...: what it writes to a terminal, into the file out
on_terminal()
{
	script -qec "$*" /dev/null < /dev/null > out
}

# Colours are for terminals; the words alone say it all.
test_colours()
{
	local esc red green
	esc=$(printf '\033')
	red="$esc\\[1;31mnot ok 1 bad" green="$esc\\[32mok 2 good"

	if ! TERM=xterm on_terminal true; then
		tap_skip 'colours' 'no program script here to make a terminal'
		return
	fi
	NO_COLOR='' TERM=xterm on_terminal "$perfwake" replay bad.trace good.trace
	grep -q "$red" out && grep -q "$green" out
	tap_result $? 'a terminal shows colours'
	NO_COLOR=1 TERM=xterm on_terminal "$perfwake" replay bad.trace good.trace
	! grep -q "$esc" out && grep -q '^not ok 1 bad' out
	tap_result $? 'NO_COLOR takes them away'
	TERM=dumb on_terminal "$perfwake" replay bad.trace good.trace
	! grep -q "$esc" out && grep -q '^not ok 1 bad' out
	tap_result $? 'so does a dumb terminal'
	TERM=xterm "$perfwake" replay bad.trace good.trace > out
	! grep -q "$esc" out && grep -q '^not ok 1 bad' out
	tap_result $? 'and a pipe or a file'
	mkdir progress
	cp good.trace progress
	TERM=xterm on_terminal "'$perfwake' report progress > page"
	grep -q 'progress: 1 of 1 traces' out && ! grep -q "$esc\\[K" page
	tap_result $? 'a terminal shows the progress'
	[ "$(tr '\r' '\n' < out | tail -n 1)" = "${esc}[K" ]
	tap_result $? 'which is gone at the end'
	TERM=xterm "$perfwake" report progress > page 2> err
	tap_result $(($? || $(wc -c < err))) 'a file gets none'
}

# in_schema FILE: is a report as JSON what the schema says?
in_schema()
{
	"$top/vm/tests/in-schema" "$1" "$top/docs/report.schema.json" | tap_say
	return "${PIPESTATUS[0]}"
}

# The same verdicts as the KTAP, member by member.
test_json()
{
	printf 'name mistaken\nring 0 pages=1 wakeup_events=2\nlook 0 = ready -> quiet\n' > mistaken.trace
	"$perfwake" replay --json r.json bad.trace mistaken.trace > known
	same 'JSON' outcomes "$(jq -c '[.cases[].outcome]' r.json)" '["differs","expectation"]' && in_schema r.json
	tap_result $? 'what kernel and case have wrong is in the schema'
	jq 'del(.cases[1].rule)' r.json > less.json
	jq '.cases[0].extra = 1' r.json > more.json
	! in_schema less.json 2> known && ! in_schema more.json 2> known
	tap_result $? 'which refuses what lacks a member or has another'
	"$perfwake" replay --json r.json part.trace bad.trace good.trace lostwake.trace > known
	[ $? -eq 1 ] && [ ! -e r.json.part ] && grep -q '^not ok 2 bad$' known
	tap_result $? 'a report as JSON beside the KTAP'
	same 'JSON' outcomes "$(jq -c '[.cases[].outcome], .status, .complete, .planned' r.json)" \
		'["missing","differs","proved","defect"]
1
true
4'
	tap_result $? 'has the outcome of each case, and the status'
	same 'JSON' difference "$(jq -c '.cases[1] | del(.rule_text)' r.json)" \
		'{"name":"bad","file":"bad.trace","outcome":"differs","compared":2,"line":4,"step":"look 0","expected":"ready","seen":"quiet","rule":"K1","again":"perfwake replay bad.trace"}'
	tap_result $? 'has each part of a difference'
	same 'JSON' defects "$(jq -c '.cases[3].defects' r.json)" '["K8a"]'
	tap_result $? 'names known defects'
	in_schema r.json
	tap_result $? 'and is in the schema'
	cp bad.trace "$(printf 'a"b\\c\td\377.trace')"
	"$perfwake" replay --json r.json a*.trace > known
	same 'JSON' file "$(jq -r '.cases[0].file' r.json)" "$(printf 'a"b\\c\td\357\277\275.trace')"
	tap_result $? 'takes file names of any bytes'
	refuse 'JSON to nowhere' 'replay: --json no/r.json: No such file or directory' \
		replay --json no/r.json good.trace
	mkdir -p r.dir
	check 'JSON in the place of a folder' 2 "$good_report" \
		'perfwake: replay: --json r.dir: Is a directory' "$perfwake" replay --json r.dir good.trace
	[ ! -e r.dir.part ]
	tap_result $? 'nothing half-written is left'
}

test_predict_options()
{
	local range

	refuse 'predict of nothing' \
		'predict: give a case file, or --wakeup-events N --pages P --size S' predict
	for range in wakeup-events:x:0:4294967295 wakeup-events:-1:0:4294967295 \
		wakeup-events:4294967296:0:4294967295 wakeup-events:+1:0:4294967295 \
		wakeup-events:0x1:0:4294967295 wakeup-events:99999999999999999999:0:4294967295 \
		watermark:1k:0:4294967295 pages:0:1:4096 pages:8192:1:4096 size:3:4:65516 \
		size:65517:4:65516 samples:0:1:4194304 samples:4194305:1:4194304; do
		local option=${range%%:*} rest=${range#*:}
		local value=${rest%%:*} limits=${rest#*:}

		limits="${limits%:*} to ${limits#*:}"

		refuse "predict with --$option $value" \
			"predict: --$option $value: a number from $limits is expected" \
			predict "--$option" "$value"
	done
	refuse 'predict with 3 pages' 'predict: --pages 3: a power of two is expected' \
		predict --wakeup-events 1 --pages 3
	refuse 'predict with both thresholds' \
		'predict: give one of --wakeup-events and --watermark' \
		predict --wakeup-events 1 --watermark 1
	refuse 'predict without a threshold' \
		'predict: give one of --wakeup-events and --watermark' \
		predict --pages 1
	refuse 'predict with a file and options' 'predict: either one FILE or options, not both' \
		predict --wakeup-events 1 plain.case
	refuse 'predict with an unknown option' \
		'predict: unknown option --colour; see perfwake --help' \
		predict --colour red
	refuse 'predict with an unknown letter' 'predict: unknown option -x; see perfwake --help' \
		predict -x
	refuse 'predict with several unknown letters' \
		'predict: unknown option -x; see perfwake --help' predict -xy
	refuse 'predict with an option without value' 'predict: --pages needs a value' \
		predict --pages
}

test_predict_file()
{
	check 'predict fills in the model' 0 'name plain
ring 0 cpu=0 pages=1 wakeup_events=2
emit 0 count=2 size=8 = ok
look 0 = ready' '' "$perfwake" predict plain.case
	"$perfwake" predict plain.case > once.case
	check 'predict of its own output' 0 "$(cat once.case)" '' "$perfwake" predict once.case
	check 'predict of a wrong expectation' 1 '' "perfwake: wish.case:3: look 0: the case expects ready, the model says quiet
perfwake: rule     K1: without a crossing of count or watermark nothing wakes
perfwake: before   head=0 tail=0 wakeup=0 watermark=2048 events=0 wakeup_events=2 lost=0 quiet" \
		"$perfwake" predict wish.case
	refuse 'predict of a malformed file' \
		"wrong.case:3:6: this ring is not declared: write 'ring' with its number first" \
		predict wrong.case
}

test_timeline()
{
	local file

	refuse 'timeline of nothing' \
		'timeline: give one trace or case: perfwake timeline FILE > FILE.svg' timeline
	refuse 'timeline of two files' \
		'timeline: give one trace or case: perfwake timeline FILE > FILE.svg' \
		timeline good.trace bad.trace
	refuse 'timeline of a malformed file' \
		"wrong.case:3:6: this ring is not declared: write 'ring' with its number first" \
		timeline wrong.case
	for file in good.trace bad.trace plain.case; do
		"$perfwake" timeline $file > out 2> err && [ ! -s err ] && grep -q '^<svg xmlns=' out && grep -q '</svg>$' out
		tap_result $? "timeline of $file"
	done
	"$perfwake" timeline bad.trace | grep -q ': expected ready, seen quiet<'
	tap_result $? 'timeline says in words what differs'
}

test_run_options()
{
	refuse 'run of nothing' 'run: give case files: perfwake run FILE...' run
	refuse 'run with an unknown option' 'run: unknown option --fast; see perfwake --help' \
		run --fast plain.case
	refuse 'run with an unknown emitter' \
		"run: --emitter kprobe: 'test-run', 'attached', 'module' or 'packet' is expected" \
		run --emitter kprobe plain.case
	refuse 'run with an unknown consumer' \
		'run: --consumer pcap: not known; see perfwake list' run --consumer pcap plain.case
	refuse 'consumers of nothing' \
		'consumers: give the cases that it asks: perfwake consumers FILE...' consumers
	refuse 'consumers of a missing file' 'no.case: cannot be read: No such file or directory' \
		consumers no.case
	refuse 'run with traces to nowhere' 'run: --traces nowhere: No such file or directory' \
		run --traces nowhere plain.case
	refuse 'run with traces to a file' 'run: --traces good.trace: Not a directory' \
		run --traces good.trace plain.case
	refuse 'run of two cases of one name' \
		'plain.case and other.case: both are named plain; give one another name' \
		run plain.case other.case
	refuse 'run of a missing file' 'no.case: cannot be read: No such file or directory' \
		run no.case
}

# A report that was cut short is none.
test_full_device()
{
	local command

	if [ ! -c /dev/full ]; then
		tap_skip 'a full device' 'no /dev/full'
		return
	fi
	for command in 'replay good.trace' 'replay bad.trace' 'predict plain.case' \
		'predict --wakeup-events 4' 'list plain.case' \
		'timeline good.trace' list --help --version; do
		# shellcheck disable=SC2016,SC2086
		check "$command to a full device" 2 '' \
			'perfwake: standard output: No space left on device' \
			sh -c '"$@" > /dev/full' sh "$perfwake" $command
	done
}

make_files
test_usage
test_files
test_unreadable
test_replay
test_json
test_colours
test_predict_options
test_predict_file
test_timeline
test_run_options
test_full_device
tap_done
