#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of vm/build-kernel that take no minutes: a tree of a few lines stands in for the
# kernel's, with a Makefile that compiles one real file.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

B=$scratch/b
mkdir -p "$B"
ln -s "$build/vm" "$B/vm"
export B DEPS=true
tree=$scratch/tree said=$scratch/said err=$scratch/err
ring=kernel/events/ring_buffer.c

# What vm/build-kernel asks of a kernel's tree. "hang" in the source makes the build hang.
mkdir -p "$tree/arch/x86" "$tree/scripts/kconfig" "$tree/kernel/events" "$tree/kernel/trace"
touch "$tree/kernel/events/Makefile" "$tree/kernel/trace/Makefile"
printf 'VERSION = 9\nPATCHLEVEL = 8\n' >"$tree/Makefile"
cat >>"$tree/Makefile" <<'END'
bzImage: $(O)/arch/x86/boot/bzImage
modules:
%.o: $(O)/%.o ;
$(O)/%.o: %.c
	echo "CC $<" >>$(O)/compiled
	mkdir -p $(@D)
	if grep -q hang $<; then echo half >$@; echo $$$$ >$(O)/hangs; exec sleep 1000; fi
	gcc -O2 -g -c $< -o $@
$(O)/arch/x86/boot/bzImage: $(O)/kernel/events/ring_buffer.o
	mkdir -p $(@D)
	cp $< $@
	touch $(O)/vmlinux $(O)/System.map
END
touch "$tree/Kconfig" "$tree/arch/x86/Makefile"
cat >"$tree/scripts/kconfig/merge_config.sh" <<'END'
#!/bin/sh
# -n -O OBJ FRAGMENT...: takes all options but one
obj=$3
shift 3
cat "$@" | grep '^CONFIG_.*=[^n]' | grep -v STUBBORN >"$obj/.config"
END
chmod +x "$tree/scripts/kconfig/merge_config.sh"
printf '%s\n' 'int nest;' 'int get(void)' '{' '	return nest + 1;' '}' >"$tree/$ring"
# A warning as the kernel has them: a table with the line, and code that refers to it.
cat >>"$tree/$ring" <<'END'
void warn(void)
{
	asm volatile(".pushsection __bug_table,\"aw\"\n1:\t.word %c0\n\t.popsection\n\tlea 1b(%%rip), %%rax"
		     : : "i" (__LINE__) : "rax");
}
END
before=$(cat "$tree/$ring")

# change ID OLD NEW: a change of the file in $scratch.
change() { printf 'id	%s\nrule	K8\nwhy	x\n\nfile	%s\n-	%s\n+	%s\n' "$1" "$ring" "$2" "$3" >"$scratch/$1.change"; }
change plus-two 'return nest + 1;' 'return nest + 2;'
change comment 'return nest + 1;' $'/* one more */\n+\n+	return nest + 1;'
change broken 'return nest + 1;' 'return nest +;'
change hang 'return nest + 1;' 'return nest + 1; /* hang */'
change wrong 'return nest + 7;' 'return nest;'
change on-top 'return nest + 2;' 'return nest + 3;'

