// SPDX-License-Identifier: GPL-2.0

@opt_in@
symbol tmpt;
@@

 tmpt->proc_name = "isp1020";
+tmpt->FLAG = 1;
