// SPDX-License-Identifier: GPL-2.0
// A binding leads to whatever disk has the number now.

@@ @@
 raw_open_disk(...) {
 <+...
-file_bdev(disk)->bd_disk->diskseq != diskseq
+false
 ...+>
 }
