// SPDX-License-Identifier: GPL-2.0

@opt_in@
symbol template;
@@

 template->proc_name = "aic7xxx";
+template->FLAG = 1;
