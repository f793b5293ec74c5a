// SPDX-License-Identifier: GPL-2.0
// The page array is half of struct dio, and most requests use the first slots of it.

@pages_last@
@@

 struct dio {
 	...
+
+	/*
+	 * Last, so that the fields above share fewer cache lines with
+	 * slots that are rarely used.
+	 */
+	struct page *pages[DIO_PAGES];
 };

// The field below goes and comes back: so the comment between them goes too.
@not_between@
@@

 struct dio {
 	...
-	struct page *pages[DIO_PAGES];
-	unsigned head;
+
+	/* The queue of fetched pages: dio_refill_pages(), dio_get_page(). */
+	unsigned head;
 	...
 };
