// SPDX-License-Identifier: GPL-2.0

@host_flag@
@@

 struct SHT {
 	...
 	unsigned emulated:1;
+
+    /*
+     * True if the driver takes requests with buffers of several sizes, as
+     * raw and O_DIRECT make them. Set it once you have looked.
+     */
+    unsigned can_do_varyio:1;
 	...
 };
