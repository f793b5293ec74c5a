// SPDX-License-Identifier: GPL-2.0
// What the last reader has left there another one may write now.

@prev_pos_asked@
identifier ra, index;
@@
-index = (unsigned long long)ra->prev_pos >> PAGE_SHIFT;
+index = (unsigned long long)READ_ONCE(ra->prev_pos) >> PAGE_SHIFT;

// Where the last runs say how long this one is, mm/readahead_runs.c chooses the window.

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
+	if (ra_runs_miss(ractl, count, max))
+		return;
 	...
 }

@at_a_mark depends on at_a_miss@
identifier max, count;
@@
 page_cache_async_ra(...)
 {
 	...
 	max = ractl_max_pages(ractl, count);
+	if (ra_runs_mark(ractl, folio, max))
+		return;
 	...
 }
