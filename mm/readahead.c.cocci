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
+	switch (ra_runs_miss(ractl, count, max)) {
+	case RA_RUNS_STREAM:
+		goto readit;
+	case RA_RUNS_DONE:
+		return;
+	case RA_RUNS_OFF:
+		break;
+	}
 	...
 }

@at_a_mark depends on at_a_miss@
identifier max, count;
@@
 page_cache_async_ra(...)
 {
 	...
 	max = ractl_max_pages(ractl, count);
+	switch (ra_runs_mark(ractl, folio, count, max)) {
+	case RA_RUNS_STREAM:
+		goto readit;
+	case RA_RUNS_DONE:
+		return;
+	case RA_RUNS_OFF:
+		break;
+	}
 	...
 }
