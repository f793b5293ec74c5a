// SPDX-License-Identifier: GPL-2.0
// More is read behind runs of faults that keep to one length, too.

@@ @@
 ra_faults_warm(...) {
 <+...
-ra->agreed
+false
 ...+>
 }
