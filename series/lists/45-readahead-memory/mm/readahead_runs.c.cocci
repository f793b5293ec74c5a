// SPDX-License-Identifier: GPL-2.0
// Without faults, which a later patch brings.

@faults@
identifier f = {ra_runs_fault, ra_runs_touched};
parameter list params;
type T;
@@
-T f(params)
-{
-...
-}

@around depends on faults@
@@
-#define RA_AROUND 100UL

// places: 2
@marks depends on around@
@@
 ra_runs_read(...)
 {
	...
-	end = min3(...);
-	while (...)
-		ra_set_mark(...);
 }

// comment: A read, or a fault, has come to the mark of @folio. => A read has come to the mark of @folio.