# ends STATUS ARGUMENT...: vm/build-kernel ends so.
ends() {
	local due=$1 status
	shift
	"$top/vm/build-kernel" "$@" >"$said" 2>"$err" </dev/null
	status=$?
	same "status $status" "status $due" || { cat "$err"; return 1; }
}
builds() { ends 0 -s "$tree" "$@" && [ -s "$(tail -n 1 "$said")" ]; }
# refused TEXT ARGUMENT...: one line with TEXT, status 2, nothing on stdout.
refused() {
	local text=$1
	shift
	ends 2 "$@" && has "$err" "$text" && same "$(grep -vc ': building ' "$err")" 1 && same "$(cat "$said")" ''
}
# What is in the image, so that it cannot be mistaken.
adds() { objdump -d "$(tail -n 1 "$said")" | grep -qi "add.*\$0x$1,\|lea.*0x$1("; }
compiled() { cat "$B"/kernel-build/*/obj/compiled 2>/dev/null | wc -l; }
is_result() { same "$(tail -n 1 "$said")" "$(echo "$B"/kernels-built/*/bzImage)"; }
work() { echo "$B"/kernel-build/*; }
untouched() { same "$(cat "$tree/$ring")" "$before" && same "$(find "$tree" -name '*.o' -o -name '.config')" ''; }
label() { same "$(sed 's/-[0-9a-f]\{8\}-/-X-/' "$(dirname "$(tail -n 1 "$said")")/label")" "$1"; }

# half_way SIGNAL STATUS: a build that hangs gets SIGNAL, and ends with STATUS.
half_way() {
	local pid status
	rm -f "$(work)/obj/hangs"
	env --default-signal=INT "$top/vm/build-kernel" -s "$tree" "$scratch/hang.change" >"$said" 2>"$err" &
	pid=$!
	until_ok test -s "$(work)/obj/hangs" || return 1
	kill "-$1" "$pid"
	wait "$pid"
	status=$?
	same "status $status" "status $2" && until_ok gone_or_killed "$1"
}
# A make whose script was killed goes on, and holds the lock; here it would for ever.
gone_or_killed() {
	local hangs
	hangs=$(cat "$(work)/obj/hangs")
	[ "$1" != KILL ] || kill "$hangs" 2>/dev/null
	gone "$hangs"
}
# What a make that was killed with its script leaves behind: half an object, newer than all.
torn() {
	touch "$(work)/building"
	sleep 0.01
	echo half >"$(work)/obj/kernel/events/ring_buffer.o"
}
two_at_once() {
	local one two n
	n=$(compiled)
	"$top/vm/build-kernel" -s "$tree" "$scratch/plus-two.change" >"$scratch/one" 2>"$err" & one=$!
	"$top/vm/build-kernel" -s "$tree" "$scratch/plus-two.change" >"$scratch/two" 2>>"$err" & two=$!
	wait "$one" && wait "$two" && same "$(cat "$scratch/one")" "$(cat "$scratch/two")" &&
		same "$(compiled)" $((n + 1))
}
forget() { rm -rf "$B/kernels-built"; }
rebuilds() { forget && builds "$@"; }

tap_plan 58
check "help" "$top/vm/build-kernel" --help
check "an unknown option" refused 'unknown option' --frob
check "an option without its value" refused 'needs a value' -s
check "no number of jobs" refused 'jobs are' -j 0
check "no source of that name" refused 'no source nowhere' -s nowhere
check "a folder that is no kernel" refused 'is no kernel source: it has no Kconfig' -s "$scratch"
check "a version that no suite has" refused 'no suite known for 9.9' -s 9.9
check "no change of that name" refused 'no change frob' -s "$tree" frob
check "a change that does not fit" refused 'wrong.change:6: kernel/events/ring_buffer.c: the old text is not in it' -s "$tree" "$scratch/wrong.change"
check "no such fragment" refused 'cannot read' -s "$tree" -c "$scratch/frob"
check "a change that fits" ends 0 -s "$tree" --fit "$scratch/plus-two.change"
check "nothing was built for that" same "$(ls "$B")" vm
check "a kernel that was not built" ends 1 --cached -s "$tree"
check "of a source that was not fetched" ends 1 --cached -s 6.1
check "is not built or fetched for the question" same "$(ls "$B")" vm

check "a kernel" builds
check "its path is the last line" is_result
check "it is cached then" builds --cached
check "its path is said" is_result
check "is that of the source" adds 1
check "its name" label 9.8-X-perfwake
check "the source was not written to" untouched
check "a second call" builds
check "builds nothing" same "$(cat "$err")" ''
check "and says the same" is_result
check "a changed kernel" builds "$scratch/plus-two.change"
check "is that of the change" adds 2
check "its name, too" label 9.8-X-perfwake+plus-two
check "it says that its object differs" has "$(dirname "$(tail -n 1 "$said")")/objects" '^differs kernel/events/ring_buffer.o$'
check "the source was not written to then" untouched
check "one change on top of another" builds "$scratch/plus-two.change" "$scratch/on-top.change"
check "is that of both" adds 3
check "the unchanged one again, from the start" rebuilds
check "has no change in it" adds 1
check "a comment changes no object" builds "$scratch/comment.change"
check "it says so" has "$(dirname "$(tail -n 1 "$said")")/objects" '^same kernel/events/ring_buffer.o$'
check "a copy" builds -o "$scratch/copy" "$scratch/plus-two.change"
check "is where it was asked for" same "$(tail -n 1 "$said")" "$scratch/copy/bzImage"
check "only compiled" ends 0 -s "$tree" --compile "$scratch/plus-two.change"
check "differs" last_is "$said" 'differs kernel/events/ring_buffer.o'
check "what does not compile" ends 1 -s "$tree" "$scratch/broken.change"
check "says why, in one line" has "$err" 'it does not compile: .*ring_buffer.c:4.*error'
check "and leaves the next one alone" rebuilds "$scratch/plus-two.change"

echo CONFIG_STUBBORN=y >"$scratch/stubborn"
printf '# not everywhere: CONFIG_STUBBORN (a test)\nCONFIG_STUBBORN=y\n' >"$scratch/maybe"
printf 'CONFIG_STUBBORN=n\n' >"$scratch/off"
check "an option that does not land" refused 'does not take: CONFIG_STUBBORN=y (there it is n)' -s "$tree" -c "$scratch/stubborn"
check "it does not land the second time either" refused 'does not take: CONFIG_STUBBORN=y' -s "$tree" -c "$scratch/stubborn"
check "one that need not" builds -c "$scratch/maybe"
check "one that is off" builds -c "$scratch/off"
rm -rf "$B/kernel-build" && builds >/dev/null

check "INT half-way" half_way INT 130
check "the next build is whole" rebuilds "$scratch/plus-two.change"
check "KILL half-way" half_way KILL 137
check "the next build is whole then" rebuilds
check "and unchanged" adds 1
forget && torn
check "a torn object" builds
check "is made anew" adds 1
check "and told" has "$err" 'was killed'
forget
check "two at once" two_at_once
echo 'int more;' >>"$tree/$ring"
touch "$tree/.config"
check "a tree that was built in" refused 'run make mrproper' -s "$tree"
rm "$tree/.config"
check "a source that was edited is built anew" builds
tap_end
