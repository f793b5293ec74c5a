// SPDX-License-Identifier: GPL-2.0
// A file that was read from end to end has no mark where the lengths that are counted end.

@stops@
identifier ask;
expression ra;
@@
-ra->state == RA_FAULTS || ask->guess
+ra->state == RA_FAULTS
