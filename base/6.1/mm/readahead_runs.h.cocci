// SPDX-License-Identifier: GPL-2.0
// Here mm/filemap.c reads around random faults for good: what fault-around maps it counts as hits.

@goes_on@
@@
-#define RA_AROUND_STOPS	1
+#define RA_AROUND_STOPS	0
