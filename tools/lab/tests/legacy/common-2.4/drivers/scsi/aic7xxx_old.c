/* SPDX-License-Identifier: GPL-2.0 */
/* The shape of aic7xxx_old that the rules look for. */

int
aic7xxx_detect(Scsi_Host_Template *template)
{
  int found = 0;

  template->proc_name = "aic7xxx";
  found = aic7xxx_probe(template);
  return(found);
}
