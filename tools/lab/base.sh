#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which kernel is the base, and where its source comes from.
#
#	base.sh name		6.1, 6.12 or 7.3: KSRC's version, else BASE=, else the distribution's own
#	base.sh tarball		where the base's source is, or will be once it is fetched
#	base.sh get [exactly]	fetch that if it is missing and no package of the distribution's own
#
# The distribution's own base is a package that packages.sh installs. Another one comes out of the
# same archive: apt is given a configuration, lists and a cache of their own below the lab's cache.
# Of the machine's apt only what it says of mirrors and of the way to them is read, nothing is
# written. What is fetched stays; remove it from $XDG_CACHE_HOME/linux-dio/apt for a newer one.
#
# When the archive has moved on, the next newer linux-source is taken (but for exactly), as long as it
# is older than the next base known here; a link remembers that, and each get says so. KSRC= may be
# newer than the newest base, too. Whether the overlay fits is overlay.py's to say.
#
# Exit: 0 done, 1 its package is not as expected (a log is named), 2 there is no such base, 3 apt
# cannot read the archive (likewise).

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=common.sh
. "$top/tools/lab/common.sh"

bases=(6.1 6.12 7.3)	# each is newer than those before it
newest=${bases[-1]}
os_release=${OS_RELEASE:-/etc/os-release}	# a test has one of its own
apt=${XDG_CACHE_HOME:-$HOME/.cache}/linux-dio/apt
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# suites BASE: where Debian has it
suites()
{
	case $1 in
	6.1)	echo bookworm ;;
	6.12)	echo bookworm-backports trixie ;;
	7.3)	echo trixie-backports ;;
	esac
}

# os KEY: what the distribution says of itself
os()
{
	sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$os_release" 2>/dev/null
}

own()
{
	case $(os ID)-$(os VERSION_ID) in
	debian-12)	echo 6.1 ;;
	debian-13)	echo 6.12 ;;
	esac
}

# known BASE
known()
{
	printf '%s\n' "${bases[@]}" | grep -qFx -e "$1"
}

# base_of VERSION: the newest base that is no newer than that
base_of()
{
	if known "$1"; then
		echo "$1"
	else
		printf '%s\n' "${bases[@]}" "$1" | sort -V | grep -Fx -B 1 -e "$1" | head -n 1
	fi
}

# of_tree TREE: the base that it is; what is newer than all of them is treated as the newest
of_tree()
{
	local version base

	[ -f "$1/Makefile" ] || die 2 "KSRC=$1 is not a kernel tree"
	version=$(awk '$1 == "VERSION" { v = $3 } $1 == "PATCHLEVEL" { print v "." $3; exit }' \
		"$1/Makefile")
	base=$(base_of "$version")
	known "$version" || [ "$base" = "$newest" ] ||
		die 2 "KSRC=$1 is Linux ${version:-of an unknown version}; there are: ${bases[*]}"
	echo "$base"
}

name()
{
	local base

	[ -z "${BASE-}" ] || known "$BASE" || die 2 "no such base: BASE=$BASE; there are: ${bases[*]}"
	if [ -n "${KSRC-}" ]; then
		base=$(of_tree "$KSRC") || exit
		[ "${BASE:-$base}" = "$base" ] || die 2 "KSRC=$KSRC is Linux $base, but BASE=$BASE"
	else
		base=${BASE:-$(own)}
		if [ "$(os ID)" != debian ] || [ -z "$base" ]; then
			die 2 "not Debian 12 or 13: name a kernel tree with KSRC= (${bases[*]})"
		fi
	fi
	echo "$base"
}

tarball()
{
	local dir=$apt

	[ "$base" != "$(own)" ] || dir=/usr/src
	echo "$dir/linux-source-$base.tar.xz"
}

# The distribution's own names for its suites count, and Debian's for the same ones. apt knows what
# the machine's lists of sources come to. cdrom: is none for other suites.
mirrors()
{
	local code

	code=$(os VERSION_CODENAME)
	apt-get --print-uris update | sed -n "s|^'\(.*\)/dists/\([^/']*\)/InRelease'.*|\2 \1|p" |
		grep -E "^($code|(old)*stable)(-updates|-backports)? " | cut -d ' ' -f 2- |
		grep -v '^cdrom:' | awk '!seen[$0]++'
}

