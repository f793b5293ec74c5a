#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Installs the programs and libraries that are missing (root, Debian 12 or 13), or says what to
# install. The distribution's own base is among them where BASE= and KSRC= name no other, and with
# the word deb or programs what make deb or programs (and bench) needs. Exit: 0 all is there, 1 apt
# failed (its log is named), 2 something is missing.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=common.sh
. "$top/tools/lab/common.sh"

# program package, in the order of use
needs="gcc:gcc make:make bc:bc bison:bison flex:flex xz:xz-utils rsync:rsync perl:perl
	python3:python3-venv spatch:coccinelle qemu-system-x86_64:qemu-system-x86 busybox:busybox-static
	kmod:kmod sparse:sparse shellcheck:shellcheck musl-gcc:musl-tools dmsetup:dmsetup
	mke2fs:e2fsprogs mkfs.jfs:jfsutils mkfs.vfat:dosfstools mkfs.xfs:xfsprogs
	mkfs.exfat:exfatprogs mkudffs:udftools mkfs.nilfs2:nilfs-tools mkfs.ntfs:ntfs-3g
	mkfs.ocfs2:ocfs2-tools fio:fio clang:clang mountpoint:util-linux
	sg_reset:sg3-utils ip:iproute2 patch:patch git:git"
packers="cpio:cpio fakeroot:fakeroot dpkg-buildpackage:dpkg-dev openssl:openssl"
libs="ccache libelf-dev libssl-dev libc6-dev libclang-rt-dev"

# on_debian: is this what the packages are named for?
on_debian()
{
	grep -qs '^VERSION_ID="1[23]"' /etc/os-release && grep -qs '^ID=debian' /etc/os-release
}

# missing_programs: a line "program package" for each
missing_programs()
{
	local need

	for need in $needs; do
		PATH=$PATH:/sbin:/usr/sbin command -v "${need%:*}" >/dev/null ||
			echo "${need%:*} ${need#*:}"
	done
}

# missing_others: packages that bring no program, a line each
missing_others()
{
	local need

	for need in $libs python3-venv; do
		dpkg-query -W -f '${Status}' "$need" 2>/dev/null | grep -q ' installed' || echo "$need"
	done
	[ -n "${KSRC-}" ] || [ -e "$tarball" ] || [ "${tarball%/*}" != /usr/src ] ||
		basename "$tarball" .tar.xz
}

base=$("$top/tools/lab/base.sh" name) || exit
tarball=$("$top/tools/lab/base.sh" tarball)
[ "$base" = 7.3 ] || needs="$needs mkfs.reiserfs:reiserfsprogs"	# it has no reiserfs
case ${1-}-$base in
programs-*)
	needs="$needs sqlite3:sqlite3 mdb_dump:lmdb-utils db_bench:rocksdb-tools
		make-bcache:bcache-tools qemu-nbd:qemu-utils"
	libs="$libs python3-lmdb"
	;;
deb-*)	needs="$needs $packers" libs="$libs build-essential" ;;&
deb-6.12|deb-7.3)	needs="$needs dh:debhelper zstd:zstd" ;;&
deb-7.3)	libs="$libs libdw-dev" ;;
esac
programs=$(missing_programs)
if ! on_debian; then
	programs=$(echo "$programs" | cut -d ' ' -f 1 | tr '\n' ' ')
	[ -n "${KSRC-}" ] || die 2 "not Debian 12 or 13: name a kernel tree with KSRC=; missing: $programs"
	[ -z "${programs% }" ] || die 2 "missing programs: $programs"
	exit 0
fi
missing=$( (echo "$programs" | cut -s -d ' ' -f 2; missing_others) | sort -u | tr '\n' ' ')
[ -n "$missing" ] || exit 0
[ "$(id -u)" -eq 0 ] || die 2 "run as root: apt-get install --no-install-recommends $missing"
say "installing $missing"
step apt-update apt-get update
# shellcheck disable=SC2086 # a list of words
step apt-install env DEBIAN_FRONTEND=noninteractive \
	apt-get install -y --no-install-recommends $missing
