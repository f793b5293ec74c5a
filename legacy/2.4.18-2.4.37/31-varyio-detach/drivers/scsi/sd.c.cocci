// SPDX-License-Identifier: GPL-2.0
// 16 minors a disk, as sd_attach() sets them.

@forget@
symbol dpnt, sd_varyio, i;
@@

 dpnt->device = NULL;
 dpnt->capacity = 0;
+memset(sd_varyio + (i << 4), 0, 16);
