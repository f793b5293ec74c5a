/* SPDX-License-Identifier: GPL-2.0 */

int
qla2100_detect(Scsi_Host_Template * template)
{
	int i;

	if (!pci_present())
		return 0;
	template->proc_name = DRIVER_NAME;

	for (i = 0; i < 4; i++)
		qla2x00_attach(template, i);
	return i;
}
