// SPDX-License-Identifier: GPL-2.0
// A stream's windows are rounded up, whatever the cache can hold.

@@ @@
 ra_plan_mark(...) {
 <+...
-round_down(miss + size, max(rounddown_pow_of_two(size) / 2, 1UL))
+min(round_down(miss + 2 * size - 1, rounddown_pow_of_two(size)), miss + ask->max)
 ...+>
 }
