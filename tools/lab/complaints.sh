#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# complaints.sh LOG: prints the lines of LOG, with their numbers, in which a kernel complains of
# itself. Exit: 0 if it does, 1 if it is silent, as grep; 2 if there is no LOG.
#
# test_complaints.sh has a kernel say them.

# WARN, lockdep, RCU and refcounts say "WARNING:"; slub says "BUG kmalloc-64 (...):", and others
# "BUG:", as the watchdogs of CPUs and workqueues do.
said='WARNING:|\<BUG[: ]|KASAN:|UBSAN:|Oops|general protection fault|Call Trace|Kernel panic'
said="$said|possible (circular|recursive) locking|suspicious RCU|soft lockup|workqueue lockup"
said="$said|INFO: task .* blocked.* for more than|rcu: INFO: .* stall"

[ -r "${1-}" ] || { echo "usage: complaints.sh LOG; no such file: ${1-}" >&2; exit 2; }
# virtme-ng's init has warnings, too.
grep -nE "$said" "$1" | grep -v 'virtme-ng-init: WARNING:'
