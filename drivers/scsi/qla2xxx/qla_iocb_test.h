/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The static builders of qla_iocb.c and qla_mr.c under names that qla_iocb_test.c can call.
 */
#ifndef __QLA_IOCB_TEST_H
#define __QLA_IOCB_TEST_H

struct cmd_type_6;
struct cmd_type_7_fx00;
struct srb;

int qla24xx_test_type_6(struct srb *sp, struct cmd_type_6 *cmd, u16 dsds);
void qlafx00_test_type_7(struct srb *sp, struct cmd_type_7_fx00 *cmd, u16 dsds);

#endif
