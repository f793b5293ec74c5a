// SPDX-License-Identifier: GPL-2.0
// A mapped file is read further where the cache does not hold what is read.

@@
expression pages;
@@
 ra_faults_warm(...) {
 <+...
-ra_any_evicted(ask, pages)
+false
 ...+>
 }
