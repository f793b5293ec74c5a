// SPDX-License-Identifier: GPL-2.0
// Here mm/filemap.c reads around random faults for good, as what fault-around maps counts as hits:
// all of a mapped file is soon in memory wherever there is room for it.

@dense@
@@
-#define RA_DENSE	8UL
+#define RA_DENSE	2UL

@some@
@@
-#define RA_SOME		2UL
+#define RA_SOME		32UL

@much@
@@
-#define RA_MUCH		1UL
+#define RA_MUCH		4UL
