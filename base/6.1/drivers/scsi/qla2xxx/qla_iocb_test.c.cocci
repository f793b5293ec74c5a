// SPDX-License-Identifier: GPL-2.0
// The driver does not know 29xx yet: all entries have 64 bytes.

// places: 2
@no_extended_ring@
expression c, extended, standard;
@@
-IS_QLA29XX(c) ? extended : standard
+standard

// places: 2
@no_pointer_to_it depends on no_extended_ring@
expression E1, E2;
@@
(
-E1->ring_ext_ptr = E2;
|
-E1->ring_ext = E2;
)

// places: 2
@no_cases depends on no_pointer_to_it@
identifier cases = iocb_cases;
@@
 struct kunit_case cases[] = {
 	...,
-	KUNIT_CASE(test_ring_29xx),
 	...,
-	KUNIT_CASE(test_type_6_29xx),
 	...
 };

// places: 3
@no_tests depends on no_cases@
identifier name =~ "29xx$";
type T;
@@
-T name(...)
-{
-	...
-}

@no_layout depends on no_tests@
symbol type_7_29xx;
initializer values;
@@
-static const struct layout type_7_29xx = values;

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
