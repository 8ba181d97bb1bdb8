#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The HTML report: what it says, of which results, and that nothing from outside becomes markup.
#
#	test_report.sh REPORT GOLDEN
#
# REPORT is perfwake, or what has only its command of that name; GOLDEN the folder of falsified traces.
set -u

# shellcheck source=validator/tests/tap.sh
. "$(dirname "$0")/tap.sh"

[ $# -eq 2 ] || tap_bail_out 'usage: test_report.sh REPORT GOLDEN'
report=$(realpath "$1")
golden=$(realpath "$2")
work=$(mktemp -d) || tap_bail_out 'no folder to work in'
trap 'rm -rf "$work"' EXIT
cd "$work" || tap_bail_out "$work cannot be entered"

# ktap FOLDER: results.ktap of a run, from stdin
ktap()
{
	mkdir -p "$1/traces"
	cat > "$1/results.ktap"
}

# writes STATUS ARGUMENT...: a page, and nothing said
writes()
{
	local status=$1 got

	shift
	"$report" report --rules rules "$@" > page 2> err
	got=$?
	if [ "$got" -ne "$status" ] || { [ "$status" -eq 0 ] && [ -s err ]; }; then
		{ echo "status $got, not $status"; cat err; } | tap_say
		return 1
	fi
}

# has TEXT: the page has it, as it is
has() { grep -qF -- "$1" page || { echo "the page lacks: $1" | tap_say; false; }; }
lacks() { ! grep -qF -- "$1" page || { echo "the page has: $1" | tap_say; false; }; }

# refuse NAME LINE ARGUMENT...: status 2, one line, no page
refuse()
{
	local name=$1 line=$2

	shift 2
	writes 2 "$@" && [ ! -s page ] && [ "$(cat err)" = "perfwake: report: $line" ]
	tap_result $? "$name"
}

# cells RULE: the cells of its row, as text
cells()
{
	sed -n "s|^<tr><th scope=row>$1 <small>[^<]*</small>||p" page | sed 's|<td[^>]*>|;|g; s|<[^>]*>||g'
}

cells_are()
{
	[ "$(cells "$1")" = "$2" ] || { echo "$1: $(cells "$1"), not $2" | tap_say; false; }
}

printf '%s\n' '# comment' 'one/b* K2 K10' 'one* K1' 'two K2' 'traces/* K4' 'hot*	K5' > rules

ktap good << 'END'
KTAP version 1
1..3
# QEMU 9.1, accelerator none, kernel from x
  KTAP version 1
  1..3
  # seed 42, emitter test-run
  ok 1 a
  ok 2 bb # SKIP no such thing
  not ok 3 c # XFAIL K9z: as it is known
ok 1 one
ok 2 two
  1..2
  ok 1 proved
  ok 2 twin
ok 3 traces
# status 0
END
cp "$golden/proved.trace" good/traces/
sed 's/^name .*/name twin/' "$golden/proved.trace" > good/traces/twin.trace

ktap bad << 'END'
KTAP version 1
1..4
# kernel log: WARNING: at ring_buffer.c:1
# console: Oops & <em>more</em>
  # two.c:7: 3 is not 4 <script>alert(1)</script>
  not ok 1 a
  ok 2 bb
not ok 1 one # exit status 1
not ok 2 two # missing: the guest ended in it
  ok 1 proved
  not ok 2 look-quiet
not ok 3 traces # exit status 1
  not ok 1 "><img src=x onerror=alert(1)>&lt;'
not ok 4 hot # exit status 1
# partial results: the guest ended without its end marker
# status 3
END
cp "$golden/proved.trace" "$golden/look-quiet.trace" "$golden/defect.trace" bad/traces/

writes 0 good
tap_result $? 'a run in which all is proved'
has '<title>perfwake: all proved</title>' && has 'Nothing.' && has 'ended well'
tap_result $? 'says so'
cells_are K1 ';1 ok, 1 known' && cells_are K2 ';1 ok, 1 skipped' && cells_are K10 ';1 skipped' && cells_are K4 ';2 ok'
tap_result $? 'counts are by rule; a result of two rules counts in both'
has 'QEMU 9.1' && has 'seed 42' && has 'perfwake tested'
tap_result $? 'versions and seeds are told'
has 'proved, twin' && [ "$(grep -c '<details id=d' page)" -eq 1 ]
tap_result $? 'cases that look the same are drawn once, by their names'
has 'no such thing' && has 'as it is known'
tap_result $? 'why something was skipped or is known'

mkdir new && cp -r good new/work && writes 0 good && mv page there && writes 0 --as good new/work && cmp page there >&2
tap_result $? 'a folder that is elsewhere, called by its name'
refuse 'a name with no folder' '--as good: no folder follows' good --as good

writes 0 bad good --without gone
tap_result $? 'two runs and one that has no results'
has '<title>perfwake: 4 results failed, 1 trace differs</title>' && lacks 'Nothing.'
tap_result $? 'the title counts failures'
cells_are K1 ';1 failed;1 ok, 1 known;NONE' && cells_are K2 ';1 failed, 1 ok;1 ok, 1 skipped;NONE' &&
	cells_are K4 ';1 failed, 1 ok;2 ok;NONE' && cells_are K10 ';1 ok;1 skipped;NONE'
tap_result $? 'each in its column, no result where others have some is told'
has 'crashed, hung or warned' && has 'WARNING: at ring_buffer.c:1' && has 'partial results: the guest'
tap_result $? 'how the run ended, and what the kernel said'
has 'two.c:7: 3 is not 4' && has 'missing: the guest ended in it'
tap_result $? 'what failed without a trace is told by what was printed'
[ "$(grep -c '^<article' page)" -eq 6 ] && has 'Differs: look-quiet' && has 'Known defect: defect' &&
	has 'again    perfwake replay bad/traces/look-quiet.trace' && has 'produced since the last byte step'
tap_result $? 'a trace that differs is told in words, with the state of the model'
[ "$(grep -o 'href="#z"' page | wc -l)" -eq 2 ]
tap_result $? 'one difference is marked, and the mark is in the legend'
lacks '<script' && lacks '<img' && lacks '<em>' && has '&lt;script&gt;alert(1)' && has '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;lt;&#39;'
tap_result $? 'no text from outside becomes markup'
! grep -o '<[^>]*>' page | grep -e src= -e '<link' -e http -e '[(=]//' && lacks '@import' && lacks 'url('
tap_result $? 'nothing else is loaded'

sed '/^# status/d' good/results.ktap | ktap cut
writes 0 cut && has 'not proved' && has 'broken off'
tap_result $? 'a results.ktap that breaks off proves nothing'
sed '/^ok 3/,$d' good/results.ktap | ktap torn
writes 0 torn && has 'results.ktap ends here'
tap_result $? 'results whose test has none are not dropped'
ktap silent < /dev/null
cp good/traces/proved.trace silent/traces
writes 0 silent && has 'not proved'
tap_result $? 'an empty results.ktap proves nothing'

mkdir loose
cp "$golden/proved.trace" loose
writes 0 loose && has 'all proved' && cells_are 'no rule' ';1 ok'
tap_result $? 'a folder of traces alone'
cp "$golden/look-quiet.trace" loose
writes 0 loose && has '1 result failed, 1 trace differs' && cells_are 'no rule' ';1 failed, 1 ok'
tap_result $? 'one of them differs'
printf 'name x\nring 0 pages=3\nlook 0\n' > loose/x.trace
writes 0 loose && has 'loose/x.trace:2:' && has '2 results failed'
tap_result $? 'a trace that cannot be read is a failure'

mkdir empty
refuse 'a folder without results' 'empty: neither results.ktap nor traces lie in this folder' good empty
refuse 'a missing folder' 'none: neither results.ktap nor traces lie in this folder' none
refuse 'no folder' 'give folders of results: perfwake report FOLDER... > report.html'
refuse 'a missing file of rules' '--rules none: No such file or directory' --rules none good
# shellcheck disable=SC2046 # one word a number
refuse 'too many folders' 'more than 32 folders' $(for i in $(seq 33); do echo "--without $i"; done)
tap_done
