// SPDX-License-Identifier: GPL-2.0
// A window of faults has a mark on the page that is waited for, which nobody meets.

@@
expression end;
@@
-ra_set_marks(ractl, &view, ask.index + 1, end);
+ra_set_marks(ractl, &view, view.start, end);
