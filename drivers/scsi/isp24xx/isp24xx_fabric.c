// SPDX-License-Identifier: GPL-2.0
/*
 * What is behind the adapter's port: eight targets, or as many as there are, on a loop, behind a
 * switch, or one at the other end of the wire. The firmware logs in to those of a loop by itself;
 * to those of a fabric the driver does, when the name server has told it of them.
 */
#include "isp24xx.h"

#define ISP_LINK_DELAY	(HZ / 20)	/* until there is a link, once there can be one */
#define ISP_SNS		0xfffffc	/* port ID of the name server */
#define ISP_CT_HEADER	16		/* bytes before what is asked, or told */

static void isp_logout(struct isp_port *port)
{
	port->handle = ISP_NO_HANDLE;
	port->login = PDS_PORT_UNAVAILABLE;
}

/* No port is logged in to. */
void isp_logout_all(struct isp *isp)
{
	unsigned int i;

	for (i = 0; i < isp->ports; i++)
		isp_logout(&isp->port[i]);
}

/* The link comes, in a while; or it goes, now. */
void isp_link(struct isp *isp, bool up)
{
	if (up) {
		queue_delayed_work(isp->wq, &isp->link_work, ISP_LINK_DELAY);
		return;
	}
	if (!isp->link)
		return;
	isp->link = false;
	isp_event(isp, MBA_LOOP_DOWN, 0, 0, 0);
	isp_flush(isp, NULL, 0, CS_PORT_UNAVAILABLE);
	isp_logout_all(isp);
}

/*
 * Which ID the adapter has, where its firmware knows virtual ports; and who is at the other end
 * of a wire: the driver numbers both and logs in, as its name is more.
 */
static void isp_report(struct isp *isp)
{
	struct vp_rpt_id_entry_24xx told = {
		.entry_type = VP_RPT_ID_IOCB_TYPE, .entry_count = 1, .format = 1,
		.vp_status = VP_STAT_COMPL,
	};

	put_unaligned_le24(isp->id, told.port_id);
	told.u.f1.flags = isp->topology == ISP_FABRIC ? TOPO_F : TOPO_N2N;
	put_unaligned_be64(isp->port[0].name, told.u.f1.port_name);
	put_unaligned_be64(isp->port[0].name, told.u.f1.node_name);
	isp_answer(isp, &told);
}

/* The link is there. */
void isp_link_work(struct work_struct *work)
{
	struct isp *isp = container_of(to_delayed_work(work), struct isp, link_work);
	unsigned int i;

	guard(spinlock_irq)(&isp->lock);
	if (!isp->started || !isp->cable || isp->link)
		return;
	isp->link = true;
	for (i = 0; i < isp->ports && isp->topology == ISP_LOOP; i++)
		if (isp->port[i].up) {
			isp->port[i].handle = i + 1;
			isp->port[i].login = PDS_PRLI_COMPLETE;
		}
	isp_event(isp, isp->topology == ISP_LOOP ? MBA_LIP_OCCURRED : MBA_POINT_TO_POINT, 0, 0, 0);
	isp_event(isp, MBA_LOOP_UP, isp->speed, 0, 0);
	if (isp->topology == ISP_N2N || (isp->topology == ISP_FABRIC && isp->npiv))
		isp_report(isp);
	isp_event(isp, MBA_PORT_UPDATE, 0xffff, PDS_PLOGI_COMPLETE, 0);
}

/* A target comes or goes. */
void isp_port_up(struct isp *isp, struct isp_port *port, bool up)
{
	u16 handle = port->handle;

	port->up = up;
	if (!up) {
		isp_flush(isp, port, U64_MAX, CS_PORT_LOGGED_OUT);
		isp_logout(port);
	}
	if (!isp->link)
		return;
	if (isp->topology == ISP_FABRIC) {
		isp_event(isp, MBA_RSCN_UPDATE, port->id >> 16, port->id & 0xffff, 0);
	} else if (up) {	/* who comes to a loop initializes it */
		isp_link(isp, false);
		isp_link(isp, true);
	} else if (handle != ISP_NO_HANDLE) {
		isp_event(isp, MBA_PORT_UPDATE, handle, PDS_PORT_UNAVAILABLE, 0);
	}
}

