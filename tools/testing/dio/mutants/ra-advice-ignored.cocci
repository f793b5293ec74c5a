// SPDX-License-Identifier: GPL-2.0
// POSIX_FADV_SEQUENTIAL is not heeded.

@@
expression E;
@@
 ra_load(...)
 {
 <+...
-READ_ONCE(sysctl_readahead_runs) && E
+READ_ONCE(sysctl_readahead_runs)
 ...+>
 }
