// SPDX-License-Identifier: GPL-2.0
// Here pins of a large folio are counted elsewhere, and what is not pinned has references, but for
// what is the owner's to keep.

// places: 2
@count@
expression folio;
@@
-&folio->_pincount
+folio_pincount_ptr(folio)

// places: 2
@kept depends on count@
expression bio;
@@
 bio_test_not_pinned(...)
 {
 ...
-bio_clear_flag(bio, BIO_PAGE_PINNED);
+bio_set_flag(bio, BIO_NO_PAGE_REF);
 ...
-bio_set_flag(bio, BIO_PAGE_PINNED);
+bio_clear_flag(bio, BIO_NO_PAGE_REF);
 ...
 }
