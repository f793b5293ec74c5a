/* SPDX-License-Identifier: GPL-2.0 */

int
aic7xxx_detect(Scsi_Host_Template *template)
{
  int found = 0;

  template->proc_name = "aic7xxx";
  found = aic7xxx_probe(template);
  return(found);
}
