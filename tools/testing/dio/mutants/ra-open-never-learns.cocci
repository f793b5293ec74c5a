// SPDX-License-Identifier: GPL-2.0
// An open file of one run tells nobody: nothing ends its run.

@nobody_told@
identifier ra, ask;
@@
 static void ra_learn_close(struct ra_view *ra, struct ra_ask *ask)
 {
 	<...
-	if (!ask->waits)
-		ra_run_learn(ra, ask);
 	...>
 }
