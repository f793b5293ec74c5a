// SPDX-License-Identifier: GPL-2.0
// Without a word from the driver a SCSI host takes segments of 64 KiB, so that 1 MiB of contiguous
// memory becomes 16 descriptors. One number serves all generations, because all descriptors have
// the same length field; what differs is how many there may be (sg_tablesize, set at probe: 32 on
// the 2100, 128 on its 64-bit siblings, 1024 on 24xx and later). The template, rather than the
// probe function, so that NPIV hosts have it too. With T10-PI, insert and strip cut the segments
// into protection intervals themselves (qla24xx_get_one_block_sg()). FC-NVMe has limits of its own.

@long_segments@
symbol qla2xxx_driver_template;
@@
 struct scsi_host_template qla2xxx_driver_template = {
 	.max_sectors = 0xFFFF,
+	.max_segment_size = QLA_DSD_MAX_LENGTH,
 };
