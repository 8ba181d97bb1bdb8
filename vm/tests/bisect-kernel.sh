#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# "git bisect run vm/bisect.sh" on real kernels: 6.1 in a git repository of five states, one of
# which breaks a rule by one line and one does not compile; each is built and boots in a guest.
# The first kernel takes some minutes, the others less than one each, so it is part of make check-kernels.
# shellcheck disable=SC2317 # functions are called through check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

"$top/vm/fetch-source" --whole 6.1 || exit 1
tree=$build/bisect-tree said=$scratch/said
ring=kernel/events/ring_buffer.c

# All of the source as links, which git does not know, and one file for git.
rm -rf "$tree"
mkdir -p "$tree" && cp -as "$build/linux-source-6.1-whole/." "$tree/" || exit 1
git_in() { git -C "$tree" -c init.defaultBranch=main -c user.name=x -c user.email=x@x "$@"; }
rm -f "$tree"/.git*	# git follows no links there
cp --remove-destination "$(realpath "$tree/$ring")" "$tree/$ring" || exit 1
git_in init -q
git_in config status.showUntrackedFiles no
commit() { git_in add -f "$ring" && git_in commit -q -m "$1" && git_in tag "$1"; }
edit() { sed -i "$1" "$tree/$ring" && ! git_in diff --quiet; }

commit base
edit '1a /* a comment */' && commit comment
edit 's/^static __always_inline bool$/& nonsense/' && commit does-not-compile
edit 's/ nonsense$//' && commit fixed
# A sample that reaches the threshold wakes nobody.
edit 's/^\tif (handle->wakeup != local_read(&rb->wakeup))$/\tif (0)/' && commit broken
edit '1a /* one more */' && commit end

finds() {
	git_in bisect start end base || return 1
	(cd "$tree" && exec git bisect run "$top/vm/bisect.sh" -- perfwake run "$top/selftests/cases/remainder-9-of-10.case") >"$said" 2>&1 ||
		{ tail -n 5 "$said"; return 1; }
	has "$said" "^$(git_in rev-parse "$1") is the first bad commit"
}
alone() { git_in checkout -q "$2" && (cd "$tree" && exec "$top/vm/bisect.sh") >"$said" 2>&1; same "status $?" "status $1"; }

tap_plan 5
check "six states" same "$(git_in tag | wc -l)" 6
check "git finds the one that is broken by one line" finds broken
check "the whole suite says so, too" alone 1 broken
check "and that the one before is good" alone 0 fixed
check "what does not compile is skipped" alone 125 does-not-compile
rm -rf "$tree"
tap_end
