// SPDX-License-Identifier: GPL-2.0
// A guess has its mark on the first page, and two windows are read at once.

@two@
expression ra, most, ask;
@@
-3UL * ra->size <= most || ra->size <= ask->pages
+true
