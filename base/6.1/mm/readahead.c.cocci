// SPDX-License-Identifier: GPL-2.0
// What the last reader has left there another one may write now.

@prev_pos_asked@
identifier ra, index;
@@
-index = (unsigned long long)ra->prev_pos >> PAGE_SHIFT;
+index = (unsigned long long)READ_ONCE(ra->prev_pos) >> PAGE_SHIFT;

// Linux 6.1 chooses all windows in one function.

@include_runs depends on prev_pos_asked@
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
+	if (verdict == RA_RUNS_STREAM) {
+		ractl->_index = ra->start;
+		page_cache_ra_order(args);
+	}
+	if (verdict != RA_RUNS_OFF)
+		return;
 	...
 }
