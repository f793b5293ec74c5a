// SPDX-License-Identifier: GPL-2.0
// rules of legacy/2.4.18-2.4.37/42-varyio-aic7xxx/drivers/scsi/aic7xxx/aic7xxx_osm.c.cocci
