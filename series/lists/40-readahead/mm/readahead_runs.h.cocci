// SPDX-License-Identifier: GPL-2.0
// Without what a later patch reads apart.

// rules of series/lists/45-readahead-memory/mm/readahead_runs.h.cocci

@wanted depends on fault_hooks@
@@
-void ra_runs_read(struct readahead_control *ractl, unsigned long pages);
+void ra_runs_read(struct readahead_control *ractl);
