#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is installed: that man page, --help and completion name the same commands and options, that these
# are the ones which the program takes, and make install and uninstall.
#
#	test_install.sh BUILD-FOLDER
set -u

# shellcheck source=validator/tests/tap.sh
. "$(dirname "$0")/tap.sh"

[ $# -eq 1 ] || tap_bail_out 'usage: test_install.sh BUILD-FOLDER'
build=$(realpath "$1")
top=$(realpath "$(dirname "$0")/../..")
perfwake=$build/perfwake
page=$top/docs/perfwake.1
work=$(mktemp -d) || tap_bail_out 'no folder to work in'
trap 'rm -rf "$work"' EXIT
cd "$work" || tap_bail_out "$work cannot be entered"
# shellcheck source=docs/perfwake.bash
. "$top/docs/perfwake.bash"

# alike NAME FILE...: all the same as the first, and not empty
alike()
{
	local name=$1 file bad=0

	shift
	[ -s "$1" ] || bad=1
	for file; do
		diff "$1" "$file" > diff.out || { { echo "$1 and $file:"; cat diff.out; } | tap_say; bad=1; }
	done
	tap_result $bad "$name"
}

# Lines "COMMAND --OPTION" out of a text in which each command begins a line.
pairs()
{
	awk -v begin="$1" '
		match($0, begin "[a-z]+") {
			command = substr($0, RSTART, RLENGTH); sub(/.* /, "", command); print command }
		/^[^ ]/ { command = "" }
		{ line = $0
		  while (command != "" && match(line, /--[a-z-]+/)) {
			print command, substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH) } }' |
		sort -u
}

rendered() { mandoc -Tascii -O width=78 "$page" | sed 's/.\x08//g'; }

# Of the page, those that are explained below its synopsis.
explained()
{
	awk '/^\.Ss/ { command = $2 } /^\.Sh/ { command = "" }
		/^\.It Fl/ && command { for (i = 3; i <= NF; i++) if ($i ~ /^-[a-z]/) print command, "-" $i }' "$page" |
		tr -d , | sort -u
}

completed()
{
	local command option

	complete_line perfwake ''
	for command in "${COMPREPLY[@]}"; do
		[[ $command == --* ]] || echo "$command"
		complete_line perfwake "$command" --
		for option in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do
			echo "$command $option"
		done
	done | sort -u
}

# complete_line WORD...: what is offered for the last one
complete_line()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_perfwake
}

offers()
{
	local name=$1 due=$2

	shift 2
	complete_line "$@"
	[ "${COMPREPLY[*]-}" = "$due" ] || echo "offered: ${COMPREPLY[*]-}" | tap_say
	[ "${COMPREPLY[*]-}" = "$due" ]
	tap_result $? "$name"
}

test_names()
{
	local command option bad=0

	"$perfwake" --help | sed '1,/^$/d' | pairs '^  ' > help
	rendered | sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' | sed 's/^     perfwake --.*//; s/^     \( *\)/ \1/' |
		sed '/^SYN/d; /^DESC/d' | pairs '^ perfwake ' > synopsis
	completed > completion
	alike 'man page and completion name the commands and options of --help' help synopsis completion
	grep ' ' help > options
	explained > explanations
	alike 'the man page explains each option' options explanations
	grep -qx 'run --json' help && grep -qx 'report --without' help && [ "$(grep -vc ' ' help)" -eq 9 ]
	tap_result $? 'what is compared is what there is'
	while read -r command option; do
		# Nothing is begun: of the two behind it one is refused, whether the first is its value or not.
		"$perfwake" "$command" "$option" --none --none < /dev/null > out 2>&1
		[ $? -eq 2 ] && [ -s out ] && ! grep "unknown option $option" out || bad=1
	done < options
	tap_result $bad 'the program takes each of them'
	while read -r option; do
		grep -q " --$option\$" options || { echo "--$option is not in --help" | tap_say; bad=1; }
	done < <(sed -n 's/.*{ "\([a-z-]*\)", \(required\|no\)_argument.*/\1/p' "$top"/validator/command_*.c)
	tap_result $bad 'it takes no others'
}

test_page()
{
	# The machine's own pages may not be indexed.
	mandoc -Tlint "$page" 2>&1 | grep -v 'outdated mandoc.db lacks' > lint
	[ ! -s lint ] || tap_say < lint
	[ ! -s lint ]
	tap_result $? 'the man page is clean'
	printf '.Dd x\n.Sh NAME\n.Nm\n' | mandoc -Tlint > lint 2>&1
	[ -s lint ]
	tap_result $? 'what checks it finds faults'
}

test_completion()
{
	"$perfwake" list | sed -n '/^consumers/,/^dev/p' | sed -n 's/^  //p' > known
	complete_line perfwake run --consumer ''
	printf '%s\n' "${COMPREPLY[@]}" > offered
	alike 'completion offers the consumers that there are' known offered
	grep -o '"_*perf_output_[a-z_]*"' "$top/validator/command_explore.c" | tr -d '"' | sort -u > known
	complete_line perfwake explore --function ''
	printf '%s\n' "${COMPREPLY[@]}" | sort > offered
	alike 'and the functions that are explored' known offered
	touch one.case two.trace
	mkdir folder
	offers 'a command' 'replay report' perfwake re
	offers 'an option of its command only' '--wakeup-events --watermark' perfwake predict --w
	offers 'a value' 'attached' perfwake run --emitter a
	offers 'a value behind =' 'kprobe' perfwake run --probe = k
	offers 'a value, none yet, behind =' 'breakpoint kprobe' perfwake run --probe =
	offers 'a file' 'two.trace' perfwake run --strict tw
	offers 'a folder only' 'folder' perfwake run --traces ''
	offers 'nothing where nothing is known' '' perfwake fuzz --seed ''
	offers 'no file where none is taken' '' perfwake explore o
}

# All that is below a folder: mode and path.
tree() { (cd "$1" && find . -type f -printf '%m %P\n' | sort -k 2); }

test_install()
{
	local due='755 opt/x/bin/perfwake
644 opt/x/share/bash-completion/completions/perfwake
644 opt/x/share/man/man1/perfwake.1'

	make -s --no-print-directory -C "$top" B="$build" install DESTDIR="$work/a b" PREFIX=/opt/x > out 2>&1
	tap_result $? 'make install'
	[ "$(tree 'a b')" = "$due" ] || tree 'a b' | tap_say
	[ "$(tree 'a b')" = "$due" ]
	tap_result $? 'installs the program, its page and its completion, and nothing else'
	[ "$('a b/opt/x/bin/perfwake' --version)" = "$("$perfwake" --version)" ]
	tap_result $? 'the program runs from there'
	touch 'a b/opt/x/bin/another'
	make -s --no-print-directory -C "$top" B="$build" uninstall DESTDIR="$work/a b" PREFIX=/opt/x > out 2>&1
	tap_result $? 'make uninstall'
	[ "$(tree 'a b')" = '644 opt/x/bin/another' ]
	tap_result $? 'takes away what was installed, and nothing else'
}

test_names
test_page
test_completion
test_install
tap_done
