// SPDX-License-Identifier: GPL-2.0
// An open file takes what others have learnt for its own.

@kept@
identifier ra, ask;
@@
 ra_forget_guess(struct ra_view *ra, const struct ra_ask *ask)
 {
-	if (ask->guess)
-		ra_know_nothing(ra);
 }
