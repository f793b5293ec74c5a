// SPDX-License-Identifier: GPL-2.0
// A stream's windows end anywhere, and what rounds them cuts every other one short.

@@ @@
 ra_plan_mark(...) {
 <+...
-round_down(miss + size, max(rounddown_pow_of_two(size) / 2, 1UL))
+miss + size
 ...+>
 }
