#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each wrong model has to reject at least one of the traces that were recorded on a real kernel, and
# the right one has to accept all of them: so the cases would notice a kernel as wrong as that.
#
#	test_wrong_models.sh PROGRAMS TRACES...
#
# PROGRAMS has right/replay, and ID/replay for each wrong model of the list; each of TRACES has *.trace.
set -u

here=$(dirname "$0")
# shellcheck source=validator/tests/tap.sh
. "$here/tap.sh"

[ $# -ge 2 ] || tap_bail_out 'usage: test_wrong_models.sh PROGRAMS TRACES...'
programs=$1
list=$here/wrong-models/list

shopt -s nullglob
traces=()
for folder in "${@:2}"; do
	found=("$folder"/*.trace)
	[ ${#found[@]} -gt 0 ] || tap_bail_out "$folder has no *.trace"
	traces+=("${found[@]}")
done

# Of a report: the first case that is rejected, its line and step, and how many are.
first_rejected()
{
	awk -v cases="${#traces[@]}" '
	/^# .*:[0-9]+: / && step == "" {
		step = $0
		sub(/^# .*\//, "", step)
		sub(/\.trace:/, ":", step)
	}
	/^not ok / { rejected++ }
	END { if (rejected) printf "%s (%d of %d traces)\n", step, rejected, cases }'
}

right()
{
	local report passed

	if ! report=$("$programs/right/replay" "${traces[@]}"); then
		tap_say <<< "$report"
		return 1
	fi
	passed=$(grep -c '^ok ' <<< "$report")
	[ "$passed" -eq "${#traces[@]}" ]
}

# wrong ID RULE: status 1, a rule that does not hold; anything else is no rejection
wrong()
{
	local report status caught

	report=$("$programs/$1/replay" "${traces[@]}" 2>&1)
	status=$?
	caught=$(first_rejected <<< "$report")
	printf '# %-24s %-58s %s\n' "$1" "$2" "${caught:-SURVIVES}"
	[ $status -eq 1 ] && [ -n "$caught" ]
}

right
tap_result $? "the right model accepts all ${#traces[@]} traces"
while read -r id rule; do
	if [ -x "$programs/$id/replay" ]; then
		wrong "$id" "$rule"
	else
		tap_say <<< "$programs/$id/replay was not built"
		false
	fi
	tap_result $? "wrong model is caught: $id"
done < <(awk '$1 == "id" { id = $2 } $1 == "rule" { $1 = ""; print id $0 }' "$list")
[ "$tap_results" -gt 1 ] || tap_bail_out "$list has no wrong models"
tap_done
