// SPDX-License-Identifier: GPL-2.0
// What the last reader has left there another one may write now.

// rules of mm/readahead.c.cocci: prev_pos_asked include_runs

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
