// SPDX-License-Identifier: GPL-2.0
// The driver does not know 29xx yet: all entries have 64 bytes.

// rules of base/6.12/drivers/scsi/qla2xxx/qla_iocb_test.c.cocci

// The stock of lists belongs to the adapter, not to a pair of queues, and what a command of type 6
// took of it is not part of the command's own structure.

@taken depends on no_layout@
@@
 check_type_6(...)
 {
 <+...
-	&c->sp->u.scmd.ct6_ctx
+	allocate(test, sizeof(*ctx))
 ...+>
 }

@pool depends on taken@
@@
 check_type_6(...)
 {
 	...
-	struct qla_qpair *stock = c->sp->qpair;
+	struct qla_hw_data *stock = c->ha;
 	...
 }

// places: 4
@pool_fields depends on pool@
identifier stock = stock;
@@
(
- stock->dsd_list
+ stock->gbl_dsd_list
|
- stock->dsd_avail
+ stock->gbl_dsd_avail
|
- stock->dsd_inuse
+ stock->gbl_dsd_inuse
)

@command depends on pool_fields@
expression type;
@@
 check_type_6(...)
 {
 <+...
 	c->ha->isp_type = type;
+	c->sp->u.scmd.ct6_ctx = ctx;
 ...+>
 }
