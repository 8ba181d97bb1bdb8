# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Completion of perfwake for bash; make install puts it where bash-completion looks.

# The options of command $1; those with a value end with "=".
_perfwake_options()
{
	case $1 in
	run) echo --emitter= --consumer= --traces= --json= --witness --no-witness --probe= --strict ;;
	replay) echo --strict --json= ;;
	predict) echo --wakeup-events= --watermark= --pages= --size= --samples= ;;
	fuzz) echo --seed= --ops= --time= --emitter= --traces= --no-witness ;;
	explore) echo --quick --function= --situation= --probe= --from= --within --traces= --strict ;;
	report) echo --rules= --without= --as= ;;
	esac
}

# What may stand behind option $1: words, or "file", "folder", or nothing that is known.
_perfwake_values()
{
	case $1 in
	--emitter) echo test-run attached module packet ;;
	--probe) echo breakpoint kprobe ;;
	--consumer) echo raw libbpf libbpf-raw bcc bcc-cc bcc-py cilium ;;
	--function) echo perf_output_begin perf_output_begin_forward perf_output_begin_backward \
		__perf_output_begin perf_output_get_handle perf_output_sample perf_output_copy \
		perf_output_put_handle perf_output_end ;;
	--pages) echo 1 2 4 8 16 32 64 128 ;;
	--traces) echo folder ;;
	--json | --rules) echo file ;;
	esac
}

_perfwake()
{
	local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]-} words

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'run replay predict fuzz explore consumers timeline report list --help --version' -- "$word")
		return
	fi
	# Readline takes "=" for a word of its own.
	[ "$word" != '=' ] || word=''
	[ "$last" != '=' ] || last=${COMP_WORDS[COMP_CWORD - 2]}
	if [[ " $(_perfwake_options "$command") " == *" $last= "* ]]; then
		words=$(_perfwake_values "$last")
		case $words in
		file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
		folder) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
		*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
		esac
		return
	fi
	case $word in
	-*) words=$(_perfwake_options "$command")
	    mapfile -t COMPREPLY < <(compgen -W "${words//=/}" -- "$word") ;;
	*) [ "$command" = fuzz ] || [ "$command" = explore ] ||
		mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	esac
}

complete -o filenames -F _perfwake perfwake
