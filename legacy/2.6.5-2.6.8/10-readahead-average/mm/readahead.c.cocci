// SPDX-License-Identifier: GPL-2.0
// The mean length of the runs in a file sizes the next window; 2.6.7 has this in other words.

@round_to_run@
symbol ra;
@@

+if (ra->average < ra->serial_cnt)
+	ra->average++;	/* halving rounds down */
 ra->average = (ra->average + ra->serial_cnt) / 2;
 ra->serial_cnt = 1;

@no_last_offset@
symbol ra, offset, preoffset;
@@

-preoffset = ra->prev_page;
 ra->prev_page = offset;

@no_preoffset@
@@

-unsigned long preoffset = 0;

@window_is_mean@
symbol ra, first_access, preoffset, max;
@@

-if (!first_access && preoffset >= ra->start && preoffset < (ra->start + ra->size)) {
-	ra->next_size = preoffset - ra->start + 2;
-}
+if (!first_access)
+	ra->next_size = min(ra->average, (unsigned long)max);

// Windows are no longer lazy: what a comment there says of them goes with the lines behind it. The
// mean, or if the present run is longer that of both, has to be longer than any window.
@ahead_of_streams@
symbol ra, offset, average, max;
@@

 if (ra->ahead_start == 0) {
-	unsigned long average = ra->average;
-	if (ra->serial_cnt > average)
-		average = (ra->serial_cnt + ra->average) / 2;
 	if (
-		(average >= max) || (offset == (ra->start + ra->size - 1))
+		ra->average > max || ra->serial_cnt + ra->average > 2 * max
 	) {
 	...
 	}
 }
