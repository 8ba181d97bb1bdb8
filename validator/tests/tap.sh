# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Results as KTAP for the host tests in shell; the plan comes last. To be sourced.

tap_results=0
tap_failed=0

# result STATUS NAME: "ok" when STATUS is 0
tap_result()
{
	[ "$tap_results" -gt 0 ] || echo 'KTAP version 1'
	tap_results=$((tap_results + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_results $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_results $2"
	fi
}

tap_skip()
{
	[ "$tap_results" -gt 0 ] || echo 'KTAP version 1'
	tap_results=$((tap_results + 1))
	echo "ok $tap_results $1 # SKIP $2"
}

# Each line of stdin as a diagnostic.
tap_say()
{
	sed 's/^/# /'
}

tap_bail_out()
{
	echo "Bail out! $*"
	exit 1
}

# Print the plan and end; nothing tested is a failure.
tap_done()
{
	[ "$tap_results" -gt 0 ] || tap_bail_out 'nothing was tested'
	echo "1..$tap_results"
	[ "$tap_failed" -eq 0 ]
	exit
}
