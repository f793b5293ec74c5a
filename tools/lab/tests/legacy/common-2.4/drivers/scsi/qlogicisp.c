/* SPDX-License-Identifier: GPL-2.0 */

int isp1020_detect(Scsi_Host_Template *tmpt)
{
	tmpt->proc_name = "isp1020";

	if (pci_present() == 0)
		return 0;
	return isp1020_probe(tmpt);
}