# Hooks of the machine's apt write outside of the cache, so none of its configuration is read, but
# how to reach a mirror. apt's own user has no way into a cache below $HOME.
configure()
{
	mkdir -p "$apt"/{etc/apt/apt.conf.d,var/{lib/apt/lists/partial,cache/apt/archives/partial,log/apt}}
	cat >"$apt/apt.conf" <<-EOF_CONF
		Dir "$apt";
		Dir::Etc::Netrc "/etc/apt/auth.conf";
		Dir::Etc::NetrcParts "/etc/apt/auth.conf.d";
		Dir::State::Status "/dev/null";
		APT::Sandbox::User "root";
		$(apt-config dump | grep '^Acquire::' | grep -v '^Acquire::\(IndexTargets\|Languages\)')
		Acquire::Languages "none";
	EOF_CONF
}

own_apt()
{
	(cd "$apt/part" && APT_CONFIG=$apt/apt.conf "$@")
}

# update SUITE: read what there is in it, too, from the first mirror that has it signed by Debian
update()
{
	local mirror line

	for mirror in $(mirrors); do
		line="deb [signed-by=$keyring] $mirror $1 main"
		printf '%s\n' "${sources[@]}" "$line" >"$apt/etc/apt/sources.list"
		if (step "apt-$1" own_apt apt-get update -o APT::Update::Error-Mode=any); then
			sources+=("$line")
			return
		fi
	done
	return 1
}

# offered: the versions of linux-source that there are in the lists, the oldest first
offered()
{
	own_apt apt-cache pkgnames linux-source- |
		sed -n 's/^linux-source-\([0-9]*\.[0-9]*\)$/\1/p' | sort -V
}

# take_out VERSION: its tarball out of its package
take_out()
{
	dpkg-deb --fsys-tarfile "$apt"/part/*.deb |
		tar -x -C "$apt/part" --strip-components=3 "./usr/src/linux-source-$1.tar.xz" || return
	mv "$apt/part/linux-source-$1.tar.xz" "$apt"
	rm -r "$apt/part"
}

# find_and_fetch exactly|: the base, or the next newer one
find_and_fetch()
{
	local suite one version="" asked=() sources=() versions=()

	[ -n "$(mirrors)" ] || die 2 "this machine's apt knows no mirror of Debian"
	rm -rf "$apt/part"
	mkdir -p "$apt/part"
	configure
	for suite in $(suites "$base"); do
		update "$suite" || continue
		asked+=("$suite")
		mapfile -t versions < <(offered)
		[[ " ${versions[*]} " != *" $base "* ]] || break
	done
	[ ${#asked[@]} -gt 0 ] || die 3 "apt cannot read what there is for BASE=$base"
	for one in "${versions[@]}"; do
		[ -n "$version" ] || [ "$(base_of "$one")" != "$base" ] || version=$one
	done
	if [ -z "$version" ] || [ "${1:+$version}" != "${1:+$base}" ]; then
		die 2 "no linux-source-$base in the archive's ${asked[*]}, only: ${versions[*]:-none}"
	fi
	(step "fetch-$version" own_apt apt-get download "linux-source-$version") || exit 3
	step "take-out-$version" take_out "$version"
	[ "$version" = "$base" ] || ln -sf "linux-source-$version.tar.xz" "$(tarball)"
}

# get exactly|
get()
{
	local tarball instead

	[ -z "${KSRC-}" ] || return 0
	tarball=$(tarball)
	if [ "$base" = "$(own)" ]; then
		[ -e "$tarball" ] || die 2 "$tarball is missing: run packages.sh"
		return
	fi
	mkdir -p "$apt"
	exec 8>"$apt/lock"
	flock 8
	[ -e "$tarball" ] || find_and_fetch "$1"
	instead=$(readlink "$tarball") || return 0
	[ -z "$1" ] || die 2 "the archive had no linux-source-$base any more, only ${instead%.tar.xz}"
	say "the archive had no linux-source-$base any more: BASE=$base is ${instead%.tar.xz} here"
}

base=$(name) || exit
case $* in
name)	echo "$base" ;;
tarball)	tarball ;;
get|"get exactly")	get "${2-}" ;;
*)	die 2 "usage: base.sh name|tarball|get [exactly]" ;;
esac
