# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what it sets and needs is the script's that sources it
# Sourced by what makes a guest: its kernel's words, which files go into it, and the plan of its tests.
# Needs top, build, vm, die, no_room, tmp with an empty file tests, label, default, lacks_file,
# test_limit; consumers and warns.

# For any kernel: a log that is not overwritten, an end at a panic, and a quick boot.
kernel_words="log_buf_len=1M panic=-1 no_timer_check cryptomgr.notests mitigations=off nokaslr"
kernel_words+=" rcupdate.rcu_expedited=1"

pairs=()	# for vm/image
tests=0

# Add a test to the plan: NAME SECONDS STATUS MAY-SKIP-REASON ARGUMENT...
add_test() {
	tests=$((tests + 1))
	printf '%s\0' "$1" "$2" "$3" "$4" $(($# - 4)) "${@:5}" 2>/dev/null >>"$tmp/tests" || no_room
}

# The files that every guest gets.
add_files() {
	local guest host

	[ -r "$build/suite.files" ] || return 0
	while read -r guest host; do
		case $guest in '' | '#'*) continue ;; esac
		[[ $host == /* ]] || host=$top/$host
		[ -r "$host" ] || die "cannot read $host, which the suite needs as $guest: run make first"
		pairs+=("$guest=$host")
	done <"$build/suite.files"
}

# The test module, where vm/build-module has made it for this kernel.
add_module() {
	module=$build/kmod/$label/perfwake_test.ko
	[ -r "$module" ] || module=''
	[ -z "$module" ] || pairs+=("/lib/perfwake_test.ko=$module")
}

# Print why TEST may be skipped on this kernel: vm/lacks declares it. Without a test module a kernel
# is called no-module there as well, but for the one whose module make builds.
lacks() {
	local on test reason as=$label

	[ -n "$module" ] || [ "$label" = "$default" ] || as=no-module

	while read -r on test reason; do
		case $on in '' | '#'*) continue ;; esac
		[ -n "$reason" ] || die "$lacks_file: $on $test has no reason: add it"
		# shellcheck disable=SC2053 # both are patterns
		[[ ($label != $on && $as != $on) || $1 != $test ]] || { printf '%s\n' "$reason"; return; }
	done <"$lacks_file"
}

plan_suite() {
	local name seconds status argv skip words

	[ -s "$build/suite.plan" ] || die "no suite in $build/suite.plan: run make first, or give a COMMAND"
	while IFS='|' read -r name seconds status argv skip; do
		case $name in '' | '#'*) continue ;; esac
		read -r -a words <<<"$argv"
		[[ $seconds =~ ^[1-9][0-9]*$ && $status =~ ^[0-9]+$ && ${#words[@]} -gt 0 ]] ||
			die "test $name in suite.plan is not NAME|SECONDS|STATUS|ARGUMENTS[|SKIP-REASON]"
		[ "$seconds" -le "$test_limit" ] || seconds=$test_limit
		[ -n "${skip-}" ] || skip=$(lacks "$name") || exit 2
		add_test "$name" "$seconds" "$status" "$skip" "${words[@]}"
	done <"$build/suite.plan"
}

# Host files among the words of COMMAND go along, each in a folder of its own, so that two
# of the same name do not meet.
plan_command() {
	local words=() word n=0

	for word; do
		if [ -f "$word" ]; then
			[ -r "$word" ] || die "cannot read $word: check its rights"
			pairs+=("/host/$n/${word##*/}=$word")
			word=/host/$n/${word##*/}
			n=$((n + 1))
		fi
		words+=("$word")
	done
	for word in "${words[@]}"; do
		[[ $word =~ ^[A-Za-z_][A-Za-z_0-9]*= ]] || break
	done
	if [ "$word" = perfwake ] && [[ " ${pairs[*]-} " != *" /bin/perfwake="* ]]; then
		[ -x "$build/perfwake" ] || die "$build/perfwake is missing: run make first"
		pairs+=("/bin/perfwake=$build/perfwake")
	fi
	word=${word##*/}
	add_test "${word//[^A-Za-z0-9._+-]/_}" "$test_limit" 0 '' "${words[@]}"
}

# The program of consumer NAME, and the run-time that it needs.
add_consumer() {
	[ -x "$build/consumers/$1" ] ||
		die "the consumer $1 is not built: install its library (perfwake run --consumer $1 says how) and run make consumer-programs"
	pairs+=("/bin/consumers/$1=$build/consumers/$1")
	case $1 in
	bcc-cc | bcc-py)
		"$vm/runtime" || exit 2
		runtime=$build/runtime/runtime.ext4 ;;
	esac
}

# Those that COMMAND asks for, or all that there are. Two are built into perfwake.
add_consumers() {
	local name words=("$@") i

	for ((i = 0; i < $#; i++)); do
		name=''
		case ${words[i]} in
		--consumer) name=${words[i + 1]-} ;;
		--consumer=*) name=${words[i]#*=} ;;
		esac
		case $consumers$name in
		bcc | bcc-cc | bcc-py | cilium) add_consumer "$name" ;;
		esac
	done
	[ -n "$consumers" ] || return 0
	for name in bcc bcc-cc bcc-py cilium; do
		[ ! -x "$build/consumers/$name" ] || add_consumer "$name"
	done
}

write_plan() {
	{ printf '%s\0' perfwake-plan-2 "$1" "$warns" "$tests" && cat "$tmp/tests"; } 2>/dev/null >"$tmp/plan" ||
		no_room
}
