// SPDX-License-Identifier: GPL-2.0
// All of a 32-bit caller's register is taken for its pointer.

@@ @@
 raw_ctl(...) {
 <+...
-in_compat_syscall()
+false
 ...+>
 }
