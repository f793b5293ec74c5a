/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The static builders of qla_iocb.c and qla_mr.c under names that qla_iocb_test.c can call.
 */
#ifndef __QLA_IOCB_TEST_H
#define __QLA_IOCB_TEST_H

struct cmd_type_7_ext;
struct cmd_type_7_fx00;
struct req_que;
struct srb;

int qla24xx_test_type_6(struct srb *sp, void *cmd, u16 dsds);
int qla29xx_test_type_6(struct srb *sp, void *cmd, u16 dsds);
void qla29xx_test_type_7(struct srb *sp, struct cmd_type_7_ext *cmd, u16 dsds, struct req_que *req);
void qlafx00_test_type_7(struct srb *sp, struct cmd_type_7_fx00 *cmd, u16 dsds);

#endif
