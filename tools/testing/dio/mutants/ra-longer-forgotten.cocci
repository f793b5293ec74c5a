// SPDX-License-Identifier: GPL-2.0
// That long runs go on is not learnt: of runs of 64, 64, 1, 1 pages each long one is a surprise.

@@ @@
-ra->longer < RA_LONGER_MAX
+true
