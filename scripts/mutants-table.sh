# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # names, state, build, top and what describe() sets are its
# Sourced by scripts/mutants: writes docs/mutants.md from what is recorded.

# Each "|" in a cell would be a column.
cell() { sed 's/|/\\|/g; s/`/'"'"'/g' <<<"$1"; }

# rows VERDICT: a line for each mutant of that verdict.
rows() {
	local name first by

	for name in "${names[@]}"; do
		[ "$(verdict "$name")" = "$1" ] || continue
		describe "$name"
		first=$(field "$name.suite" first)
		by=$(catchers "$name.suite")
		case $1 in
		caught) printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$source" "$rule" "$(cell "$why")" \
			"$by" "$(cell "${first:0:200}")" ;;
		untold) printf '| %s | %s | %s | %s | %s |\n' "$name" "$source" "$rule" "$(cell "$why")" \
			"$(cell "$(untold_reason "$name")")" ;;
		*) printf '| %s | %s | %s | %s |\n' "$name" "$source" "$rule" "$(cell "$why")" ;;
		esac
	done
}

# section VERDICT TITLE HEAD: nothing if there is none.
section() {
	local lines
	lines=$(rows "$1")
	[ -n "$lines" ] || return 0
	printf '\n## %s\n\n%s\n' "$2" "$3"
	awk '{ gsub(/[^|]+/, " --- "); print }' <<<"$3"
	printf '%s\n' "$lines"
}

# The median and the largest of the numbers on stdin.
median_and_max() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] " s (at most " v[NR] " s)"; else print "unknown" }'; }

times() {
	local name
	for name in "${names[@]}"; do
		field "$name.suite" "$1"
	done | grep .
}

count() { local name n=0; for name in "${names[@]}"; do [ "$(verdict "$name")" != "$1" ] || n=$((n + 1)); done; echo "$n"; }

# --- the neighbours --------------------------------------------------------------------

groups=(perf_events bpf cilium perf)

# neighbour_cell NAME GROUP: which tests of it failed.
neighbour_cell() {
	awk -F '\t' -v g="$2" '$1 == "test" && $3 != "passed" && $3 != "skipped" && index($2, g) == 1 &&
		substr($2, length(g) + 1, 1) ~ /[-\/]/ {
			t = $2; sub(/^[^\/]*\//, "", t); printf "%s%s", n++ ? ", " : "", t }' "$state/$1.neighbours"
}

neighbour_rows() {
	local name group seen ours
	local -A by=()

	for name in "${names[@]}"; do
		[ -s "$state/$name.neighbours" ] || continue
		ours=$(verdict "$name")
		case $ours in caught | untold) ;; *) ours='not caught' ;; esac
		describe "$name"
		printf '| %s | %s | %s |' "$name" "$rule" "$ours"
		for group in "${groups[@]}"; do
			seen=$(neighbour_cell "$name" "$group")
			printf ' %s |' "$seen"
			[ -z "$seen" ] || by[$group]=$((${by[$group]-0} + 1))
		done
		echo
		[ "$(field "$name.neighbours" outcome)" != caught ] || by[any]=$((${by[any]-0} + 1))
		by[all]=$((${by[all]-0} + 1))
	done >"$state/neighbours.rows"
	printf 'Of %s kernels with a fault these caught %s: ' "${by[all]-0}" "${by[any]-0}"
	for group in "${groups[@]}"; do
		printf '%s %s%s' "$group" "${by[$group]-0}" "$([ "$group" = perf ] && echo . || echo ', ')"
	done
	echo
}

neighbours_section() {
	local one=unchanged-6.1

	[ -s "$state/$one.neighbours" ] || return 0
	printf '\n# The tests of others on the same kernels\n\n'
	echo "Run unchanged by \`make mutants NEIGHBOURS=1\`. A test has a say where it passes on the kernel without a fault; the"
	echo "cells name those that then failed. $(neighbour_rows)"
	printf '\n| mutant | rule | perfwake | perf_events | selftests/bpf | cilium/ebpf | perf test |\n'
	echo '| --- | --- | --- | --- | --- | --- | --- |'
	cat "$state/neighbours.rows"
	printf '\nWith a say: '
	awk -F '\t' '$1 == "test" && $3 == "passed" { printf "%s%s", n++ ? ", " : "", $2 } END { print "." }' "$state/$one.neighbours"
	printf '\nWithout, and so counted for neither side:\n'
	awk -F '\t' '$1 == "why" { why[$2] = $3 }
		$1 == "test" && $3 != "passed" { name[++n] = $2; how[$2] = $3 }
		END { for (i = 1; i <= n; i++) printf "* %s: %s on the kernel without a fault: %s\n", name[i], how[name[i]], why[name[i]] }
		' "$state/$one.neighbours"
	sed 's/\t/: left out: /; s/^/* /' "$build/neighbours/left-out"
}

# --- the file --------------------------------------------------------------------------

make_table() {
	local counted
	counted=$(($(count caught) + $(count survived)))
	cat <<-END
	# Kernels with a fault

	Written by \`make mutants\`, which built each of these kernels with one deliberate fault (\`mutants/\`), booted it under QEMU
	and let the suite judge it. Known defects of stock kernels (K8) are faults, too: \`back-...\` is a kernel cured
	of all of them but one.

	$counted count; the suite caught $(count caught) of them, and $(count survived) survived. Besides, $(count untold) no program outside the
	kernel can tell from the kernel without the fault, and $(($(count 'does not boot') + $(count 'same object code') + $(count 'does not compile'))) do not count.
	Building took $(times built | median_and_max) with the one before as a start, judging $(times ran | median_and_max), on a machine
	that did other work besides. The exploration of nested writers, as long as the suite, ran where the suite
	alone found nothing, and where the rule is about nesting. Judged by: $(judged_by).
	END
	section survived 'Survivors' '| mutant | source | rule | fault |'
	section 'not judged' 'Not judged yet' '| mutant | source | rule | fault |'
	section untold 'Nobody outside the kernel can tell' '| mutant | source | rule | fault | why |'
	section 'does not boot' 'Not counted: does not boot' '| mutant | source | rule | fault |'
	section 'does not compile' 'Not counted: does not compile' '| mutant | source | rule | fault |'
	section 'same object code' 'Not counted: the object code is the same' '| mutant | source | rule | fault |'
	section caught 'Caught' '| mutant | source | rule | fault | caught by | first step that differs |'
	neighbours_section
}

# The suites whose verdicts these are: more than one where --added was given.
judged_by() {
	local name
	for name in "${names[@]}"; do
		field "$name.suite" key
	done | sort | uniq -c | awk '{ printf "%ssuite %s (%d)", n++ ? ", " : "", $2, $1 }'
}

write_table() {
	local to=${MUTANTS_TABLE:-$top/docs/mutants.md}

	# What a test says names files by where they were built, which is nobody else's folder.
	{ make_table | sed "s|${build%/*}/||g" >"$state/mutants.md" && mv "$state/mutants.md" "$to"; } ||
		die "cannot write $to: check its rights and the space left on the disk"
}
