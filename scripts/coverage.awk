# SPDX-License-Identifier: GPL-2.0
# vm/path, vm/unreached, and lines as lines_of() of scripts/coverage-table.sh tells them, to docs/coverage.md.
# Variables: top, the kernel source; source, its name; others, the lines that the tests of others reach, if they
# were asked. Status 1, and why on stderr, if a line was not reached and has no reason, or a reason no line.

function trim(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
function complain(s) { print "scripts/coverage: " s >"/dev/stderr"; bad = 1 }
function share(n, of) { return sprintf("%d of %d", n, of) }
function percent(n, of) { return of ? sprintf(" (%.1f %%)", 100 * n / of) : "" }
function plural(n, what) { return n " " what (n == 1 ? "" : "s") }

function load(file,  s, n) {
	if (file in length_of)
		return
	while ((getline s < (top "/" file)) > 0)
		text[file, ++n] = s
	close(top "/" file)
	length_of[file] = n + 0
}

# The last line of the definition of @name that starts at @line, or 0 if none does.
function end_of(file, line, name,  s, inside) {
	s = text[file, line]
	if (s !~ "^[A-Za-z_]" || s !~ "(^|[^A-Za-z0-9_])" name "\\(" && s !~ "^(BPF_CALL_[0-9]|DEFINE_[A-Z_]+)\\(" name ",")
		return 0
	if (s ~ /^DEFINE_/)
		return line
	for (; line <= length_of[file]; line++) {
		s = text[file, line]
		if (inside && s ~ /^}/)
			return line
		if (s ~ /^{/ || s ~ /{$/)
			inside = 1
		if (!inside && s ~ /;[ \t]*$/)
			return 0
	}
	return 0
}

# The compiler puts what it inlines among the lines of others: what stands between its braces is a function's.
function find_lines(i,  file, line, to) {
	file = file_of[i]
	load(file)
	for (line = 1; line <= length_of[file]; line++)
		for (to = end_of(file, line, name_of[i]); to && line <= to; line++)
			body[i, ++lines[i]] = line
	if (!lines[i])
		complain("vm/path: no function " name_of[i] " in " file_of[i] " of this kernel")
}

# Rule @r is for line number @j of function @i, if that has code, was not reached and has no rule yet.
function give_reason(r, i, j,  k) {
	k = file_of[i] SUBSEP body[i, j]
	if (!(k in count) || k in rule)
		return
	if (!count[k]) {
		rule[k] = r
		used[r]++
	}
}

function apply(r,  i, j, s, inside) {
	for (i = 1; i <= functions; i++) {
		if (name_of[i] != on[r])
			continue
		for (j = 1; j <= lines[i]; j++) {
			s = trim(text[file_of[i], body[i, j]])
			if (!inside && !index(s, from[r]))
				continue
			give_reason(r, i, j)
			inside = to[r] != "" && !(inside && index(s, to[r]))
		}
	}
	if (!used[r])
		complain("vm/unreached: stale: " on[r] " | " from[r] (to[r] == "" ? "" : " .. " to[r]) ": all of it was reached, or it is not there")
}

function add_up(i,  j, k) {
	for (j = 1; j <= lines[i]; j++) {
		k = file_of[i] SUBSEP body[i, j]
		if (!(k in count))
			continue
		if (k in rule && out[rule[k]])
			continue
		all[i]++
		hit[i] += count[k] > 0
		branches[i] += branch[k]
		takes[i] += taken[k]
		theirs[i] += by_others[k] > 0
		their_takes[i] += taken_by_others[k]
		if (!count[k] && !(k in rule))
			complain("no reason: " name_of[i] ", " file_of[i] ":" body[i, j] " " trim(text[file_of[i], body[i, j]]))
	}
	sum_all += all[i]; sum_hit += hit[i]; sum_branches += branches[i]; sum_takes += takes[i]
	sum_theirs += theirs[i]; sum_their_takes += their_takes[i]
}

# The lines that have no count for the same reason are told together: @first and @last of them, @n.
function tell(i, first, last, n, r,  s) {
	s = trim(text[file_of[i], first])
	gsub(/`/, "'", s)
	printf "* `%s`, %s:%s `%s`%s: %s\n", name_of[i], file_of[i], first (last == first ? "" : "-" last), s,
		n == 1 ? "" : " and " plural(n - 1, "more line"), r ? why[r] : "**no reason given**"
}

# List what was not reached, of rules that leave out or those that do not.
function list(outs,  i, j, k, r, first, last, n, told) {
	for (i = 1; i <= functions; i++) {
		n = 0
		for (j = 1; j <= lines[i]; j++) {
			k = file_of[i] SUBSEP body[i, j]
			if (!(k in count))
				continue
			if (n && (count[k] || rule[k] + 0 != r)) {
				tell(i, first, last, n, r)
				n = 0
			}
			if (count[k] || (rule[k] && out[rule[k]]) + 0 != outs)
				continue
			if (!n++)
				first = body[i, j]
			last = body[i, j]
			r = rule[k] + 0
			told++
		}
		if (n)
			tell(i, first, last, n, r)
	}
	if (!told)
		print "None."
}

FNR == 1 { input++ }
/^#/ || /^$/ { next }

# FILE FUNCTION, or FILE FUNCTION | why it is left out
input == 1 {
	split($0, part, / \| /)
	if (part[2] != "") {
		whole[++wholes] = "`" $2 "`"
		whole_why[wholes] = part[2]
		next
	}
	file_of[++functions] = $1; name_of[functions] = $2
	next
}

# FUNCTION | WHERE | REASON, WHERE being TEXT or FROM .. TO; a REASON of "left out: ..." takes the lines out of the count.
input == 2 {
	if (split($0, part, / \| /) != 3) {
		complain("vm/unreached:" FNR ": not FUNCTION | WHERE | REASON")
		next
	}
	on[++rules] = part[1]; from[rules] = part[2]; why[rules] = part[3]
	if (i = index(part[2], " .. ")) {
		from[rules] = substr(part[2], 1, i - 1)
		to[rules] = substr(part[2], i + 4)
	}
	out[rules] = sub(/^left out: /, "", why[rules])
	next
}

# FILE LINE COUNT BRANCHES TAKEN. A line that was inlined in several places is there several times.
{
	k = $1 SUBSEP $2
	if ($3 > count[k] + 0) count[k] = $3
	if ($4 > branch[k] + 0) branch[k] = $4
	if ($5 > taken[k] + 0) taken[k] = $5
	count[k] += 0
}

END {
	if (!functions || !length(count)) {
		print "scripts/coverage: no functions, or no lines" >"/dev/stderr"
		exit 1
	}
	while (others != "" && (getline s < others) > 0) {
		split(s, w, "\t")
		by_others[w[1], w[2]] += w[3]
		if (w[5] > taken_by_others[w[1], w[2]] + 0) taken_by_others[w[1], w[2]] = w[5]
	}
	for (i = 1; i <= functions; i++)
		find_lines(i)
	for (r = 1; r <= rules; r++)
		apply(r)
	for (i = 1; i <= functions; i++)
		add_up(i)
	print "# What the suite reaches of the kernel\n"
	print "Written by `make coverage`: the suite, `perfwake explore --quick` and the fourth level in a kernel of"
	print source ", which counts lines and branches of `kernel/events/` and `bpf_trace.c` (gcov)."
	print "The functions are those of the output and poll path, as `vm/path` names them. AUX areas and what only hardware"
	print "reaches are left out: listed below, and not in the numbers.\n"
	printf "In all: %s lines%s, %s branches%s", share(sum_hit, sum_all), percent(sum_hit, sum_all),
		share(sum_takes, sum_branches), percent(sum_takes, sum_branches)
	print others == "" ? ".\n" : ".\nThe tests of others (`scripts/neighbours`, also those that do not pass in this guest) reach " sum_theirs \
		" lines" percent(sum_theirs, sum_all) " and\n" sum_their_takes " branches" percent(sum_their_takes, sum_branches) ".\n"
	print "| function | file | lines | branches |" (others == "" ? "" : " lines, others | branches, others |")
	print "| --- | --- | --- | --- |" (others == "" ? "" : " --- | --- |")
	for (i = 1; i <= functions; i++)
		if (all[i])
			print "| `" name_of[i] "` | " file_of[i] " | " share(hit[i], all[i]) " | " share(takes[i], branches[i]) " |" \
				(others == "" ? "" : " " share(theirs[i], all[i]) " | " share(their_takes[i], branches[i]) " |")
		else
			none = none (none == "" ? "" : ", ") "`" name_of[i] "`"
	if (none != "")
		print "\nWithout code of their own in this kernel: " none "."
	print "\n## Lines not reached\n"
	list(0)
	print "\n## Left out\n"
	list(1)
	for (i = 1; i <= wholes; i++) {
		s = whole[i]
		while (i < wholes && whole_why[i + 1] == whole_why[i])
			s = s ", " whole[++i]
		print "* " s ": " whole_why[i]
	}
	exit bad + 0
}
