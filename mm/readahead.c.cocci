// SPDX-License-Identifier: GPL-2.0
// What the last reader has left there another one may write now.

@prev_pos_asked@
identifier ra, index;
@@
-index = (unsigned long long)ra->prev_pos >> PAGE_SHIFT;
+index = (unsigned long long)READ_ONCE(ra->prev_pos) >> PAGE_SHIFT;

// The choice of the window is mm/readahead_runs.c's, unless that is switched off.

@include_runs depends on prev_pos_asked@
@@
 #include "internal.h"
+#include "readahead_runs.h"

@at_a_miss depends on include_runs@
identifier max, count;
@@
 page_cache_sync_ra(...)
 {
 	...
 	max = ractl_max_pages(ractl, count);
+	if (ra_runs_miss(ractl, count, max) != RA_RUNS_OFF)
+		goto readit;
 	...
 }

// Linux 6.12 names the order, too.
@a_verdict depends on at_a_miss@
identifier max;
expression list args;
@@
 page_cache_async_ra(...)
 {
 	unsigned long max;
+	enum ra_runs_verdict verdict;
 	<+...
 	page_cache_ra_order(args);
 	...+>
 }

// A run's window ends where the run does, whatever the order of its folios.
@at_a_mark depends on a_verdict@
expression list a_verdict.args;
identifier max, count;
@@
 page_cache_async_ra(...)
 {
 	...
 	max = ractl_max_pages(ractl, count);
+	verdict = ra_runs_mark(ractl, folio, count, max);
+	if (verdict == RA_RUNS_STREAM)
+		goto readit;
+	if (verdict == RA_RUNS_RUN) {
+		ractl->_index = ra->start;
+		page_cache_ra_order(args);
+	}
+	if (verdict != RA_RUNS_OFF)
+		return;
 	...
 }
