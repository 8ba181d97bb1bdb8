#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of build/vm/export: results.ktap, results.json and junit.xml of a run say the same, by the
# kernel's own parser (kunit.py), a JSON schema and an XML schema. Behind the KTAP made by hand
# come the results of runs that are there, real ones.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

kunit=${KSRC:-$build/linux-source-6.1}/tools/testing/kunit/kunit.py
dir=$scratch/run json=$scratch/run/results.json junit=$scratch/run/junit.xml said=$scratch/said

# put LINE...: this is what a run has left.
put() {
	rm -rf "$dir"
	mkdir "$dir"
	printf '%s\n' "$@" >"$dir/results.ktap"
}
exports() { "$build/vm/export" "$dir/results.ktap"; }
query() { xmllint --xpath "$1" "$junit"; }
# says NUMBER...: passed, failed, skipped in all of them.
says() {
	same "$("$build/vm/tally" <"$dir/results.ktap" | tail -n 1)" "$1 passed, $2 failed, $3 skipped" &&
	same "$(jq -r '[.passed, .failed, .skipped] | join(" ")' "$json")" "$1 $2 $3" &&
	same "$(jq -r '[["passed", "failed", "skipped"][] as $o | [.tests[].results[] | select(.outcome == $o)] | length] | join(" ")' "$json")" "$1 $2 $3" &&
	same "$(query 'count(//testcase)') $(query 'count(//failure)') $(query 'count(//skipped)')" "$(($1 + $2 + $3)) $2 $3" &&
	same "$(query 'string(/testsuites/@tests)') $(query 'string(/testsuites/@failures)') $(query 'sum(//testsuite/@skipped)') $(query 'sum(//testsuite/@tests)')" \
		"$(($1 + $2 + $3)) $2 $3 $(($1 + $2 + $3))"
}
in_order() {
	"$top/vm/tests/in-schema" "$json" "$top/docs/results.schema.json" &&
		xmllint --noout --schema "$top/vm/tests/junit.xsd" "$junit"
}
# kunit NUMBER...: the kernel's parser counts the same, and has no complaint.
kunit() {
	local word words=''
	python3 "$kunit" parse "$dir/results.ktap" >"$said"
	[ "$1" = 0 ] || words+=", passed: $1"
	[ "$2" = 0 ] || words+=", failed: $2"
	[ "$3" = 0 ] || words+=", skipped: $3"
	word="Ran $(($1 + $2 + $3)) tests: ${words#, }"
	has "$said" "Testing complete. $word\$" && lacks "$said" 'errors:'
}
all_but_kunit() { says "$@" && in_order; }

fine=('KTAP version 1' '1..3' '# QEMU 9, accelerator tcg' '# kernel 9.9-made-up, 2 CPUs, 3 tests' '  KTAP version 1' '  1..3' '  ok 1 a'
	'  ok 2 b # SKIP no "such" <thing> & more' '  # it has a defect' '  not ok 3 c # XFAIL K8a: lost wake' 'ok 1 first' 'ok 2 second' 'ok 3 third # SKIP declared' '# status 0')
wrong=('KTAP version 1' '1..3' '# kernel 9.9, 2 CPUs, 3 tests' '  KTAP version 1' '  1..2' '  ok 1 a' '  # expected <quiet> & "ready"' '  # seen ready'
	'  not ok 2 b' 'not ok 1 first # exit status 1' '  KTAP version 1' '  1..1' '  ok 1 x' 'not ok 2 second # the kernel complained' '# kernel log: WARNING: made'
	'# partial results: cut' 'not ok 3 third # missing: never begun' '# status 3')

no_file() { ! "$build/vm/export" "$scratch/none" 2>"$said" && has "$said" 'cannot read'; }
no_room() {
	local status
	put "${fine[@]}"
	ln -s /dev/full "$dir/.results.json.new"
	exports 2>"$said"
	status=$?
	same "status $status" "status 2" && has "$said" 'cannot write beside' && [ ! -e "$json" ] && [ ! -e "$junit" ]
}
# A falsified file has to be seen.
sees_other_count() { sed -i 's/"passed": 3,/"passed": 4,/' "$json" && ! says 3 0 2 && exports; }
sees_bad_json() { sed -i 's/"outcome": "passed"/"outcome": "fine"/' "$json" && ! in_order 2>/dev/null && exports; }
sees_bad_junit() { sed -i 's/<skipped /<skip /; s/<failure/<fail/' "$junit" && ! in_order 2>/dev/null && exports; }

# Real results: of the suite on each kernel that ran, by what the run itself counted.
real() {
	local ktap known n=0
	for ktap in "$build"/results/*/results.ktap; do
		[ -e "$ktap" ] || continue
		put "$(cat "$ktap")"
		read -r -a count < <("$build/vm/tally" <"$ktap" | tail -n 1 | tr -dc '0-9 \n')
		echo "of $ktap: ${count[*]}"
		{ exports && says "${count[@]}" && in_order; } || return 1
		known=$(grep -c '^ *not ok .* # XFAIL' "$ktap")
		[ "${count[1]}" -ne 0 ] || kunit $((count[0] - known)) "$known" "${count[2]}" || return 1
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || { echo "no results in $build/results: run make vmtest first"; return 1; }
}

tap_plan 26
check "no results" no_file
check "no room" no_room
put "${fine[@]}"
check "a run in order" exports
check "is told the same by all" all_but_kunit 3 0 2
check "but by the kernel's parser, for which a known defect is a failure" kunit 2 1 2
check "its kernel" same "$(jq -r .kernel "$json")" 9.9-made-up
check "is complete" same "$(jq -c '[.complete, .status]' "$json")" '[true,0]'
check "what is XML's own, is escaped" same "$(query 'string(//skipped/@message)')" 'SKIP no "such" <thing> & more'
check "a known defect is told in JSON" same "$(jq -r '.tests[0].results[2].reason' "$json")" 'XFAIL K8a: lost wake'
check "and in JUnit" same "$(query 'string(//testcase[@name="c"]/system-out)')" 'XFAIL K8a: lost wake'
check "another count is seen" sees_other_count
check "another word is seen" sees_bad_json
check "another element is seen" sees_bad_junit
put "${wrong[@]}"
check "a run that failed" exports
check "is told the same by all" all_but_kunit 2 3 0
check "but by the kernel's parser, which counts no test below which all passed" kunit 2 2 0
check "what a failure said is in JSON" same "$(jq -r '.tests[0].results[1].details' "$json")" $'# expected <quiet> & "ready"\n# seen ready'
check "and in JUnit" same "$(query 'string(//testcase[@name="b"]/failure)')" $'# expected <quiet> & "ready"\n# seen ready'
check "a test that fails as a whole" same "$(query 'string(//testcase[@name="second"]/failure/@message)')" 'the kernel complained'
check "is not complete" same "$(jq -c '[.complete, .status]' "$json")" '[false,3]'
put 'KTAP version 1' 1..2 'ok 1 a'
check "a breach of the format is a failure" bash -c "'$build/vm/export' '$dir/results.ktap' && jq -e '.failed == 1 and .complete == false' '$json'"
put 'KTAP version 1' 1..1 '  KTAP version 1' '  1..6' '  ok 1 a' 'not ok 1 first # exit status 2' '# status 2'
check "results that never came are as many failures" exports
check "in each of the files" all_but_kunit 1 5 0
put 'KTAP version 1' 1..1 '  KTAP version 1' '  1..1' '  not ok 1 a' 'ok 1 first' '# status 1'
check "a test that passes above a failure adds none" exports
check "nor in the files" all_but_kunit 0 1 0
check "what real runs have left" real
tap_end
