# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by scripts/coverage and its test: from gcov's files to docs/coverage.md.

# lines_of FOLDER: "FILE LINE COUNT BRANCHES TAKEN" for each line of code of kernel/events and bpf_trace.c that
# the NAME.gcno there know of, with the counts of NAME.gcda.
lines_of() {
	local one

	for one in "$1"/*.gcno; do
		(cd "$1" && gcov --json-format --stdout --branch-probabilities "$(basename "$one" .gcno).gcda") |
			jq -r '.files[] | (.file | sub("^.*/kernel/"; "kernel/")) as $file |
				select($file | test("^kernel/(events|trace)/[a-z_]*[.][ch]$")) | .lines[] |
				[$file, .line_number, .count, (.branches | length), ([.branches[] | select(.count > 0)] | length)] | @tsv' ||
			return
	done
}

# table TOP SOURCE PATH UNREACHED LINES [OTHERS]: print docs/coverage.md. The status is 1, and stderr says why,
# if a line was not reached and has no reason, or a reason no line.
table() {
	LC_ALL=C awk -v top="$1" -v source="$2" -v others="${6-}" -f "$(dirname "${BASH_SOURCE[0]}")/coverage.awk" "$3" "$4" "$5"
}
