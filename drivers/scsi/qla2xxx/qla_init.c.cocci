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

// A login that is not sent is not under way. While it is taken for that, relogin passes the port over.
@not_sent@
identifier vha, fcport, rval;
expression list said;
@@
 qla2x00_async_login(struct scsi_qla_host *vha, fc_port_t *fcport, ...)
 {
 	...
 	if (!vha->flags.online || (fcport->flags & FCF_ASYNC_SENT) ||
 	    fcport->loop_id == FC_NO_LOOP_ID) {
 		ql_log(said);
+		fcport->flags &= ~FCF_ASYNC_ACTIVE;
 		return rval;
 	}
 	...
 }

// The role of a target starts a scan for its disks. Behind a port that dev_loss_tmo has given up, it
// would find none until the port is online, which is said later: commands fail for good.
@not_dead@
typedef scsi_qla_host_t;
identifier vha, fcport, rport, ids;
@@
 qla2x00_reg_remote_port(scsi_qla_host_t *vha, fc_port_t *fcport)
 {
 	...
+	/* The scan that this starts is to be tried again, not to fail, until the port is online. */
+	qla2x00_set_fcport_state(fcport, FCS_DEVICE_LOST);
 	fc_remote_port_rolechg(rport, ids.roles);
 	...
 }
