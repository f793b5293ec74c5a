// SPDX-License-Identifier: GPL-2.0
// A program that another CPU runs is interrupted when pages of it go.

@kick_of_page@
expression vma, from, to;
@@
 flush_tlb_page(...)
 {
-	um_tlb_mark_sync(vma->vm_mm, from, to);
+	um_tlb_mark_sync(vma->vm_mm, from, to);
+	um_tlb_kick(vma->vm_mm);
 }

@kick_of_range depends on kick_of_page@
expression vma, from, to;
@@
 flush_tlb_range(...)
 {
-	um_tlb_mark_sync(vma->vm_mm, from, to);
+	um_tlb_mark_sync(vma->vm_mm, from, to);
+	um_tlb_kick(vma->vm_mm);
 }

@declared depends on kick_of_range@
@@
-extern void flush_tlb_mm(struct mm_struct *mm);
+extern void flush_tlb_mm(struct mm_struct *mm);
+void um_tlb_kick(struct mm_struct *mm);
