// SPDX-License-Identifier: GPL-2.0
// A bio that holds pinned pages says so, as in later kernels.

@pinned@
@@
 enum {
 	...,
 	BIO_ZONE_WRITE_LOCKED,
-	BIO_FLAG_LAST
+	BIO_PAGE_PINNED,	/* unpin pages in bio_release_pages() */
+	BIO_FLAG_LAST
 };
