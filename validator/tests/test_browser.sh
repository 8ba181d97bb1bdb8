#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The HTML report in a browser: what a reader sees at the width of a telephone and of a desk, in
# light and dark, by keyboard and without colour; and how fast a page of 10,000 cases opens.
#
#	test_browser.sh PERFWAKE MAKE-TRACES
#
# Without a browser (scripts/deps --browser installs one; BROWSER names another) all is skipped.
set -u

# shellcheck source=validator/tests/tap.sh
. "$(dirname "$0")/tap.sh"

[ $# -eq 2 ] || tap_bail_out 'usage: test_browser.sh PERFWAKE MAKE-TRACES'
perfwake=$(realpath "$1")
make_traces=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
max_bytes=5000000
max_ms=2000

find_browser()
{
	local name

	for name in ${BROWSER-} chromium-headless-shell chromium chromium-browser google-chrome; do
		command -v "$name" && return
	done
	return 1
}

browser=$(find_browser) || {
	echo 'KTAP version 1'
	echo '1..0 # SKIP no browser here: scripts/deps --browser installs one'
	exit 4
}
work=$(mktemp -d) || tap_bail_out 'no folder to work in'
trap 'rm -rf "$work"' EXIT
cd "$work" || tap_bail_out "$work cannot be entered"
sandbox=()
[ "$(id -u)" -ne 0 ] || sandbox=(--no-sandbox)	# the browser refuses root one

# The time that a page takes is its own only if others at work here do not get it.
ahead=()
! chrt -r 1 true 2> /dev/null || ahead=(chrt -r 1)

# browse URL OPTION...
browse()
{
	local url=$1

	shift
	timeout -k 5 120 "${ahead[@]}" "$browser" --headless "${sandbox[@]}" --disable-gpu --hide-scrollbars \
		--no-first-run --user-data-dir="$work/profile" --window-size=1600,1000 "$@" "$url" 2> browser.err
}

# add_probe PAGE: probed.html, the page and what measures it
add_probe()
{
	{ cat "$1"; echo '<script>'; cat "$here/probe.js"; echo '</script>'; } > probed.html
}

# Lines of probe.js out of a document, into the file said.
read_probe()
{
	sed -n '/^PROBE$/,/^END$/p' > said
	[ -s said ] || { tail -n 3 browser.err | tap_say; false; }
}

# probe WIDTH PAGE [OPTION...]: in a frame, as windows cannot be as narrow as a telephone
probe()
{
	local width=$1

	add_probe "$2"
	shift 2
	cat > frame.html << END
<!DOCTYPE html><meta name=color-scheme content="light dark"><style>body{margin:0}</style>
<iframe src=probed.html width=$width height=900 style="border:0"
onload="document.body.append(this.contentDocument.getElementById('probe'))"></iframe>
END
	browse "file://$work/frame.html" --dump-dom --allow-file-access-from-files --disable-web-security "$@" | read_probe
}

value() { sed -n "s/^$1 //p" said | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/&nbsp;/ /g'; }

# is WHAT VALUE, and at_least WHAT NUMBER, at_most WHAT NUMBER
is() { [ "$(value "$1")" = "$2" ] || { echo "$1 is $(value "$1"), not $2" | tap_say; false; }; }
first() { value "$1" | cut -d ' ' -f 1; }
at_least() { [ "$(first "$1")" -ge "$2" ] 2>/dev/null || { echo "$1 is $(value "$1"), not $2 or more" | tap_say; false; }; }
at_most() { [ "$(first "$1")" -le "$2" ] 2>/dev/null || { echo "$1 is $(value "$1"), not $2 or less" | tap_say; false; }; }
all_of() { is "$1" "$(first "$1") of $(first "$1")"; }
shows() { value text | sed 's/\\"/"/g' | grep -qF -- "$1" || { echo "the page does not show: $1" | tap_say; false; }; }

# A run with every kind of failure, and with text that would like to be markup.
make_run()
{
	mkdir -p 9.9/traces
	cp "$here"/golden/*.trace 9.9/traces
	cat > 9.9/results.ktap << 'END'
KTAP version 1
1..3
# QEMU 9.1, accelerator none, kernel from <script>document.title="taken over"</script>
# kernel log: WARNING: CPU: 0 PID: 1 at kernel/events/ring_buffer.c:99 perf_output_begin
  1..3
  # seed 42, emitter test-run
  # one.c:33: 3 is not 4 <img src=x onerror=document.title="taken_over">
  not ok 1 a
  ok 2 b # SKIP no <i>such</i> thing
  ok 3 averyveryveryveryveryveryveryveryveryveryveryveryveryveryverylongnamewithoutanyblank
not ok 1 loss # exit status 1, 1 of its results failed
  ok 1 cadence-4
  not ok 2 look-quiet
not ok 2 cases # exit status 1
not ok 3 threshold # missing: the guest ended in it
# status 3
END
	"$perfwake" report --rules "$here/../../vm/rules" 9.9 --without 9.8 > page.html
}

# Every mark but the error of a look, which no kernel before 6.15 shows, is in the falsified traces.
marks()
{
	local id bad=0

	for id in r q h k x c l z; do
		at_least "mark-$id" 2 && all_of "mark-$id" || bad=1
	done
	return $bad
}

check_width()
{
	local width=$1

	probe "$width" page.html
	tap_result $? "the page opens at $width pixels"
	is width "$width" && at_most scroll "$width" && is overflowing '0 '
	tap_result $? "nothing overflows at $width pixels"
	marks && is unknown-marks 0 && at_least ticks 100 && all_of ticks
	tap_result $? "all marks are there and visible at $width pixels"
	shows 'K4 readiness is one flag' && shows 'crashed, hung or warned' && shows 'no results' &&
		shows 'WARNING: CPU: 0 PID: 1 at kernel/events/ring_buffer.c:99' && shows 'seed 42' &&
		shows 'Differs: look-quiet' && shows 'Known defect: defect' && shows 'produced since the last byte step' &&
		shows 'emit 0 count=8 size=8 every=look' && shows 'again    perfwake replay 9.9/traces/look-quiet.trace' &&
		shows 'expected' && shows 'ready: a look found the wake'
	tap_result $? "what there is to read is visible at $width pixels"
}

check_page()
{
	shows 'kernel from <script>document.title=' && shows '<img src=x onerror=' && is scripts 0 && is handlers 0 &&
		is title "perfwake: 3 results failed, $differ traces differ"
	tap_result $? 'text that would like to be markup is text'
	at_least alike 10 && at_least pixels-q 10
	tap_result $? 'without colour the marks differ by their shapes'
	at_least contrast 450 && is dark 0
	tap_result $? 'the contrast of all text is 4.5 or more'
	at_least doors 20 && is shut '' && is scrolling-without-focus 0 && is lost-links 0 && is ids-twice 0 &&
		is images-without-words 0
	tap_result $? 'by keyboard: all takes the focus and shows it, links lead somewhere'
	probe 1400 page.html --blink-settings=preferredColorScheme=0 && is dark 1 && at_least contrast 450 && marks
	tap_result $? 'in dark too'
}

check_drawing()
{
	local trace bad=0

	for trace in look-quiet defect; do
		"$perfwake" timeline "9.9/traces/$trace.trace" > "$trace.svg"
		browse "file://$work/$trace.svg" --dump-dom > dom || bad=1
		grep -q '<svg' dom && ! grep -q parsererror dom && grep -q ">$trace<" dom || bad=1
	done
	tap_result $bad 'a drawing of its own is a document that a browser takes'
	browse "file://$work/look-quiet.svg" --screenshot="$work/shot.png" > /dev/null
	[ "$(head -c 4 shot.png | tail -c 3)" = PNG ] && [ "$(wc -c < shot.png)" -gt 8000 ]
	tap_result $? 'and there is something to see on it'
}

# check_many NAME FALSE-OF-1000: a page of 10,000 cases. The fastest of three counts: others may be at work.
check_many()
{
	local name=$1 bytes best=99999 ms

	"$make_traces" "$name" 10000 "$2" | tap_say
	"$perfwake" report --rules "$here/../../vm/rules" "$name" > "$name.html"
	bytes=$(wc -c < "$name.html")
	echo "$name: $bytes bytes" | tap_say
	[ "$bytes" -lt "$max_bytes" ] && [ "$(grep -c '</td>\|<tr><td>' "$name.html")" -ge 10000 ]
	tap_result $? "10,000 cases, $name: less than $max_bytes bytes, each of them named"
	add_probe "$name.html"
	for _ in 1 2 3; do
		browse "file://$work/probed.html#time" --dump-dom | read_probe || continue
		ms=$(value opened)
		echo "$name: opened in $ms ms" | tap_say
		[ "$ms" -ge "$best" ] || best=$ms
		[ "$best" -ge "$max_ms" ] || break
	done
	[ "$best" -lt "$max_ms" ]
	tap_result $? "10,000 cases, $name: opens in less than $max_ms ms"
	rm -rf "$name" "$name.html"
}

# All but the one that is right and the one of a known defect.
differ=$(($(find "$here/golden" -name '*.trace' | wc -l) - 2))
make_run
for width in 400 1400; do
	check_width $width
done
check_page
check_drawing
check_many some-differ 10
check_many all-differ 1000
tap_done
