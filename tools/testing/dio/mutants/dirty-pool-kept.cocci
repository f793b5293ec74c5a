// SPDX-License-Identifier: GPL-2.0
// A read waits for a bio of the pool with all of the pool among its own bios, which ended on pages
// that were cleaned.

@@ @@
 dio_alloc_bio(...) {
 <+...
-	may_keep ? GFP_NOWAIT : GFP_KERNEL
+	GFP_KERNEL
 ...+>
 }
