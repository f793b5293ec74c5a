// SPDX-License-Identifier: GPL-2.0
// What others have learnt outlives a run that was another one.

@believed@
expression length;
identifier ra, ask;
@@
-ask->guess && !ask->closed && !ra_runs_agree(ra_run_expected(ra->mean), length)
+false
