#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs what tells soonest whether a change is right: for each path that differs from SINCE= (HEAD), the
# parts of the harness and the selftests on user-mode Linux that .ci/paths names, and a changed
# selftest itself (test_file_load on FS=ext2-1k,vfat,xfs). Exit: 0 all passed, 1 not, 2 nothing is known.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
since=${SINCE:-HEAD}
harness="" tests=""

# add PATH: what .ci/paths has for it
add()
{
	local pattern parts selftests

	case $1 in
	tools/testing/selftests/dio/test_*.sh)	tests+=" $(basename "$1" .sh)" ;;
	esac
	while read -r pattern parts selftests; do
		# shellcheck disable=SC2053 # a pattern
		[[ $1 == $pattern ]] || continue
		harness+=" ${parts//,/ }"
		tests+=" ${selftests//,/ }"
	done < <(grep -v '^#' .ci/paths)
}

# words WORD...: each once, without -
words()
{
	printf '%s\n' "$@" | grep -v '^-*$' | sort -u | tr '\n' ' '
}

changed=$(git diff --name-only "$since"; git ls-files --others --exclude-standard)
while read -r path; do
	[ -z "$path" ] || add "$path"
done <<<"$changed"
# shellcheck disable=SC2086 # lists of words
harness=$(words $harness) tests=$(words $tests)
echo "quick: harness: ${harness:-nothing}; selftests: ${tests:-nothing}" >&2
[ -n "$harness$tests" ] || exit 2
rc=0
# shellcheck disable=SC2086 # a list of words
[ -z "$harness" ] || make -s -C tools/testing/dio OUTPUT="${O:-$top/out}/harness-7.3" CASES=200000 \
	$harness || rc=1
[ -z "$tests" ] || make --no-print-directory tests KERNEL=um OPS="${OPS:-10}" \
	FS="${FS-ext2-1k,vfat,xfs}" TESTS="$tests" || rc=1
exit "$rc"
