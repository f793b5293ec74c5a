// SPDX-License-Identifier: GPL-2.0
// Synchronous requests of up to 64 KiB on the stack, as those of up to 16 KiB were. bio_init() sets
// all that is read of a bio, and bio_vecs are written before they are read.

@more@
@@
-#define DIO_INLINE_BIO_VECS 4
+#define DIO_INLINE_BIO_VECS 16

// places: 2
@cleared depends on more@
@@
(
-	struct bio_vec inline_vecs[DIO_INLINE_BIO_VECS];
|
-	struct bio bio;
)

// places: 2
@not_cleared depends on cleared@
attribute name __uninitialized;
identifier vecs, ret;
@@
 __blkdev_direct_IO_simple(...)
 {
	...
+	struct bio_vec inline_vecs[DIO_INLINE_BIO_VECS] __uninitialized;
	struct bio_vec *vecs;
	...
+	struct bio bio __uninitialized;
	ssize_t ret;
	...
 }
