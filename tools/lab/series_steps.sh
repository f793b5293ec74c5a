#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Is each step of a series whole? The patches are applied one after the other to the tree of the stock
# kernel, as git am would; what each changes is compiled with W=1, no warning is passed, and the kernel
# boots. series_steps.sh DIR, a folder that `make series` wrote; results as TAP.
#
# Exit: 0 all are whole, 1 one is not (those behind it are not tried), 2 usage.

set -u

lab=$(dirname "$0")
patches=("${1-}"/0*.patch)
if [ $# -ne 1 ] || [ ! -e "${patches[0]}" ]; then
	echo "usage: series_steps.sh DIR (of patches)" >&2
	exit 2
fi

echo "TAP version 13"
"$lab/kernel.sh" build step >/dev/null || exit 1
n=0
for patch in "${patches[@]}"; do
	case $patch in */0000-*) continue ;; esac
	n=$((n + 1))
	not=""
	"$lab/kernel.sh" build step "$patch" >/dev/null && "$lab/guest.sh" -k step -n step true ||
		not="not "
	echo "${not}ok $n ${patch##*/} builds and boots"
	[ -z "$not" ] || exit 1
done
echo "1..$n"
