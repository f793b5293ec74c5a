// SPDX-License-Identifier: GPL-2.0
// What a stream has left in the cache before a missing page is not looked at: a run begins.

@@ @@
 ra_runs_miss(...)
 {
 <+...
-ra_history(ractl, max) <= pages
+true
 ...+>
 }
