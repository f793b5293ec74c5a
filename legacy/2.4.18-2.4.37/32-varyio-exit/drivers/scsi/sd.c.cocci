// SPDX-License-Identifier: GPL-2.0

@let_go@
symbol read_ahead, i;
@@

 read_ahead[SD_MAJOR(i)] = 0;
+blkdev_varyio[SD_MAJOR(i)] = NULL;
