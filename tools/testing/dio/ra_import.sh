#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# ra_import.sh RA_REPLAY: what ra_replay makes of each kind of log, of which it takes the reads alone.
# Exit: 0 what it should, 1 not: a line says what is wrong, 2 usage.

[ $# -eq 1 ] || { echo "usage: ra_import.sh RA_REPLAY" >&2; exit 2; }
failed=0

# import KIND LOG TRACE
import()
{
	if [ "$(printf '%b' "$2" | "$ra_replay" import "$1")" != "$(printf '%b' "$3")" ]; then
		echo "not ok the reads of a log of $1"
		failed=1
	fi
}

ra_replay=$1
import blktrace '8,0 1 1 0.000100000 7 Q R 100 + 8 [cat]
8,0 1 2 0.000200000 7 Q WS 300 + 8 [cat]
8,0 1 3 0.000300000 7 D R 100 + 8 [cat]
8,0 1 4 0.000400000 7 Q RA 108 + 16 [cat]
CPU1 (8,0):\n' '100 8,0 8,0 51200 4096
400 8,0 8,0 55296 8192\n'
import fio 'fio version 3 iolog
1 /a add
2 /a read 4096 8192
3 /a write 0 4096\n' '2000 /a /a 4096 8192\n'
import vscsi 'version,time,op,size,lbn
1,5,28,4096,8
1,5,2a,512,9
1,6,88,512,16
1,6,1a,512,16\n' '0 vm disk 4096 4096
0 vm disk 8192 512\n'
if echo nothing | "$ra_replay" import vscsi 2>/dev/null; then
	echo "not ok a log without a read is refused"
	failed=1
fi
exit $failed
