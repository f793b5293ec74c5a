#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packs $O/dio-field-kit-ARCH.tar.gz (make kit): the selftests with field, for a machine that has no
# compiler, no python and no network.
#
# In it are $O/kselftest (make selftests), busybox with a link in bin for each of its programs, which
# stand in for what the machine has not, and the page that says how to use it. FIO= names a fio to go
# with them. A program that is not static is refused.
#
# Exit: 0 packed, 1 a program is not static, or a step failed.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=common.sh
. "$top/tools/lab/common.sh"
name=dio-field-kit-$(uname -m)
kit=$out/$name

busybox=$(PATH=$PATH:/sbin:/usr/sbin command -v busybox)
rm -rf "$kit"
mkdir -p "$kit/bin"
cp -r "$out/kselftest/." "$kit"
ln -s field.sh "$kit/field"
cp "$busybox" "$kit/busybox"
[ -z "${FIO-}" ] || cp "$FIO" "$kit/fio"
for file in "$kit"/*; do
	! readelf -lW "$file" 2>/dev/null | grep -q INTERP || die 1 "$file is not static"
done
for applet in $("$busybox" --list); do
	ln -s ../busybox "$kit/bin/$applet"
done
cp "$top/Documentation/dio/field.rst" "$kit/README"
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$name.tar.gz" "$name"
rm -rf "$kit"
say "packed $out/$name.tar.gz ($(du -h "$out/$name.tar.gz" | cut -f 1)): unpack it there, ./field --help"
