// SPDX-License-Identifier: GPL-2.0
// Who takes a file's pages out of the address spaces that map it, as the end of an AIO context does,
// holds none of their locks. What is to be flushed there need not be looked for among their VMAs.

@whole@
declarer name VMA_ITERATOR;
iterator name for_each_vma;
identifier mm, vma, vmi;
@@
 flush_tlb_mm(struct mm_struct *mm)
 {
-	struct vm_area_struct *vma;
-	VMA_ITERATOR(vmi, mm, 0);
-
-	for_each_vma(vmi, vma)
-		um_tlb_mark_sync(mm, vma->vm_start, vma->vm_end);
+	um_tlb_mark_sync(mm, 0, TASK_SIZE);
 }
