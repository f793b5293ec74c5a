// SPDX-License-Identifier: GPL-2.0
// A binding leads to whatever disk has the number now.

@@ @@
 raw_open(...) {
 <+...
-bdev->bd_disk->diskseq != binding->diskseq
+false
 ...+>
 }
