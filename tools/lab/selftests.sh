#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the installed selftests in the guest, one after the other: selftests.sh [TEST]...
# The TAP of each goes to stdout and to log/TEST.tap. Exit: 0 if none failed. A test that skips all is
# a failure here: this kernel and this machine have what it needs.

cd "${O:-.}" || exit 2
[ $# -gt 0 ] || set -- kselftest/test_*.sh

failed=0
for test in "$@"; do
	name=$(basename "$test" .sh)
	rc=0
	echo "# $name"
	sh "kselftest/$name.sh" >"log/$name.tap" 2>&1 || rc=$?
	cat "log/$name.tap"
	[ "$rc" -eq 0 ] || failed=1
done
exit $failed
