// SPDX-License-Identifier: GPL-2.0

@queue_flag@
@@

 struct request_queue {
 	...
+
+	/*
+	 * The driver takes requests with buffers of several sizes.
+	 */
+	char vary_io;
 };
