// SPDX-License-Identifier: GPL-2.0
// Without what faults ask, which a later patch brings.

// places: 2
@fault_hooks@
identifier f = {ra_runs_fault, ra_runs_touched};
parameter list params;
type T;
@@
-T f(params);
