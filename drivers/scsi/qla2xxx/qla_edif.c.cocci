// SPDX-License-Identifier: GPL-2.0
// What an SRB is sent for may have ended, and be freed with it: say before what is sent.

// places: 2
@told_before@
typedef scsi_qla_host_t, fc_port_t;
identifier vha, fcport, bsg_job, p, rval, sp, cnt;
@@
 qla_edif_process_els(scsi_qla_host_t *vha, struct bsg_job *bsg_job)
 {
 	...
 	fc_port_t *fcport = NULL;
 	...
 	struct qla_bsg_auth_els_request *p = ...;
 	<+...
 	cnt = 0;
+	ql_dbg(ql_dbg_edif, vha, 0x700a, "%s %s %8phN xchg %x ctlflag %x reqlen %xh bsg ptr %p\n",
+	       __func__, sc_to_str(p->e.sub_cmd), fcport->port_name, p->e.extra_rx_xchg_address,
+	       p->e.extra_control_flags, sp->remap.req.len, bsg_job);
 	...
 	rval = qla2x00_start_sp(sp);
 	switch (rval) {
 	case QLA_SUCCESS:
-		ql_dbg(...);
 		break;
 	...
 	}
 	...+>
 }
