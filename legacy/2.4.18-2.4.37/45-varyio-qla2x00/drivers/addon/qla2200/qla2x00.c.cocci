// SPDX-License-Identifier: GPL-2.0

@opt_in@
symbol template;
@@

 template->proc_name = DRIVER_NAME;
+template->FLAG = 1;
