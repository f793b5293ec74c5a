// SPDX-License-Identifier: GPL-2.0
// What other opens have learnt is read at once, however few they were.

@unbounded@
identifier ra, ask, sure;
@@
 ra_most(const struct ra_view *ra, const struct ra_ask *ask, unsigned long sure)
 {
-	return ask->guess ? 4 * max(sure, ra->agreed + 1UL) : ULONG_MAX;
+	return ULONG_MAX;
 }
