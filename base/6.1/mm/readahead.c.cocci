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

@ask depends on include_runs@
identifier max, count;
expression most;
@@
 ondemand_readahead(...)
 {
 	...
 	if (count > max && most > max)
 		max = min(count, most);
+	if (folio && ra_runs_mark(ractl, folio, max))
+		return;
+	if (!folio && ra_runs_miss(ractl, count, max))
+		return;
 	...
 }
