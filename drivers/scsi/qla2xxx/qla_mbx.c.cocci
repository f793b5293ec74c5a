// SPDX-License-Identifier: GPL-2.0
// The heartbeat's mailbox command is sent by a work item. Of a time-out there nobody heard but the
// firmware dump, which is taken once.

@heartbeat_resets@
identifier mcp;
@@
 qla_no_op_mb(...)
 {
 	...
-	mcp->flags = 0;
+	mcp->flags = IOCTL_CMD;
 	...
 }
