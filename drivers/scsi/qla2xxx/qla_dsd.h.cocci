// SPDX-License-Identifier: GPL-2.0
// How long one data segment may be, where the descriptors are defined.

@dsd_max_length@
identifier dsd, sg;
@@
 static inline void append_dsd64(struct dsd64 **dsd, struct scatterlist *sg)
 { ... }
+
+/*
+ * Bytes that one descriptor can carry: the length is 32 bits wide in both forms, so in the command
+ * and continuation entries of every generation (types 2, 3, 6, 7 and CRC_2, type 0 and 1). A
+ * segment that touches a 4 GiB line does not come here, see Scsi_Host's dma_boundary.
+ */
+#define QLA_DSD_MAX_LENGTH	U32_MAX
