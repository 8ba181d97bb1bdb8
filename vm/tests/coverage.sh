#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of scripts/coverage that need no kernel: a program of two functions stands in for it.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source=../../scripts/coverage-table.sh
. "$top/scripts/coverage-table.sh"

said=$scratch/said err=$scratch/err file=kernel/events/core.c
mkdir -p "$scratch/kernel/events" "$scratch/counts"
cat >"$scratch/$file" <<'END'
static int half(int x)
{
	if (x & 1)
		return -1;
	return x / 2;
}

int main(int argc, char **argv)
{
	if (argc > 9) {
		argv[0] = 0;
		argc--;
	}
	return half(argc + 1) != 1;
}
END
printf '%s half\n' "$file" >"$scratch/path"
printf '%s main\n' "$file" >>"$scratch/path"
# FILE LINE COUNT BRANCHES TAKEN; lines of main() that others reach as well.
lines() { printf '%s\t%s\n' "$file" "$1"; }
for one in '1	1	0	0' '3	1	2	1' '4	0	0	0' '5	1	0	0' \
	'8	1	0	0' '10	1	2	1' '11	0	0	0' '12	0	0	0' '14	1	0	0'; do lines "$one"; done >"$scratch/lines"
for one in '8	1	0	0' '10	1	2	2' '11	1	0	0'; do lines "$one"; done >"$scratch/others"

run_counted() {
	(cd "$scratch/counts" && gcc --coverage -O0 -o program "$scratch/$file" && ./program) &&
		mv "$scratch/counts/"*.gcno "$scratch/counts/core.gcno" && mv "$scratch/counts/"*.gcda "$scratch/counts/core.gcda"
}
# Compilers differ in whether the end of a function has code of its own.
counted() { same "$(lines_of "$scratch/counts" | sort -n -k 2 | grep -v -P '\t(6|15)\t')" "$(cat "$scratch/lines")"; }

# ends STATUS REASON...: of the table with these reasons for what was not reached.
ends() {
	local due=$1 status
	shift
	printf '%s\n' "$@" >"$scratch/unreached"
	table "$scratch" "a source" "$scratch/path" "$scratch/unreached" "${lines_file-$scratch/lines}" "${others-}" >"$said" 2>"$err"
	status=$?
	same "status $status" "status $due" || { cat "$err"; return 1; }
}
half='half | return -1; | nobody has an odd one' main='main | argv[0] = 0; .. argc--; | nobody says so much'
complains() {
	local text=$1
	shift
	ends 1 "$@" && has "$err" "$text" && same "$(wc -l <"$err")" 1
}
without_lines() { lines_file=/dev/null ends 1 "$half" "$main" && has "$err" 'no functions, or no lines'; }
with_others() { others=$scratch/others ends 0 "$half" "$main" && has "$said" 'reach 3 lines (33.3 %)' && has "$said" '^2 branches (50.0 %)'; }
unknown_function() { echo "$file third" >>"$scratch/path"; complains "no function third in $file" "$half" "$main"; }
left_out_as_a_whole() { sed -i 's/third/third | hardware/' "$scratch/path"; ends 0 "$half" "$main" && has "$said" '^[*] .third.: hardware'; }

tap_plan 17
check "help" "$top/scripts/coverage" --help
check "an unknown word" one_line 'unexpected word --frob' "$top/scripts/coverage" --frob
check "a program that counts" run_counted
check "its lines, counts and branches" counted
check "what was not reached has reasons" ends 0 "$half" "$main"
check "all is added up" has "$said" '^In all: 6 of 9 lines (66.7 %), 2 of 4 branches (50.0 %)[.]'
check "and each function told" has "$said" "^| .half. | $file | 3 of 4 | 1 of 2 |"
check "lines in a row with one reason are told together" has "$said" \
	"^[*] .main., $file:11-12 .argv.0. = 0;. and 1 more line: nobody says so much"
check "a reason that is missing" complains "no reason: half, $file:4 return -1;" "$main"
check "a reason for what was reached" complains 'stale: half | return x' "$half" "$main" 'half | return x / 2; | old'
check "no reason at all" complains 'unreached:3: not FUNCTION' "$half" "$main" 'half is odd'
check "what is left out does not count" ends 0 "$half" "${main/nobody/left out: nobody}"
check "but is told" has "$said" '^In all: 6 of 7 lines (85.7 %), 2 of 4 branches (50.0 %)[.]'
check "no lines" without_lines
check "what the tests of others reach" with_others
check "a function that there is not" unknown_function
check "one that is left out as a whole" left_out_as_a_whole
tap_end
