// SPDX-License-Identifier: GPL-2.0
// Pages that lie side by side get a bio_vec each.

@@ @@
 dio_adjacent(...) {
 	...
-	return !xen_domain() && !IS_ENABLED(CONFIG_KMSAN);
+	return false;
 }
