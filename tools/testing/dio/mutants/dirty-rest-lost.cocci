// SPDX-License-Identifier: GPL-2.0
// What was let go of a bio is let go again, in place of the rest.

@@ @@
 dio_unpin(...) {
 <+...
-	memmove(...);
 ...+>
 }
