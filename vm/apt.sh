# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by fetch-kernel and fetch-source: the machine's own apt with a state folder of
# our own, so that nothing is installed, no root is needed, and the machine's lists stay
# as they are. The mirror and the keyring are the ones that the machine already uses.

me=${0##*/}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 2
build=${B:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
# shellcheck source-path=SCRIPTDIR
. "$top/vm/signals.sh"

# What else can be done, for messages; the script that sources this may say it before.
apt_hint=${apt_hint:-give a kernel with -k FILE}

die() { printf '%s: %s\n' "$me" "$*" >&2; exit 2; }

# Where the source entry FILE:N of apt says so, print the keyring that it names: N is a
# line in a one-line file and a stanza in a deb822 file.
apt_keyring_of() {
	local file=${1%:*} n=${1##*:}

	case $file in
	*.sources) awk -v n="$n" 'BEGIN { RS = "" } NR == n' "$file" |
		sed -n 's/^Signed-By:[[:blank:]]*\(\/[^[:blank:]]*\).*/\1/ip' ;;
	*) sed -n "${n}p" "$file" | sed -n 's/.*signed-by=\(\/[^] ,]*\).*/\1/p' ;;
	esac 2>/dev/null | head -n 1
}

# Print the lines of a sources list for SUITE: the suite itself from the main archive of
# the machine, and its security suite from the machine's security archive.
apt_sources_for() {
	local suite=$1 uri release entry key main='' sec=''

	# shellcheck disable=SC2016 # the format is apt's to expand
	while IFS='|' read -r uri release entry; do
		key=$(apt_keyring_of "$entry")
		case $release in
		*-security) sec=${sec:-"[${key:+signed-by=$key}] $uri"} ;;
		*-*) ;;
		*) main=${main:-"[${key:+signed-by=$key}] $uri"} ;;
		esac
	done < <(apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(SOURCESENTRY)' \
			'Created-By: Packages' 'Origin: Debian' 'Component: main' 2>/dev/null)
	[ -n "$main" ] ||
		die "the machine's apt has no Debian main archive in its lists: run apt-get update, or $apt_hint"
	case $suite in
	*-security)	echo "deb ${sec:-$main} $suite main" ;;
	*-* | sid | unstable | experimental) echo "deb $main $suite main" ;;
	*)		echo "deb $main $suite main"
			[ -z "$sec" ] || echo "deb $sec $suite-security main" ;;
	esac | sed 's/\[\] //'
}

# Make the private state for SUITE ready and bring its lists up to date. Afterwards the
# array apt_opts makes apt-get and apt-cache use it. Holds a lock till the script ends.
apt_open() {
	local suite=$1 dir=$build/apt/$1

	{ command -v apt-get && command -v dpkg-deb; } >/dev/null ||
		die "no apt on this machine to fetch with: $apt_hint"
	mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" "$dir/etc" ||
		die "cannot write to $dir: check rights and space, or set B to another build folder"
	exec 9>"$dir/lock"
	flock 9
	apt_sources_for "$suite" >"$dir/etc/sources.list" || exit 2
	: >"$dir/state/status"
	# Hooks of the machine act on its own lists and need root: none of them here.
	cat >"$dir/etc/apt.conf" <<-EOF
	#clear APT::Update::Pre-Invoke;
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	#clear Acquire::IndexTargets::deb::Translations;
	#clear Acquire::IndexTargets::deb-src;
	Acquire::Languages "none";
	Acquire::Retries "3";
	APT::Sandbox::User "";
	Dir::State "$dir/state";
	Dir::State::lists "$dir/state/lists";
	Dir::State::status "$dir/state/status";
	Dir::Cache "$dir/cache";
	Dir::Cache::archives "$dir/cache/archives";
	Dir::Etc::sourcelist "$dir/etc/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	EOF
	apt_opts=(-c "$dir/etc/apt.conf" -q)
	apt-get "${apt_opts[@]}" -qq update >"$dir/log" 2>&1 ||
		die "apt cannot read the lists of $suite ($(apt_why "$dir/log")): check the network, or $apt_hint"
}

# The first complaint in apt's log FILE, without the machine's addresses in it.
apt_why() {
	local why

	why=$(grep -m 1 '^[EW]:' "$1" | sed 's|[a-z]*://[^ ]*|(mirror)|g')
	echo "${why:-no reason given}"
}

# Print the newest version of PACKAGE that the suite has, or nothing.
apt_version() {
	apt-cache "${apt_opts[@]}" policy "$1" |
		awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# Fetch PACKAGE into the folder DIR.
apt_get_deb() {
	local dir=$2

	(cd "$dir" && apt-get "${apt_opts[@]}" -qq download "$1") >"$dir/apt.log" 2>&1 ||
		die "apt cannot fetch $1 ($(apt_why "$dir/apt.log")): check network and space, or $apt_hint"
}
