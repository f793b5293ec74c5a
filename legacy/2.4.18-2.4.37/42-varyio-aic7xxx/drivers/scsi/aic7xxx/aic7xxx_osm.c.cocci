// SPDX-License-Identifier: GPL-2.0

@opt_in@
symbol template;
@@

 if (offsetof(struct ahc_cmd_internal, end) > offsetof(struct scsi_cmnd, host_scribble)) {
 	...
 }
+template->FLAG = 1;
