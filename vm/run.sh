#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boot a kernel in QEMU and run the suite, or one command, in it.
set -u -o pipefail

me=vm/run.sh
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
build=${B:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
vm=$top/vm
qemu=${QEMU:-qemu-system-x86_64}
lacks_file=${LACKS:-$vm/lacks}	# another one for tests
gdb_port=${GDB_PORT:-1234}

help() {
	cat <<'EOF'
usage: vm/run.sh [-k KERNEL|NAME] [--image FILE] [-c CPUS] [-m MEM] [-t SECONDS] [-o FOLDER]
                 [--build] [--shell] [--gdb] [--keep] [-v] [--consumers] [--warns TEXT]
                 [-- COMMAND...]

Boots a kernel in QEMU, as an ordinary user, and runs the whole suite in it, or COMMAND.

  -k KERNEL   a bzImage, a built kernel tree (or its O= folder), or a name from vm/kernels,
              which is fetched if need be (default: 6.1)
  --image FILE  run inside this disk image of a distribution, raw or qcow2, which stays as it
              is; its own kernel is taken unless -k gives another
  -c CPUS     virtual CPUs (default: 2)
  -m MEM      memory, as 512M or 2G (default: 512M, in an image 1G)
  -t SECONDS  limit for the guest as a whole (default: 120, in an image 300)
  -o FOLDER   put the results there, in place of those of an earlier run
  --build     build the tree first, with the options that it lacks (vm/build-tree)
  --shell     an interactive shell in the guest instead
  --gdb       wait for a debugger; says how to connect it
  --keep      keep the temporary folder, and say what QEMU was started with
  --warns TEXT  the kernel has to warn once in this run, with TEXT in the line; it is
              no trouble then, but any other warning is
  -v          show all that the suite's tests say, not only failures
  --consumers carry all consumer programs that are built (make consumer-programs), and the
              run-time that some of them need; --consumer NAME in COMMAND carries one
  COMMAND     runs in the guest instead of the suite; perfwake is on its PATH, and host
              files among its words are carried into the guest; words NAME=VALUE in
              front of it go into its environment

Results: build/results/KERNEL/ (in an image build/results/IMAGE-KERNEL/, of a COMMAND with
-command behind it): results.ktap, the same as results.json (docs/results.schema.json) and
junit.xml, and report.html to look at.
Exit status: 0 all proved; 1 a rule does not hold; 2 wrong usage or set-up, nothing was
judged; 3 the guest crashed, hung or warned; 128+N ended by signal N, with partial results.
Environment: B another build folder than build, QEMU another emulator, ACCEL=kvm or tcg (default:
kvm where the CPU and /dev/kvm allow it), GDB_PORT another TCP port than 1234 for --gdb.
EOF
}

die() { printf '%s: %s\n' "$me" "$*" >&2; exit 2; }
no_room() { die "cannot write to $where: check its rights and the space left on the disk"; }
# shellcheck source-path=SCRIPTDIR
. "$vm/signals.sh"
# shellcheck source-path=SCRIPTDIR
. "$vm/kernel.sh"
# shellcheck source-path=SCRIPTDIR
. "$vm/suite.sh"
# shellcheck source-path=SCRIPTDIR
. "$vm/disk.sh"

# --- options ---------------------------------------------------------------------------

words=("$@")
default=6.1
kernel='' image='' cpus=2 mem='' limit='' shell='' gdb='' keep='' brief=-b consumers='' warns=''
out='' build_first=''
runtime=''			# the disk image with the consumers' run-time, if one is needed

need_value() { { [ $# -ge 2 ] && [ -n "$2" ]; } || die "option $1 needs a value: see --help"; }

while [ $# -gt 0 ]; do
	case $1 in
	-k) need_value "$@"; kernel=$2; shift 2 ;;
	--image) need_value "$@"; image=$2; shift 2 ;;
	-c) need_value "$@"; cpus=$2; shift 2 ;;
	-m) need_value "$@"; mem=$2; shift 2 ;;
	-t) need_value "$@"; limit=$2; shift 2 ;;
	-o) need_value "$@"; out=$2; shift 2 ;;
	--build) build_first=1; shift ;;
	--shell) shell=1; shift ;;
	--gdb) gdb=1; shift ;;
	--keep) keep=1; shift ;;
	--consumers) consumers=all; shift ;;
	-v) brief=''; shift ;;
	--warns) need_value "$@"; warns=$2; shift 2 ;;
	-h | --help) help; exit 0 ;;
	--) shift; [ $# -gt 0 ] || die "no COMMAND behind --: see --help"; break ;;
	-*) die "unknown option $1: see --help" ;;
	*) die "unexpected word $1: put -- in front of a COMMAND, or see --help" ;;
	esac
