// SPDX-License-Identifier: GPL-2.0
// Memory of vmalloc is read and written past its own mapping, which nobody flushes.

@@ @@
 extract_kernel_pages(...) {
 <+...
-	is_vmalloc_or_module_addr(addr) || !virt_addr_valid(addr)
+	!virt_addr_valid(addr)
 ...+>
 }
