// SPDX-License-Identifier: GPL-2.0
// Synchronous requests of up to 64 KiB on the stack, as those of up to 16 KiB were. bio_init() sets
// all that is read of a bio, and bio_vecs are written before they are read.

@more@
@@
-#define DIO_INLINE_BIO_VECS 4
+#define DIO_INLINE_BIO_VECS 16

@cleared depends on more@
@@
-	struct bio_vec inline_vecs[DIO_INLINE_BIO_VECS];

@cleared_bio depends on cleared@
@@
-	struct bio bio;

@not_cleared depends on cleared_bio@
attribute name __uninitialized;
identifier vecs;
@@
 __blkdev_direct_IO_simple(...)
 {
	...
+	struct bio_vec inline_vecs[DIO_INLINE_BIO_VECS] __uninitialized;
	struct bio_vec *vecs;
	...
 }

@bio_not_cleared depends on not_cleared@
attribute name __uninitialized;
identifier ret;
@@
 __blkdev_direct_IO_simple(...)
 {
	...
+	struct bio bio __uninitialized;
	ssize_t ret;
	...
 }
