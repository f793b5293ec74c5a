// SPDX-License-Identifier: GPL-2.0
// A run of faults that outlives a habit says only that it did.

@@ @@
 ra_run_extend(...) {
 <...
-ra->agreed = 0;
+;
 ...>
 }
