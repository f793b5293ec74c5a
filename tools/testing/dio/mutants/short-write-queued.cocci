// SPDX-License-Identifier: GPL-2.0
// A write that fell short is queued, and nobody writes the rest.

@@
expression e;
@@
 dio_is_queued(...) {
-	return dio->may_queue && !ret && dio->result && (e);
+	return dio->may_queue && !ret && dio->result;
 }
