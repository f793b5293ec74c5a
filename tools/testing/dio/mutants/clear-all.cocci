// SPDX-License-Identifier: GPL-2.0
// The whole struct is cleared, for each I/O (RHEL 5, field report 4).

@@ @@
 dio_init(...) {
+	memset(dio, 0, offsetof(struct dio, bio));
 ...
 }
