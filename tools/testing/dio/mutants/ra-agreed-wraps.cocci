// SPDX-License-Identifier: GPL-2.0
// The longest habit is none.

@@ @@
-ra->agreed < RA_AGREED_MAX
+true
