// SPDX-License-Identifier: GPL-2.0
// A 32-bit caller's ioctls are read as ours.

@@ @@
 raw_compat_ioctl(...) {
 <+...
-raw_ops(file)->compat_ioctl
+raw_ops(file)->unlocked_ioctl
 ...+>
 }
