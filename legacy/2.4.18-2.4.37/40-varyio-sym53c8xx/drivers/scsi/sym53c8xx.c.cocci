// SPDX-License-Identifier: GPL-2.0
// What is there goes and comes back, for the new line to be indented like it.

@opt_in@
symbol tpnt;
@@

 sym53c8xx_detect(...)
 {
 ...
-if (!pci_present())
-	return 0;
+if (!pci_present())
+	return 0;
+tpnt->FLAG = 1;
 ...
 }
