// SPDX-License-Identifier: GPL-2.0
// Pages that the pipe keeps are referenced once more, for ever.

@@ @@
 extract_kept_pages(...) {
 <+...
-	put_page(...);
+	;
 ...+>
 }
