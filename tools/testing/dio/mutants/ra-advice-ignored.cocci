// SPDX-License-Identifier: GPL-2.0
// POSIX_FADV_SEQUENTIAL does not keep short runs from being expected.

@advice_ignored@
@@
 ra_expect(...)
 {
 <+...
-ra->advised ? 0 : ra_run_expected(ra->mean)
+ra_run_expected(ra->mean)
 ...+>
 }
