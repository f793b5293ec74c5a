# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # field.sh sets what is not set here
#
# Part of field.sh, which it is read by: is the data of the disks right?
#
# The first MiB are read through the page cache and past it. Both ways must give the same checksum, and
# the same as in the turn before. Of a disk that others use neither is known, and that is said.

# mib_of NODE: how many are looked at
mib_of()
{
	_all=$(($(dio_sys "$1" size) / 2048))
	echo $((_all < verify ? _all : verify))
}

# checksum NODE MIB [DD-WORD]: fails if that much cannot be read
checksum()
{
	{ dd if="$1" bs=1M count="$2" ${3:+"$3"} 2>/dev/null || : >"$DIO_TMP/unread"; } |
		sha256sum | cut -d ' ' -f 1
	[ ! -e "$DIO_TMP/unread" ]
}

verify_sums()
{
	_direct=$(checksum "$1" "$2" iflag=direct) || die "$1: $2 MiB cannot be read"
	_cached=$(checksum "$1" "$2") || die "$1: $2 MiB cannot be read"
	[ "$_direct" = "$_cached" ] ||
		tell "disk $n: a read through the page cache and one past it give different data"
	_before=$(get "sum.$n")
	[ -z "$_before" ] || [ "$_before" = "$_direct" ] ||
		tell "disk $n: data has changed since the turn before"
	put "sum.$n" "$_direct"
}

verify_disk()
{
	_mib=$(mib_of "$1")
	[ "$_mib" -gt 0 ] || return 0
	if _why=$("$DIO_DIR/dio_guard.sh" --unused "$1" 2>&1); then
		blockdev --flushbufs "$1"
		verify_sums "$1" "$_mib"
	else
		say "$_why: its data is not verified, and its figures are of others' I/O, too"
		# shellcheck disable=SC2034 # for the case with raw devices, which claim them
		in_use=1
	fi
}

field_verify()
{
	n=0
	for node in $nodes; do
		n=$((n + 1))
		verify_disk "$node"
	done
}
