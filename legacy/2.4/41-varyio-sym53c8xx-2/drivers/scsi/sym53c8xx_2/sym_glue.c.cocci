// SPDX-License-Identifier: GPL-2.0

@opt_in@
symbol tpnt;
@@

 sym53c8xx_detect(...)
 {
 ...
 if (!pci_present())
 	return 0;
+
+tpnt->FLAG = 1;
 ...
 }
