// SPDX-License-Identifier: GPL-2.0
// A synchronous read returns before its pages are dirty: a sync after it does not write them.

@@ @@
 dio_run(...) {
 <+...
-	if (dio->cleaned)
-		dio_redirty(...);
 ...+>
 }
