// SPDX-License-Identifier: GPL-2.0
// A stream whose pages were thrown away unread gets its full windows again.

@@ @@
 ra_hold(...)
 {
 <+...
-ra_stream_size(ra) / 2
+ask->max
 ...+>
 }
