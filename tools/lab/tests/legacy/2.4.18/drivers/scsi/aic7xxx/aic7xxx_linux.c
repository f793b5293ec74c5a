/* SPDX-License-Identifier: GPL-2.0 */
/* The shape of aic7xxx that the rules look for, before it had more files. */

int
ahc_linux_detect(Scsi_Host_Template *template)
{
	if (offsetof(struct ahc_cmd_internal, end)
	  > offsetof(struct scsi_cmnd, host_scribble)) {
		printf("no\n");
		return (0);
	}
	return (ahc_linux_probe(template));
}
