#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of build/vm/change: what a change file does, and how a wrong one is refused.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

change=$build/vm/change
tree=$scratch/tree out=$scratch/out said=$scratch/said err=$scratch/err
mkdir -p "$tree/a"
printf '%s\n' one two '	tab' three two four >"$tree/a/f.c"
printf '%s\n' alpha beta >"$tree/b.c"
printf 'no end' >"$tree/cut.c"
printf 'a\0b\n' >"$tree/binary.c"

# Put lines into ID.change, behind a head that is in order.
put() { local id=$1; shift; printf '%s\n' "id	$id" "rule	K1 K2" "why	One line, for the table." '' "$@" >"$scratch/$id.change"; }
apply() {
	rm -rf "$out"
	"$change" apply "$tree" "$out" "${@/#/$scratch/}" >"$said" 2>"$err"
}
# gives FILE TEXT NAME...: the changes NAME leave FILE as TEXT, lines divided by blanks.
gives() {
	local file=$1 text=$2
	shift 2
	apply "$@" || { cat "$err"; return 1; }
	same "$(tr '\n' ' ' <"$out/$file")" "$text "
}
# refused TEXT NAME...: one line on stderr that has TEXT, status 2, and nothing is written.
refused() { one_line "$1" apply "${@:2}" && same "$(cat "$said")" '' && [ ! -e "$out" ]; }
# bad TEXT LINE...: a change of these lines is refused.
bad() { local text=$1; shift; put bad "$@"; refused "$text" bad.change; }
# bare TEXT LINE...: as bad, but without the head.
bare() { local text=$1; shift; printf '%s\n' "$@" >"$scratch/bare.change"; refused "$text" bare.change; }

f='file	a/f.c'
put line "$f" -three +THREE
put tab "$f" '-	tab' '+	tabs' '+	more'
put context "$f" ' three' -two +TWO
put first "$f" '+zero' ' one'
put last "$f" -four
put two-hunks "$f" -one +ONE '' -four +FOUR
put comment-between "$f" -one +ONE '# a comment' -four +FOUR
put two-files "$f" -one +ONE '' 'file	b.c' -beta +BETA
put newer "$f" -fourteen +x or -four +FOUR
put older "$f" -four +FOUR or -fourteen +x
put on-top "$f" -THREE +trois
put own-text "$f" -one +ONE '' -ONE +un
put cut 'file	cut.c' '-no end' +end
put binary 'file	binary.c' -a +b
put none 'file	none.c' -a +b
printf 'id	torn\nrule	K1\nwhy	x\n\nfile	b.c\n-beta\n+BE' >"$scratch/torn.change"
printf 'id	other\nrule	K1\nwhy	x\n\nfile	b.c\n-beta\n+BETA\n' >"$scratch/called.change"
many() { for ((i = 0; i < 33; i++)); do printf '%s\n' "-$i" "+x" ''; done; }
outside() { for p in /etc/passwd ../b.c a/../b.c a/ '' 'b c'; do bad 'a path below' "file	$p" -beta +b || return 1; done; }
tree_same() { same "$(cat "$tree"/a/f.c "$tree"/b.c | cksum)" "$before"; }
before=$(cat "$tree"/a/f.c "$tree"/b.c | cksum)
fits() { "$change" apply "$build/linux-source-6.1" "$scratch/fits" "$@" >/dev/null; }
each_fits() { for file in "$@"; do fits "$file" || return 1; done; }

tap_plan 45
check "help" "$change" --help
check "a line" gives a/f.c "one two 	tab THREE two four" line.change
check "what is changed is told" same "$(cat "$said")" a/f.c
check "tabs count" gives a/f.c "one two 	tabs 	more three two four" tab.change
check "a line that stays makes it unique" gives a/f.c "one two 	tab three TWO four" context.change
check "a line before the first" gives a/f.c "zero one two 	tab three two four" first.change
check "the last line goes" gives a/f.c "one two 	tab three two" last.change
check "two hunks" gives a/f.c "ONE two 	tab three two FOUR" two-hunks.change
check "a comment divides them" gives a/f.c "ONE two 	tab three two FOUR" comment-between.change
check "two files" gives b.c "alpha BETA" two-files.change
check "both are told" same "$(tr '\n' ' ' <"$said")" "a/f.c b.c "
check "the second alternative" gives a/f.c "one two 	tab three two FOUR" newer.change
check "the first alternative" gives a/f.c "one two 	tab three two FOUR" older.change
check "one change on top of another" gives a/f.c "one two 	tab trois two four" line.change on-top.change
check "a hunk on top of another" gives a/f.c "un two 	tab three two four" own-text.change
check "show" same "$("$change" show "$scratch/two-files.change")" "two-files	K1 K2	One line, for the table.	a/f.c b.c"
check "the source stays as it was" tree_same

check "an old text that is not there" bad 'bad.change:6: a/f.c: the old text is not in it, not even its first line: five' "$f" -five +x
check "one that breaks off says where" bad 'line 1 and on are alike, but not as far as: three' "$f" ' one' ' two' -three +x
check "half a line" bad 'not in it' "$f" -thre +x
check "the end of a line" bad 'not in it' "$f" -hree +x
check "an old text that is there twice" bad 'bad.change:6: a/f.c: the old text is in it more than once' "$f" -two +x
check "two alternatives that are there" bad 'alternative of line 6 are both' "$f" -one +x or -four +y
check "an alternative that is there twice" bad 'more than once' "$f" -nine +x or -two +x
check "no alternative that is there" bad 'no alternative is in it' "$f" -five +x or -six +y
check "a change twice" refused 'not in it' line.change line.change
check "a second file that does not fit leaves nothing" bad 'not in it' "$f" -one +x '' 'file	b.c' -gamma +x
check "a file that is not there" refused 'cannot read .*none.c' none.change
check "a file without a last newline" refused 'not in it' cut.change
check "a file that is no text" refused 'no text' binary.change
check "paths that lead elsewhere" outside
check "no change file" refused 'cannot read' missing.change

check "a hunk without a file" bad 'before any file' -one +x
check "a hunk of new text alone" bad 'has no place' "$f" +x
check "a hunk that changes nothing" bad 'changes nothing' "$f" ' one'
check "or without an alternative" bad 'no hunk behind or' "$f" -one +x or
check "or without a first" bad 'in front of or' "$f" or -one +x
check "a line without its sign" bad 'bad.change:6: unknown word' "$f" '	tab'
check "a word twice" bad 'id is there twice' 'id	again' "$f" -one +x
check "too many hunks" bad 'more than 32' "$f" "$(many)"
check "no head" bare 'no line id' "$f" -one +x
check "a file that is cut" refused 'seems cut' torn.change
check "another name than its id" refused 'call it other.change' called.change
check "each cure fits 6.1" each_fits "$top"/vm/changes/*.change
check "they fit together" fits "$top"/vm/changes/*.change
tap_end