done

[[ $cpus =~ ^[1-9][0-9]?$ ]] || die "-c $cpus: CPUs are a number from 1 to 99"
[[ -z $mem || $mem =~ ^[1-9][0-9]{0,5}[MG]?$ ]] || die "-m $mem: memory is a number with M or G behind it, as 512M"
[[ -z $limit || $limit =~ ^[1-9][0-9]{0,4}$ && $limit -le 86400 ]] || die "-t $limit: the limit is a number of seconds from 1 to 86400"
[ -z "$shell" ] || [ -z "$warns" ] || die "--shell and --warns do not go together: nothing is judged there"
[ -z "$image" ] || [ -z "$shell$gdb$consumers" ] || die "--image does not go together with --shell, --gdb and --consumers"
[ -z "$build_first" ] || [ -d "$kernel" ] || die "--build needs a kernel tree: give one with -k"
# Results take the place of what is there as a whole.
[ -z "$out" ] || [ ! -e "$out" ] || [ -e "$out/results.ktap" ] || rmdir "$out" 2>/dev/null ||
	die "-o $out: there is something else than results; give a new folder"
[ -z "$shell" ] || [ $# -eq 0 ] || die "--shell and a COMMAND do not go together"
# Under a debugger time passes while nothing runs.
limit=${limit:-${gdb:+86400}}
limit=${limit:-${image:+300}}
limit=${limit:-120}
mem=${mem:-${image:+1G}}
mem=${mem:-512M}
# A shell needs the terminal, which the second process would not have.
[ -n "$shell" ] || guard "${words[@]}"

# --- QEMU ------------------------------------------------------------------------------

# Sets accel, to kvm where it can be had. /dev/kvm alone is not enough: without the CPU's own means there
# are kernels that offer it for guests made for them, and any other hangs or makes QEMU abort.
choose_accel() {
	case ${ACCEL-} in
	tcg | kvm) accel=$ACCEL ;;
	'') accel=tcg; ! { [ -r /dev/kvm ] && [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo; } || accel=kvm ;;
	*) die "ACCEL=$ACCEL: the accelerator is kvm or tcg, or left to us" ;;
	esac
}

# Sets accel and the array machine.
choose_machine() {
	local append khz

	command -v "$qemu" >/dev/null ||
		die "no $qemu on this machine: install QEMU (Debian: qemu-system-x86)"
	# Kernel messages from "notice" up: enough to see that it lives and why it dies. The
	# rest of a boot's talk would take as long to print as the boot itself.
	append="console=ttyS0 loglevel=6 $kernel_words"
	machine=("$qemu" -machine pc -cpu max)
	choose_accel
	if [ "$accel" = kvm ]; then
		machine+=(-accel kvm)
	else
		# An emulated clock cannot be calibrated, and trying takes 0.3 s. The value is
		# that of a 3 GHz clock at 250 Hz: delays may be longer than asked for.
		append+=" tsc=reliable lpj=12000000"
		# Nor can the TSC, while QEMU waits for its turn; but the guest reads this machine's.
		! khz=$("$build/vm/tsc") || append+=" tsc_early_khz=$khz"
	fi
	# Several TCG threads break kernels that patch their own code, as perf makes them do.
	machine+=(-accel "tcg,thread=single" -smp "$cpus,maxcpus=$((cpus + 2))" -m "$mem" -nodefaults -display none
		-no-reboot -kernel "$vmlinuz" ${initrd:+-initrd "$initrd"}
		-device "isa-debug-exit,iobase=0xf4,iosize=0x04")
	[ -z "$image" ] || disk_add_machine
	if [ -n "$runtime" ]; then
		append+=" PERFWAKE_RUNTIME=1"
		# shellcheck disable=SC2054 # the commas are QEMU's
		machine+=(-drive "file=$runtime,format=raw,if=none,id=runtime,readonly=on"
			-device nvme,drive=runtime,serial=runtime)
	fi
	machine+=(-append "$append")
	[ -z "$gdb" ] || machine+=(-gdb "tcp:localhost:$gdb_port" -S)
}

run_shell() {
	machine+=(-chardev "stdio,id=con,mux=on,signal=off" -mon chardev=con
		-serial chardev:con -serial null)
	echo "# the shell ends with exit; QEMU can be ended with Ctrl-A x" >&2
	"${machine[@]}"
	[ $? -eq 3 ] || die "QEMU did not end as the shell would have it"
	exit 0
}

