// SPDX-License-Identifier: GPL-2.0
// Without what pages in memory tell, and without faults, which later patches bring.

// rules of series/lists/45-readahead-memory/mm/readahead_runs.c.cocci

// places: 2
@memory@
identifier f = {ra_used_to, ra_history, ra_warm_end};
parameter list params;
type T;
@@
-T f(params)
-{
-...
-}

@dense depends on memory@
@@
-#define RA_DENSE (SZ_64K / PAGE_SIZE)

@tracepoint depends on memory@
@@
-#include <trace/events/readahead_runs.h>

@points depends on tracepoint@
@@
-#define CREATE_TRACE_POINTS

// places: 2
@learn depends on points@
expression a, b, c;
@@
 ra_learn(...)
 {
	...
-	if (a || b || c)
-		end = ra_used_to(...);
+	if (b || c)
+		return;
	...
-	if (...)
-		trace_readahead_run(...);
 }

@sure depends on learn@
statement S;
@@
 ra_runs_read(...)
 {
	...
-	end = view.end;
-	S
	...
 }

@at_once depends on sure@
expression E;
@@
-	for (from = view.start; E; from = end) { ... }
+	ractl->_index = view.start;
+	force_page_cache_ra(ractl, view.end - view.start);

@no_from depends on at_once@
@@
 ra_runs_read(...)
 {
	...
-	pgoff_t from;
	...
 }

@no_end depends on no_from@
@@
 ra_runs_read(...)
 {
	...
-	pgoff_t end;
	...
 }

@no_index depends on no_end@
@@
 ra_runs_read(...)
 {
	...
-	pgoff_t index = readahead_index(ractl);
	...
 }

// places: 3
@known depends on no_index@
@@
 ra_runs_miss(...)
 {
	...
-	unsigned long history = 0;
	...
-	bool known;
	...
-	known = view.state != RA_UNKNOWN;
	...
 }

// places: 2
@history depends on known@
expression e;
@@
-history = adjacent ? 0 : ra_history(...);
-if (!adjacent && history <= pages)
+if (!adjacent)
	ra_cost(...);
-e ? RA_READS : adjacent || history > pages ? RA_UNKNOWN : RA_SINGLE
+e ? RA_READS : adjacent ? RA_UNKNOWN : RA_SINGLE

@track depends on history@
@@
-	if (end) {
-		end = ra_warm_end(...);
-	} else if (...) {
-		...
-	}
 	if (end) {
-		ra_set_window(ractl->ra, &view, index, end, most, history > pages ? pages : 0);
+		ra_set_window(ractl->ra, &view, index, view.origin + end, most, 0);
		...
	} else { ... }

@wanted depends on track@
@@
-ra_runs_read(struct readahead_control *ractl, unsigned long pages)
+ra_runs_read(struct readahead_control *ractl)
 { ... }

// places: 3
@calls depends on wanted@
expression ractl, pages;
@@
-ra_runs_read(ractl, pages);
+ra_runs_read(ractl);

// comment: Read the window that was chosen; apart what only some of the runs want: nobody waits for it. => Read the window that was chosen.
