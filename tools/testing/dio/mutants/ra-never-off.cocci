// SPDX-License-Identifier: GPL-2.0
// The sysctl says nothing.

@@ @@
 ra_load(...)
 {
 <+...
-READ_ONCE(sysctl_readahead_runs)
+1
 ...+>
 }
