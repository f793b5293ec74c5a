/* SPDX-License-Identifier: GPL-2.0 */

int sym53c8xx_detect(Scsi_Host_Template *tpnt)
{
	int i, count = 0;

	/* is there a bus? */
	if (!pci_present())
		return 0;

	/* then look */
#ifdef SYM_LINUX_PROC_INFO_SUPPORT
     tpnt->proc_name = NAME53C8XX;
#endif
	for (i = 0; i < 4; i++)
		count += sym53c8xx_attach(tpnt, i);
	return count;
}
