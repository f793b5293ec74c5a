// SPDX-License-Identifier: GPL-2.0
// A chip that was reset must be told its rings. Of the two commands that do so only that of firmware
// with virtual ports is in the list of what is sent meanwhile; nor is the one that asks adapters
// before 24xx for their options.

@rom_commands@
symbol rom_cmds, MBC_MID_INITIALIZE_FIRMWARE;
identifier rom_cmd;
field list fs;
initializer list before, after;
@@
 static struct rom_cmd { fs } rom_cmds[] = {
 	before,
+	{ MBC_GET_FIRMWARE_OPTION },
+	{ MBC_INITIALIZE_FIRMWARE },
 	{ MBC_MID_INITIALIZE_FIRMWARE },
 	after,
 };

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