/* A target by its N_Port handle, or NULL */
struct isp_port *isp_port_of(struct isp *isp, u16 handle)
{
	unsigned int i;

	for (i = 0; i < isp->ports && handle != ISP_NO_HANDLE; i++)
		if (isp->port[i].handle == handle)
			return &isp->port[i];
	return NULL;
}

static struct isp_port *isp_port_by_id(struct isp *isp, u32 id)
{
	unsigned int i;

	for (i = 0; i < isp->ports; i++)
		if (isp->port[i].id == id && isp->port[i].up)
			return &isp->port[i];
	return NULL;
}

/* Return: LSC_SCODE_*, or 0; @more is what LSC_SCODE_PORTID_USED tells besides */
static u32 isp_plogi(struct isp *isp, struct isp_port *port, u16 handle, u16 flags, u32 *more)
{
	struct isp_port *other = isp_port_of(isp, handle);

	if (!port)
		return LSC_SCODE_NONPORT;
	if (other && other != port)
		return LSC_SCODE_NPORT_USED;
	if (port->handle != ISP_NO_HANDLE && port->handle != handle) {
		*more = port->handle;
		return LSC_SCODE_PORTID_USED;
	}
	port->handle = handle;
	port->login = flags & LCF_SKIP_PRLI ? PDS_PLOGI_COMPLETE : PDS_PRLI_COMPLETE;
	return 0;
}

static u32 isp_login_command(struct isp *isp, struct logio_entry_24xx *login, u32 *more)
{
	u16 flags = le16_to_cpu(login->control_flags);
	u16 handle = le16_to_cpu(login->nport_handle);
	u32 id = get_unaligned_le24(login->port_id);
	struct isp_port *port = isp_port_of(isp, handle);

	if (!isp->link)
		return LSC_SCODE_NOLINK;
	switch (flags & 0xf) {
	case LCF_COMMAND_PLOGI:
		if (id == ISP_SNS && isp->topology == ISP_FABRIC)
			return 0;
		return isp_plogi(isp, isp_port_by_id(isp, id), handle, flags, more);
	case LCF_COMMAND_LOGO:
		if (port) {
			isp_flush(isp, port, U64_MAX, CS_PORT_LOGGED_OUT);
			isp_logout(port);
		}
		return 0;
	case LCF_COMMAND_PRLI:
		if (!port || !port->up)
			return LSC_SCODE_NOT_LOGGED_IN;
		port->login = PDS_PRLI_COMPLETE;
		return 0;
	case LCF_COMMAND_ADISC:
		return port && port->up && port->login == PDS_PRLI_COMPLETE ? 0 :
			LSC_SCODE_NOT_LOGGED_IN;
	default:
		return LSC_SCODE_CMD_PARAM_ERR;
	}
}

/* PLOGI, PRLI, LOGO, ADISC. The IOCB becomes the answer. */
void isp_login(struct isp *isp, struct logio_entry_24xx *login)
{
	u32 more = 0, code = isp_login_command(isp, login, &more);

	memset(login->io_parameter, 0, sizeof(login->io_parameter));
	if (code) {
		login->comp_status = cpu_to_le16(CS_LOGIO_ERROR);
		login->io_parameter[0] = cpu_to_le32(code);
		login->io_parameter[1] = cpu_to_le32(more);
		return;
	}
	login->comp_status = cpu_to_le16(CS_COMPLETE);
	login->io_parameter[0] = cpu_to_le32(BIT_4);	/* a target */
	login->io_parameter[9] = cpu_to_le32(1);	/* class 3 */
}

/* A frame that the driver has made: PLOGI to the neighbour. It becomes the answer. */
void isp_els(struct isp *isp, struct els_entry_24xx *els)
{
	u32 more = 0, code = LSC_SCODE_CMD_PARAM_ERR;
	struct els_sts_entry_24xx *told = (struct els_sts_entry_24xx *)els;
	struct isp_port *port = isp_port_by_id(isp, get_unaligned_le24(els->d_id));

	if (!isp->link)
		code = LSC_SCODE_NOLINK;
	else if (els->opcode == ELS_DCMD_PLOGI)
		code = isp_plogi(isp, port, le16_to_cpu(els->nport_handle), LCF_SKIP_PRLI, &more);
	told->comp_status = cpu_to_le16(code ? CS_IOCB_ERROR : CS_COMPLETE);
	told->error_subcode_1 = cpu_to_le32(code);
	told->error_subcode_2 = cpu_to_le32(more);
}

