// SPDX-License-Identifier: GPL-2.0
// A mapped file that comes to be in memory is read run by run.

@@ @@
 ra_faults_begin(...) {
 <...
-ra_faults_warm(ra, ask);
 ...>
 }
