// SPDX-License-Identifier: GPL-2.0
// A window before the origin is far behind it.

@@
typedef s64;
@@
 ra_load(...)
 {
 <+...
-(s64)runs >> 51
+runs >> 51
 ...+>
 }
