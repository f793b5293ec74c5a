// SPDX-License-Identifier: GPL-2.0
// The file's write hint does not reach its bios.

@@
expression e;
@@
 dio_new_bio(...) {
 <+...
-	bio->bi_write_hint = e;
 ...+>
 }
