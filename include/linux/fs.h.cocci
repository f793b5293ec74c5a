// SPDX-License-Identifier: GPL-2.0
// What readahead remembers of the runs of a file; mm/readahead_runs.h has the rules.

@remember_runs@
@@
 struct file_ra_state {
 	...
 	loff_t prev_pos;
+	/** @run_start: first page of the run under way, or RA_NO_RUN or RA_HELD_RUN */
+	pgoff_t run_start;
+	/** @run_mean: expected length of a run, in 1/16 pages; 0 while too few have ended */
+	unsigned int run_mean;
+	/** @run_last: length of the run that ended last, in pages; 0 if none has */
+	unsigned int run_last : 20;
+	/** @run_agreed: how many runs in a row before it had the same length */
+	unsigned int run_agreed : 12;
 };
