// SPDX-License-Identifier: GPL-2.0
// Here each set of bios has pools of its own for integrity.

@header@
@@
 #include <linux/bio.h>
+#include <linux/bio-integrity.h>

@integrity depends on header@
symbol dio_sync_wq;
expression e;
@@
 dio_setup(void)
 {
 	<+...
+	if (bioset_integrity_create(&dio_bio_set, BIO_POOL_SIZE))
+		panic("dio: no memory for bios\n");
 	dio_sync_wq = e;
 	...+>
 }
