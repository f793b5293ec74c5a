// SPDX-License-Identifier: GPL-2.0
/*
 * Mailbox commands, of which each is done within the write that asks for it. The driver's
 * qla_mbx.c has what goes into which mailbox, and what is expected back. A command that is not in
 * the list below is refused as an adapter refuses one that it does not know.
 */
#include "isp24xx.h"

/* Exchanges and IOCBs that may be in flight */
#define ISP_RESOURCES	2048

/* The highest address of memory that is dumped; it begins at 0x100000 */
#define ISP_MEMORY_END	0x1000ff

static u64 isp_mailbox_dma(const u16 *in)
{
	return (u64)in[6] << 48 | (u64)in[7] << 32 | (u32)in[2] << 16 | in[3];
}

/* Where the rings are. What is said of virtual ports is not looked at. Then the link comes up. */
static u16 isp_initialize(struct isp *isp, const u16 *in)
{
	struct init_cb_24xx *icb = isp_dma(isp, isp_mailbox_dma(in), sizeof(*icb));

	if (!icb || icb->version != cpu_to_le16(ICB_VERSION))
		return MBS_COMMAND_PARAMETER_ERROR;
	isp->req_length = le16_to_cpu(icb->request_q_length);
	isp->rsp_length = le16_to_cpu(icb->response_q_length);
	isp->req = isp_dma(isp, le64_to_cpu(icb->request_q_address), isp->req_length * 64);
	isp->rsp = isp_dma(isp, le64_to_cpu(icb->response_q_address), isp->rsp_length * 64);
	if (!isp->req || !isp->rsp)
		return MBS_COMMAND_PARAMETER_ERROR;
	isp->req_in = 0;
	isp->req_out = 0;
	isp->rsp_in = 0;
	isp->rsp_out = 0;
	isp->started = true;
	isp_link(isp, isp->cable);
	return MBS_COMMAND_COMPLETE;
}

static u16 isp_adapter_id(struct isp *isp, u16 *out)
{
	out[1] = isp->topology == ISP_LOOP ? 0 : 0xff;
	if (!isp->link) {
		out[1] = 7;	/* in transition */
		return MBS_COMMAND_ERROR;
	}
	out[2] = isp->id & 0xffff;
	out[3] = isp->id >> 16;
	out[6] = isp->topology;
	return MBS_COMMAND_COMPLETE;
}

/* The names of ports have their first byte in the upper half of mailbox 2. */
static u16 isp_port_name(struct isp *isp, u16 handle, u16 *out)
{
	struct isp_port *port = isp_port_of(isp, handle);
	u64 name;

	if (handle == NPH_F_PORT && isp->topology == ISP_FABRIC)
		name = isp->name + 1;
	else if (port)
		name = port->name;
	else
		return MBS_COMMAND_ERROR;
	out[2] = name >> 48;
	out[3] = name >> 32;
	out[6] = name >> 16;
	out[7] = name;
	return MBS_COMMAND_COMPLETE;
}

static void isp_describe_port(struct isp_port *port, struct get_name_list_extended *e)
{
	memset(e, 0, sizeof(*e));
	e->current_login_state = port->login;
	e->last_login_state = port->login;
	e->nport_handle = cpu_to_le16(port->handle);
	e->receive_data_size = cpu_to_le16(2048);
	e->prli_svc_param_word_3[0] = BIT_4;	/* a target */
	put_unaligned_be64(port->name, e->port_name);
	put_unaligned_be64(port->name, e->node_name);
}

/* The database of one port is what the list has; only its ID and names are the other way round. */
static u16 isp_port_database(struct isp *isp, const u16 *in, u16 *out)
{
	struct isp_port *port = isp_port_of(isp, in[1]);
	struct port_database_24xx *pd = isp_dma(isp, isp_mailbox_dma(in), PORT_DATABASE_24XX_SIZE);

	if (!port || !pd) {
		out[1] = 0xa;
		return MBS_COMMAND_ERROR;
	}
	memset(pd, 0, PORT_DATABASE_24XX_SIZE);
	isp_describe_port(port, (struct get_name_list_extended *)pd);
	put_unaligned_be24(port->id, pd->port_id);
	return MBS_COMMAND_COMPLETE;
}

static u16 isp_name_list(struct isp *isp, const u16 *in, u16 *out)
{
	struct get_name_list_extended *e = isp_dma(isp, isp_mailbox_dma(in), in[8]);
	struct isp_port *port;

	if (!e || in[1] != (BIT_2 | BIT_3))
		return MBS_COMMAND_PARAMETER_ERROR;
	for (port = isp->port; port < isp->port + isp->ports; port++) {
		if (port->handle == ISP_NO_HANDLE)
			continue;
		if (out[1] + sizeof(*e) > in[8])
			return MBS_COMMAND_ERROR;
		isp_describe_port(port, e);
		put_unaligned_le24(port->id, e->port_id);
		put_unaligned_le64(port->name, e->port_name);
		put_unaligned_le64(port->name, e->node_name);
		out[1] += sizeof(*e);
		e++;
	}
	return MBS_COMMAND_COMPLETE;
}

