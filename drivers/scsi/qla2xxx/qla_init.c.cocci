// SPDX-License-Identifier: GPL-2.0
// An SRB that qla2x00_start_sp() has sent may have ended, and be freed: say before what is sent.
// KASAN told of it in qla2x00_async_login(), where the adapter answers on another CPU at once.

// places: 2
@told_before@
expression list said;
identifier rval, sp;
@@
 qla2x00_async_login(...)
 {
 	...
-	rval = qla2x00_start_sp(sp);
 	ql_dbg(said);
+	rval = qla2x00_start_sp(sp);
 	...
 }
