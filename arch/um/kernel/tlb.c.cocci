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

// Until a program that another CPU runs comes into the kernel, for its next tick, it goes on with what
// was mapped there: pages that may be another file's by then.

@kick depends on whole@
expression E;
@@
 flush_tlb_mm(struct mm_struct *mm)
 {
-	um_tlb_mark_sync(mm, 0, E);
+	um_tlb_mark_sync(mm, 0, E);
+	um_tlb_kick(mm);
 }

@kicked depends on kick@
iterator name for_each_online_cpu;
@@
+/*
+ * Another CPU may run a program of @mm just now. Interrupt it: it syncs before it goes on. That is
+ * not waited for: who flushes may hold page_table_lock, for which a CPU waits with interrupts off.
+ */
+void um_tlb_kick(struct mm_struct *mm)
+{
+	int me = raw_smp_processor_id();
+	bool runs = false;
+	int cpu;
+
+	rcu_read_lock();
+	for_each_online_cpu(cpu)
+		runs |= cpu != me && READ_ONCE(READ_ONCE(cpu_tasks[cpu])->mm) == mm;
+	rcu_read_unlock();
+	if (runs)
+		os_alarm_process(mm->context.id.pid);
+}
+
 void flush_tlb_all(void)
 { ... }
