// SPDX-License-Identifier: GPL-2.0
// Of a disk that turns as little is read around a fault as of one that does not.

@@ @@
 ra_runs_maps(...) {
 <+...
-given_up || !ra_seeks(ractl)
+true
 ...+>
 }
