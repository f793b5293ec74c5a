// SPDX-License-Identifier: GPL-2.0
// A synchronous read leaves its pages to the work item, behind those of others: one that is locked
// for long holds up all, or the read returns before its pages are dirty.

@@ @@
 dio_redirty_later(...) {
-	struct bio **list = dio->may_queue ? &dio_cleaned : &dio->cleaned;
+	struct bio **list = &dio_cleaned;
 ...
-	if (dio->may_queue && !old)
+	if (!old)
 		schedule_work(&dio_cleaned_work);
 }
