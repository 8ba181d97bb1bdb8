# SPDX-License-Identifier: GPL-2.0
# Read a results.ktap and print, with tabs between: a line "test NAME OUTCOME N" for each test,
# N the number of its results that failed, and one line "first WHERE" for the first step at
# which the kernel differed. OUTCOME is passed, failed, skipped, hung (ended at its limit) or
# missing (the guest ended before it did). "why NAME TEXT" is what a test that did not pass said first.
#
# A step that a case tells is preferred, since it names the smallest thing to repeat.

function remember(rank, text) {
	if (!(rank in first))
		first[rank] = text
}

function reset() {
	step = model = seen = complaint = ""
}

{ sub(/\r$/, "") }

# perfwake's own: "FILE:LINE: STEP", then what was expected and what was seen.
/^  # [^ ]+:[0-9]+: / && !/:Expected / {
	if (step == "") {
		step = substr($0, 5)
		of_case = step ~ /^\/cases\//
		sub(/^.*\//, "", step)
		sub(/\.case:/, ":", step)
		sub(/\.trace:/, ":", step)
	}
	next
}
/^  # model    / && step != "" && model == "" { model = substr($0, 14) }
/^  # seen     / && step != "" && seen == "" { seen = substr($0, 14) }

# The kselftest harness: "FILE:LINE:TEST:Expected ...".
/^  # [^ ]+\.c:[0-9]+:.*:Expected / && complaint == "" { complaint = substr($0, 5) }
/^  # .*: (Test terminated|.*timed out)/ && complaint == "" { complaint = substr($0, 5) }

# A defect that is known is no failure.
/^  not ok .* # XFAIL/ {
	reset()
	next
}
/^  not ok / {
	bad++
	name = $0
	sub(/^ *not ok [0-9]+ (- )?/, "", name)
	sub(/ # .*/, "", name)
	if (step != "" && seen != "")
		remember(of_case ? 1 : 2, step " -- due " model ", seen " seen)
	else if (complaint != "")
		remember(3, complaint)
	else
		remember(4, name)
	reset()
}
/^  ok / { reset() }
/^  # / && said == "" && /FAIL|[Ss]kip|SKIP|:Expected |[Cc]an(no|')t |No such/ { said = substr($0, 5) }

/^(not )?ok [0-9]+ / {
	name = $0
	sub(/^(not )?ok [0-9]+ (- )?/, "", name)
	reason = ""
	if (match(name, / # /)) {
		reason = substr(name, RSTART + 3)
		name = substr(name, 1, RSTART - 1)
	}
	outcome = "passed"
	if (/^not ok/)
		outcome = reason ~ /^not done after/ ? "hung" : reason ~ /^missing/ ? "missing" : "failed"
	else if (reason ~ /^SKIP/)
		outcome = "skipped"
	if (outcome != "passed" && outcome != "skipped")
		remember(outcome == "failed" ? 5 : 6, name ": " reason)
	print "test\t" name "\t" outcome "\t" bad + 0
	if (outcome != "passed") {
		if (outcome == "hung" || said == "")
			said = reason
		gsub(/\t/, " ", said)
		sub(/^\/.*\//, "", said)
		print "why\t" name "\t" substr(said, 1, 160)
	}
	bad = 0
	said = ""
	reset()
}

END {
	for (rank = 1; rank <= 6; rank++)
		if (rank in first) {
			gsub(/\t/, " ", first[rank])
			print "first\t" first[rank]
			break
		}
}
