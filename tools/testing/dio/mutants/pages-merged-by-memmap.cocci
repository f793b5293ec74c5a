// SPDX-License-Identifier: GPL-2.0
// Pages are put into one bio_vec because their struct pages are side by side.

@@ @@
 dio_adjacent(...) {
 	...
-	if (sections && page_to_pfn(page) != page_to_pfn(page - 1) + 1)
-		return false;
-	return !xen_domain() && !IS_ENABLED(CONFIG_KMSAN);
+	return true;
 }
