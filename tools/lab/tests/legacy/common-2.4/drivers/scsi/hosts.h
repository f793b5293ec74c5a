/* SPDX-License-Identifier: GPL-2.0 */
typedef struct	SHT
{
    const char *name;

    /* ATAPI and such */
    unsigned emulated:1;

    /* memory above */
    unsigned highmem_io:1;

    /* in proc */
    char *proc_name;

} Scsi_Host_Template;
