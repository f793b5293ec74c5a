// SPDX-License-Identifier: GPL-2.0
// On a disk that turns each run that was used gives the next one back to what reads around faults.

@@ @@
 ra_runs_maps(...) {
 <+...
-ra_has_faults(ractl->ra)
+false
 ...+>
 }
