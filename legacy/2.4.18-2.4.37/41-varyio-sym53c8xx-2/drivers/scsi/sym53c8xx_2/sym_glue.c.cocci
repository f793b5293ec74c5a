// SPDX-License-Identifier: GPL-2.0
// rules of legacy/2.4.18-2.4.37/40-varyio-sym53c8xx/drivers/scsi/sym53c8xx.c.cocci
