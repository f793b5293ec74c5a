// SPDX-License-Identifier: GPL-2.0
// The mark of a large folio is looked for inside of it.

@@ @@
-round_down(end - ra->async_size, 1UL << order)
+end - ra->async_size
