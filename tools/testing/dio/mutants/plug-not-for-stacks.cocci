// SPDX-License-Identifier: GPL-2.0
// A bio that comes alone is not plugged, where md then leaves it to its thread.

@@ @@
 dio_submit(...) {
 <+...
-	more || bdev_wants_plug(...)
+	more
 ...+>
 }