# Hand a signal on to results. A shell starts what is in the background with INT ignored, which
# results undoes; until then TERM ends it, and afterwards it counts the first one only.
hand_on() { # SIGNAL STATUS
	signal=$1 interrupted=$2
	[ -z "$pid" ] || { kill "-$1" "$pid" && kill -TERM "$pid"; } 2>/dev/null
}

# Run results, which runs QEMU; hand on signals, and wait for it to end in order. There must be no
# $( ) behind the traps: see signals.sh.
run_guest() {
	local status signal='' interrupted='' pid='' version

	mkdir "$tmp/work" || no_room
	version=$("$qemu" --version | sed -n '1s/^QEMU emulator version \([^ ]*\).*/QEMU \1/p')
	machine+=(-serial "file:$tmp/work/console.log" -serial file:/dev/stdout)
	trap 'hand_on INT 130' INT USR1
	trap 'hand_on TERM 143' TERM
	trap 'hand_on HUP 129' HUP
	"$build/vm/results" ${brief:+"$brief"} -f "$vm/finish" -p "$tmp/plan" -w "$tmp/work" -o "$out" -t "$limit" \
		-H "$version, accelerator $accel, $cpus CPUs, $mem, kernel from $source" \
		${image:+-H "in the image $image, root on $disk_where" -e "$disk_expected"} \
		-- "${machine[@]}" &
	pid=$!
	[ -z "$signal" ] || hand_on "$signal" "$interrupted"	# it came before there was a pid
	wait_for "$pid"
	# Also where results was not there yet, or had its results in place already.
	return "${interrupted:-$status}"
}

# A breakpoint in memory would be gone when the kernel has unpacked itself.
tell_how_to_debug() {
	echo "# the guest waits for: gdb -ex 'target remote localhost:$gdb_port' -ex 'hbreak perf_output_begin' -ex continue ${symbols:-VMLINUX}" >&2
	[ -n "$symbols" ] ||
		echo "# no vmlinux lies beside $vmlinuz: VMLINUX is the one of its build, with debug information" >&2
}

# ---------------------------------------------------------------------------------------

vmlinuz='' initrd='' label='' module='' source='' symbols='' accel='' machine=()
for need in init results export mkcpio tsc; do
	[ -x "$build/vm/$need" ] || die "$build/vm/$need is missing: run make first"
done
where=$(dirname "${out:-$build/results/x}")
# A name that is known before the folder is there: a signal in between leaves nothing.
tmp=$where/.run.$$.${EPOCHREALTIME//[^0-9]/}
cleanup() {
	if [ -n "$keep" ] && [ -d "$tmp" ]; then
		echo "# kept: $tmp" >&2
		printf '# QEMU was:' >&2
		printf ' %q' "${machine[@]}" >&2
		echo >&2
	else
		rm -rf "$tmp"
	fi
}
at_end cleanup
[ -z "$build_first" ] || "$vm/build-tree" "$kernel" >/dev/null || exit 2
{ mkdir -p "$where" && mkdir -m 755 "$tmp"; } 2>/dev/null || no_room
: >"$tmp/tests"
if [ -n "$image" ]; then
	disk_open "$image"
	disk_find_root
	disk_check_init
fi
if [ -n "$image" ] && [ -z "$kernel" ]; then
	disk_take_kernel
else
	find_kernel "${kernel:-$default}"
	kernel_release "$vmlinuz" >/dev/null || exit 2
fi
name=$(disk_name "$image")
out=${out:-$build/results/${name:+$name-}$label${1:+-command}}

# The limit of a test is smaller than the guest's, so that it is the test that is named.
test_limit=$((limit > 30 ? limit - 15 : (limit + 1) / 2))
add_files
add_module
if [ -n "$shell" ]; then
	"$vm/fetch-busybox" || exit 2
	pairs+=("/bin/busybox=$build/busybox/busybox")
	mode=shell
elif [ $# -gt 0 ]; then
	plan_command "$@"
	mode='command'
else
	plan_suite
	mode=suite
fi
add_consumers "$@"
write_plan "$mode"
if [ -n "$image" ]; then
	[ -z "$runtime" ] || die "a consumer with a run-time of its own cannot go into an image: run it without --image"
	disk_pack_tests
else
	initrd=$tmp/initramfs
	"$vm/image" "$initrd" "$tmp/plan" ${pairs[@]+"${pairs[@]}"} || exit 2
fi
choose_machine
[ -z "$gdb" ] || tell_how_to_debug
case $mode in
shell) run_shell ;;
*) run_guest ;;
esac
