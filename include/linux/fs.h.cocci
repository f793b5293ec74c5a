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

// What open files have learnt of them, for those who open the file later. On 32 bits a word that
// is written meanwhile is a mix of two, which is no worse than either.

@of_the_inode depends on remember_runs@
attribute name __randomize_layout;
@@
 struct inode {
 	...
 	struct address_space i_data;
+	u64 i_ra_runs; /* as file_ra_state.runs */
 	...
 } __randomize_layout;
