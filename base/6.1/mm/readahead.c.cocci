// SPDX-License-Identifier: GPL-2.0
// Linux 6.1 chooses all windows in one function.

@include_runs@
@@
 #include "internal.h"
+#include "readahead_runs.h"

@a_verdict depends on include_runs@
identifier max;
expression list args;
@@
 ondemand_readahead(...)
 {
 	...
 	unsigned long max = ra->ra_pages;
+	enum ra_runs_verdict verdict;
 	<+...
 	page_cache_ra_order(args);
 	...+>
 }

@ask depends on a_verdict@
expression list a_verdict.args;
identifier max, count;
expression most;
@@
 ondemand_readahead(...)
 {
 	...
 	if (count > max && most > max)
 		max = min(count, most);
+	if (folio)
+		verdict = ra_runs_mark(ractl, folio, count, max);
+	else
+		verdict = ra_runs_miss(ractl, count, max);
+	if (verdict == RA_RUNS_RUN || verdict == RA_RUNS_STREAM) {
+		ractl->_index = ra->start;
+		page_cache_ra_order(args);
+	}
+	if (verdict != RA_RUNS_OFF)
+		return;
 	...
 }