/* All ports, the adapter's own first: for each its ID and, if asked for, its name */
static u32 isp_ports_told(struct isp *isp, u8 *to, u32 room, bool names)
{
	u32 size = names ? sizeof(struct ct_sns_gpn_ft_data) : sizeof(struct ct_sns_gid_pt_data);
	u8 *last = NULL, *end = to + room;
	int i;

	for (i = -1; i < (int)isp->ports && to + size <= end; i++) {
		if (i >= 0 && !isp->port[i].up)
			continue;
		last = to;
		put_unaligned_be24(i < 0 ? isp->id : isp->port[i].id, to + 1);
		if (names)
			put_unaligned_be64(i < 0 ? isp->name : isp->port[i].name, to + 8);
		to += size;
	}
	if (last)
		*last = BIT_7;
	return last ? 0 : 1;
}

/* Return: 0, or why it is rejected, as a name server says it */
static u8 isp_ct(struct isp *isp, u16 command, const u8 *ask, u8 *tell, u32 room)
{
	u32 id = get_unaligned_be24(ask + 1);
	struct isp_port *port = isp_port_by_id(isp, id);

	switch (command) {
	case GID_PT_CMD:
	case GPN_FT_CMD:
	case GNN_FT_CMD:
		if (command != GID_PT_CMD && ask[3] != FC4_TYPE_FCP_SCSI)
			return 9;	/* unable to perform the request: there is no such port */
		return isp_ports_told(isp, tell, room, command != GID_PT_CMD) ? 9 : 0;
	case GPN_ID_CMD:
	case GNN_ID_CMD:
	case GFPN_ID_CMD:
		if (!port && id != isp->id)
			return 9;
		put_unaligned_be64(port ? port->name : isp->name, tell);
		return 0;
	case GFF_ID_CMD:
		tell[GFF_FCP_SCSI_OFFSET] = port ? FC4_FF_TARGET : FC4_FF_INITIATOR;
		return 0;
	case RFT_ID_CMD:
	case RFF_ID_CMD:
	case RNN_ID_CMD:
	case RSNN_NN_CMD:
		return 0;
	default:
		return 11;	/* not supported */
	}
}

/* Ask the switch's name server. What is told may lie where it was asked. */
void isp_name_server(struct isp *isp, struct ct_entry_24xx *ct)
{
	u32 room = le32_to_cpu(ct->dsd[1].length);
	struct ct_sns_req *req = isp_dma(isp, le64_to_cpu(ct->dsd[0].address),
					 le32_to_cpu(ct->dsd[0].length));
	struct ct_rsp_hdr *rsp = isp_dma(isp, le64_to_cpu(ct->dsd[1].address), room);
	struct ct_cmd_hdr header;
	u8 ask[4], reason;
	u16 command;

	if (!isp->link || isp->topology != ISP_FABRIC) {
		ct->comp_status = cpu_to_le16(CS_PORT_LOGGED_OUT);
		return;
	}
	if (!req || !rsp || room < ISP_CT_HEADER) {
		ct->entry_status = RF_INV_E_PARAM;
		return;
	}
	header = req->header;
	command = be16_to_cpu(req->command);
	memcpy(ask, &req->req, sizeof(ask));
	memset(rsp, 0, room);
	reason = header.gs_type == 0xfc ?
		isp_ct(isp, command, ask, (u8 *)rsp + ISP_CT_HEADER, room - ISP_CT_HEADER) : 11;
	rsp->header = header;
	rsp->response = cpu_to_be16(reason ? CT_REJECT_RESPONSE : CT_ACCEPT_RESPONSE);
	rsp->reason_code = reason;
	ct->comp_status = cpu_to_le16(CS_COMPLETE);
}
