// SPDX-License-Identifier: GPL-2.0
// Here each set of bios has pools of its own for integrity, bios have no write hint, and the queue
// for completions is made in this file.

@integrity@
symbol dio_sync_wq;
expression e;
@@
 dio_setup(void)
 {
 	<+...
+	if (bioset_integrity_create(&dio_bio_set, BIO_POOL_SIZE))
+		panic("dio: no memory for bios\n");
 	dio_sync_wq = e;
 	...+>
 }

@hint depends on integrity@
expression e;
@@
 dio_new_bio(...)
 {
 	<+...
-	bio->bi_write_hint = e;
 	...+>
 }

@queue depends on hint@
@@
+/**
+ * sb_init_dio_done_wq() - make the queue for completions in process context
+ * @sb: the super block whose s_dio_done_wq is to be there; for whoever needs it first
+ *
+ * Context: process context; may be called by several at once.
+ * Return: 0, or -ENOMEM.
+ */
+int sb_init_dio_done_wq(struct super_block *sb)
+{
+	struct workqueue_struct *wq = alloc_workqueue("dio/%s", WQ_MEM_RECLAIM, 0, sb->s_id);
+
+	if (!wq)
+		return -ENOMEM;
+	if (cmpxchg(&sb->s_dio_done_wq, NULL, wq))
+		destroy_workqueue(wq);
+	return 0;
+}
+
 dio_setup(void)
 {
 ...
 }
