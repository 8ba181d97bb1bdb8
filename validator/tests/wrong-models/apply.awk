# SPDX-License-Identifier: GPL-2.0
# Print the model's files, one behind the other, with one wrong model of the list applied:
#
#	awk -v id=ID -f apply.awk list model.c model_poll.c model_step.c
#
# Fails when the list has no such model, or when its old text is not in the files exactly once.

function complain(why)
{
	failed = 1
	printf "wrong model %s: %s\n", id, why > "/dev/stderr"
	exit 1
}

# Lines of the list: the block of our id, its "-" and "+" lines.
FNR == NR {
	if ($1 == "id") {
		ours = $2 == id
		found += ours
	} else if (ours && /^-/) {
		was = was (was == "" ? "" : "\n") substr($0, 2)
	} else if (ours && /^\+/) {
		is = is (is == "" ? "" : "\n") substr($0, 2)
	}
	next
}

{ text = text $0 "\n" }

END {
	if (failed)
		exit 1
	if (found != 1)
		complain("is " (found ? "more than once" : "not") " in the list")
	if (was == "" || is == "")
		complain("old or new text is missing")
	at = index(text, was)
	if (!at)
		complain("its old text is not in the model")
	rest = substr(text, at + length(was))
	if (index(rest, was))
		complain("its old text is in the model more than once")
	printf "%s%s%s", substr(text, 1, at - 1), is, rest
}
