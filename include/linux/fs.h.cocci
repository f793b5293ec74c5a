// SPDX-License-Identifier: GPL-2.0
// What readahead remembers of the runs of a file; mm/readahead_runs.c has the rules.

@remember_runs@
@@
 struct file_ra_state {
 	...
 	loff_t prev_pos;
+	/** @runs: what is known of the lengths of runs, packed; for mm/readahead_runs.c alone */
+	u64 runs;
 };
