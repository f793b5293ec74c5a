/* SPDX-License-Identifier: GPL-2.0 */

int
ahc_linux_detect(Scsi_Host_Template *template)
{
	int found;

	if (offsetof(struct ahc_cmd_internal, end)
	  > offsetof(struct scsi_cmnd, host_scribble)) {
		printf("no\n");
		return (0);
	}
#ifdef MODULE
	if (aic7xxx)
		aic7xxx_setup(aic7xxx);
#endif
	found = ahc_linux_probe(template);
	return (found);
}