static u16 isp_id_list(struct isp *isp, const u16 *in, u16 *out)
{
	struct gid_list_info *gid = isp_dma(isp, isp_mailbox_dma(in), isp->ports * sizeof(*gid));
	struct isp_port *port;

	if (!gid)
		return MBS_COMMAND_PARAMETER_ERROR;
	for (port = isp->port; port < isp->port + isp->ports; port++) {
		if (port->handle == ISP_NO_HANDLE)
			continue;
		memset(gid, 0, sizeof(*gid));
		gid->domain = port->id >> 16;
		gid->area = port->id >> 8;
		gid->al_pa = port->id;
		gid->loop_id = cpu_to_le16(port->handle);
		gid++;
		out[1]++;
	}
	return MBS_COMMAND_COMPLETE;
}

/* Zeros are what there is: in the memory that is dumped, and in the map of a loop. */
static u16 isp_zeros(struct isp *isp, const u16 *in, u32 bytes)
{
	void *to = isp_dma(isp, isp_mailbox_dma(in), bytes);

	if (!to)
		return MBS_COMMAND_PARAMETER_ERROR;
	memset(to, 0, bytes);
	return MBS_COMMAND_COMPLETE;
}

/* One of the IOCBs that need no disk, answered where it is */
static u16 isp_iocb_command(struct isp *isp, const u16 *in)
{
	void *entry = isp_dma(isp, isp_mailbox_dma(in), 64);

	if (!entry)
		return MBS_COMMAND_PARAMETER_ERROR;
	isp_iocb(isp, entry);
	return MBS_COMMAND_COMPLETE;
}

/* What only running firmware knows */
static u16 isp_firmware_command(struct isp *isp, const u16 *in, u16 *out)
{
	switch (in[0]) {
	case MBC_GET_FIRMWARE_VERSION:
		out[1] = 1;
		out[4] = ISP_MEMORY_END & 0xffff;
		out[5] = ISP_MEMORY_END >> 16;
		out[6] = isp->npiv ? BIT_2 : 0;	/* neither queues nor protection */
		return MBS_COMMAND_COMPLETE;
	case MBC_GET_RESOURCE_COUNTS:
		out[3] = ISP_RESOURCES;
		out[6] = ISP_RESOURCES;
		out[7] = ISP_RESOURCES;
		out[10] = ISP_RESOURCES;
		return MBS_COMMAND_COMPLETE;
	case MBC_INITIALIZE_FIRMWARE:
	case MBC_MID_INITIALIZE_FIRMWARE:
		return isp_initialize(isp, in);
	case MBC_GET_FIRMWARE_STATE:
		out[1] = isp->link ? FSTATE_READY : FSTATE_LOSS_OF_SYNC;
		return MBS_COMMAND_COMPLETE;
	case MBC_GET_RETRY_COUNT:
		out[1] = 8;
		out[3] = 200;	/* R_A_TOV of 10 s, twice, in tenths of a second */
		return MBS_COMMAND_COMPLETE;
	case MBC_GET_ADAPTER_LOOP_ID:
		return isp_adapter_id(isp, out);
	case MBC_DATA_RATE:
		out[1] = isp->speed;
		return MBS_COMMAND_COMPLETE;
	case MBC_GET_PORT_NAME:
		return isp_port_name(isp, in[1], out);
	case MBC_GET_PORT_DATABASE:
		return isp_port_database(isp, in, out);
	case MBC_PORT_NODE_NAME_LIST:
		return isp_name_list(isp, in, out);
	case MBC_GET_ID_LIST:
		return isp_id_list(isp, in, out);
	case MBC_IOCB_COMMAND_A64:
		return isp_iocb_command(isp, in);
	case MBC_GET_FC_AL_POSITION_MAP:
		return isp_zeros(isp, in, 128);
	case MBC_LIP_FULL_LOGIN:
		isp_link(isp, false);
		isp_link(isp, isp->cable);
		return MBS_COMMAND_COMPLETE;
	case MBC_STOP_FIRMWARE:
		isp->started = false;
		return MBS_COMMAND_COMPLETE;
	case 0:		/* are you alive? */
	case MBC_TRACE_CONTROL:
	case MBC_SET_FIRMWARE_OPTION:
	case MBC_SET_RNID_PARAMS:
		return MBS_COMMAND_COMPLETE;
	default:
		return MBS_INVALID_COMMAND;
	}
}

/* Do a command of the mailboxes or the ring. @out: zeros at first. Return: MBS_* */
u16 isp_mailbox_command(struct isp *isp, const u16 *in, u16 *out)
{
	switch (in[0]) {
	case MBC_MAILBOX_REGISTER_TEST:
		memcpy(out + 1, in + 1, 7 * sizeof(*in));	/* 1 to 7 */
		return MBS_COMMAND_COMPLETE;
	case MBC_LOAD_RISC_RAM_EXTENDED:
	case MBC_VERIFY_CHECKSUM:
		return MBS_COMMAND_COMPLETE;
	case MBC_DUMP_RISC_RAM_EXTENDED:
		return isp_zeros(isp, in, ((u32)in[4] << 16 | in[5]) * 4);
	case MBC_EXECUTE_FIRMWARE:
		isp->running = true;
		return MBS_COMMAND_COMPLETE;
	default:
		return isp->running ? isp_firmware_command(isp, in, out) : MBS_INVALID_COMMAND;
	}
}

/* Do what the mailboxes say. */
void isp_mailbox(struct isp *isp)
{
	if (isp->hung)
		return;
	memset(isp->result, 0, sizeof(isp->result));
	isp->result[0] = isp_mailbox_command(isp, isp->in, isp->result);
	isp->mailbox_done = true;
	isp_tell(isp);
}
