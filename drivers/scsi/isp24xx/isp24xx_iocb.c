// SPDX-License-Identifier: GPL-2.0
/*
 * The rings. An entry has 64 bytes; a command has a first one, and as many behind it as its data
 * need. The driver's qla_fw.h has their layout, qla_iocb.c and qla_isr.c what is in them. Of the
 * commands the driver sends only type 7 to this adapter; others, and protection (CRC_2), are of
 * an invalid type.
 */
#include "isp24xx.h"

#define ISP_ENTRY	64
#define ISP_CONT_DSDS	5	/* descriptors of a continuation entry */
#define ISP_TIMEOUT	(30 * HZ)	/* of scsi_debug */

/* An answer that found the ring full */
struct isp_answer {
	struct list_head list;
	u8 entry[ISP_ENTRY];
};

static void *isp_entry(void *ring, u32 index)
{
	return ring + index * ISP_ENTRY;
}

static bool isp_put(struct isp *isp, const void *entry)
{
	u32 next = (isp->rsp_in + 1) % isp->rsp_length;

	if (next == isp->rsp_out)
		return false;
	memcpy(isp_entry(isp->rsp, isp->rsp_in), entry, ISP_ENTRY);
	isp->rsp_in = next;
	isp->responses = true;
	return true;
}

/* Put an entry on the response ring, now or when there is room. */
void isp_answer(struct isp *isp, const void *entry)
{
	struct isp_answer *late;

	if (list_empty(&isp->late) && isp_put(isp, entry))
		return;
	late = kmalloc_obj(struct isp_answer, GFP_ATOMIC);
	if (!late)
		return;	/* the driver will time out */
	memcpy(late->entry, entry, ISP_ENTRY);
	list_add_tail(&late->list, &isp->late);
}

/* The response ring has room. */
void isp_late(struct isp *isp)
{
	struct isp_answer *late, *next;

	list_for_each_entry_safe(late, next, &isp->late, list) {
		if (isp->started && !isp_put(isp, late->entry))
			break;
		list_del(&late->list);
		kfree(late);
	}
	isp_tell(isp);
}

/* A fault that was asked for, and is used up by this */
static bool isp_faulty(struct isp *isp, enum isp_fault fault)
{
	return isp->fault[fault] && isp->fault[fault]--;
}

static void isp_swap(void *to, const void *from, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / 4; i++)
		put_unaligned(swab32(get_unaligned((u32 *)from + i)), (u32 *)to + i);
}

/*
 * Tells how a command ended. Sense data that the status entry has no room for follows in entries of
 * their own.
 */
static void isp_status(struct isp *isp, u32 handle, u16 comp, u8 status, u32 resid, const u8 *sense)
{
	struct sts_entry_24xx sts = { .entry_type = STATUS_TYPE, .entry_count = 1 };
	sts_cont_entry_t cont = { .entry_type = STATUS_CONT_TYPE, .entry_count = 1 };
	u16 flags = status;

	sts.handle = handle;
	if (resid && comp == CS_COMPLETE) {
		comp = CS_DATA_UNDERRUN;
		flags |= SS_RESIDUAL_UNDER;
		sts.residual_len = cpu_to_le32(resid);
		sts.rsp_residual_count = cpu_to_le32(resid);
	}
	if (sense) {
		flags |= SS_SENSE_LEN_VALID;
		sts.sense_len = cpu_to_le32(SCSI_SENSE_BUFFERSIZE);
		isp_swap(sts.data, sense, sizeof(sts.data));
	}
	sts.comp_status = cpu_to_le16(comp);
	sts.scsi_status = cpu_to_le16(flags);
	if (isp_faulty(isp, ISP_BAD))
		sts.entry_status = RF_INV_E_PARAM;
	if (isp_faulty(isp, ISP_GARBAGE)) {
		cont.entry_type = 0xee;
		isp_answer(isp, &cont);
		cont.entry_type = STATUS_CONT_TYPE;
		sts.handle = 0xfff0;	/* of queue 0, and more than there can be */
		isp_answer(isp, &sts);
		sts.handle = handle;
	}
	isp_answer(isp, &sts);
	if (sense) {
		isp_swap(cont.data, sense + sizeof(sts.data), sizeof(cont.data));
		isp_answer(isp, &cont);
		isp_swap(cont.data, sense + sizeof(sts.data) + sizeof(cont.data), 8);
		isp_answer(isp, &cont);
	} else if (isp_faulty(isp, ISP_TWICE)) {
		isp_answer(isp, &sts);
	}
	isp_tell(isp);
}

/* A command is over: the driver hears of it, unless it was reset. */
static void isp_end(struct isp_cmd *cmd, u16 comp)
{
	list_del_init(&cmd->list);
	if (comp)
		isp_status(cmd->isp, cmd->handle, comp, 0, 0, NULL);
	if (!cmd->queued || cancel_work(&cmd->work)) {
		kfree(cmd);
		return;
	}
	cmd->port->strays++;
	wake_up_var(&cmd->port->strays);
}

/*
 * End commands: those to @port and @lun; NULL and U64_MAX are all. @status is CS_*, or 0 if the
 * driver is not to hear of it.
 */
void isp_flush(struct isp *isp, struct isp_port *port, u64 lun, u16 status)
{
	struct isp_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, &isp->commands, list)
		if (!port || (cmd->port == port && (lun == U64_MAX || lun == cmd->lun)))
			isp_end(cmd, status);
}

/* Moves the data of a command to or from a buffer. */
static bool isp_copy(struct isp_cmd *cmd, void *buffer, u32 bytes, bool to_driver)
{
	void *at;
	u32 len;
	u16 i;

	for (i = 0; i < cmd->dsds && bytes; i++, buffer += len, bytes -= len) {
		len = min(le32_to_cpu(cmd->dsd[i].length), bytes);
		at = isp_dma(cmd->isp, le64_to_cpu(cmd->dsd[i].address), len);
		if (!at)
			return false;
		memcpy(to_driver ? at : buffer, to_driver ? buffer : at, len);
	}
	return true;
}

/* Has scsi_debug do the command. Sleeps. Return: CS_* */
static u16 isp_disk(struct isp_cmd *cmd, void *buffer, u8 *status, int *resid, u8 *sense)
{
	struct scsi_exec_args args = {
		.sense = sense, .sense_len = SCSI_SENSE_BUFFERSIZE, .resid = resid,
	};
	struct scsi_device *sdev;
	int result;

	sdev = scsi_device_lookup(cmd->port->host, 0, 0, cmd->lun);
	if (!sdev) {	/* no such LUN: as a target says it */
		if (cmd->cdb[0] == INQUIRY && cmd->bytes) {
			*(u8 *)buffer = 0x7f;
			return CS_COMPLETE;
		}
		*status = SAM_STAT_CHECK_CONDITION;
		scsi_build_sense_buffer(0, sense, ILLEGAL_REQUEST, 0x25, 0);
		*resid = cmd->bytes;
		return CS_COMPLETE;
	}
	result = scsi_execute_cmd(sdev, cmd->cdb, cmd->write ? REQ_OP_DRV_OUT : REQ_OP_DRV_IN,
				  buffer, cmd->bytes, ISP_TIMEOUT, 0, &args);
	scsi_device_put(sdev);
	*status = result & 0xff;
	return result < 0 || host_byte(result) ? CS_TRANSPORT : CS_COMPLETE;
}

/* Nothing is under way at the disk that is over for the driver, or this command is so itself. */
static bool isp_may_run(struct isp_cmd *cmd)
{
	guard(spinlock_irq)(&cmd->isp->lock);
	return !cmd->port->strays || list_empty(&cmd->list);
}

static void isp_run(struct work_struct *work)
{
	struct isp_cmd *cmd = container_of(work, struct isp_cmd, work);
	u8 sense[SCSI_SENSE_BUFFERSIZE] = {};
	struct isp *isp = cmd->isp;
	u16 comp = CS_TRANSPORT;
	void *buffer = NULL;
	int resid = 0;
	u8 status = 0;
	bool ok;

	wait_var_event(&cmd->port->strays, isp_may_run(cmd));
	/* One piece, as a command of scsi_debug's has room for few */
	if (cmd->bytes) {
		buffer = alloc_pages_exact(cmd->bytes, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
		if (!buffer)
			goto end;
	}
	spin_lock_irq(&isp->lock);
	ok = !list_empty(&cmd->list) && (!cmd->write || isp_copy(cmd, buffer, cmd->bytes, false));
	spin_unlock_irq(&isp->lock);
	if (ok)
		comp = isp_disk(cmd, buffer, &status, &resid, sense);
end:
	spin_lock_irq(&isp->lock);
	if (!list_empty(&cmd->list)) {
		list_del(&cmd->list);
		if (comp == CS_COMPLETE && !cmd->write && buffer &&
		    !isp_copy(cmd, buffer, cmd->bytes - resid, true))
			comp = CS_DMA;
		isp_status(isp, cmd->handle, comp, status, resid,
			   status == SAM_STAT_CHECK_CONDITION ? sense : NULL);
	} else {
		cmd->port->strays--;
		wake_up_var(&cmd->port->strays);
	}
	spin_unlock_irq(&isp->lock);
	if (buffer)
		free_pages_exact(buffer, cmd->bytes);
	kfree(cmd);
}

/* An entry that an adapter does not take is given back, with what is wrong with it. */
static void isp_refuse(struct isp *isp, void *entry, u8 status, const char *what)
{
	u8 back[ISP_ENTRY];

	memcpy(back, entry, ISP_ENTRY);
	back[3] = status;
	isp_wrong(isp, what);
	isp_answer(isp, back);
	isp_tell(isp);
}

/* The first descriptor is in the command, others five to an entry. Return: what is wrong */
static const char *isp_descriptors(struct isp *isp, u32 index, struct isp_cmd *cmd)
{
	struct cmd_type_7 *first = isp_entry(isp->req, index);
	struct dsd64 *dsd = &first->dsd;
	cont_a64_entry_t *cont;
	u64 sum = 0;
	u16 i;

	for (i = 0; i < cmd->dsds; i++, dsd++) {
		if (i % ISP_CONT_DSDS == 1) {
			index = (index + 1) % isp->req_length;
			cont = isp_entry(isp->req, index);
			if (cont->entry_type != CONTINUE_A64_TYPE)
				return "an entry behind a command that does not continue it";
			dsd = cont->dsd;
		}
		cmd->dsd[i] = *dsd;
		sum += le32_to_cpu(dsd->length);
		if (!dsd->length)
			return "a descriptor of no bytes";
	}
	return sum == cmd->bytes ? NULL : "descriptors that are not as long as the command";
}

static struct isp_cmd *isp_parse(struct isp *isp, struct cmd_type_7 *c, u16 dsds)
{
	struct isp_cmd *cmd = kzalloc(struct_size(cmd, dsd, dsds), GFP_ATOMIC);
	struct scsi_lun lun;

	if (!cmd)
		return NULL;
	cmd->isp = isp;
	cmd->dsds = dsds;
	cmd->handle = c->handle;
	cmd->bytes = le32_to_cpu(c->byte_count);
	cmd->write = c->task_mgmt_flags & cpu_to_le16(TMF_WRITE_DATA);
	cmd->port = isp_port_of(isp, le16_to_cpu(c->nport_handle));
	isp_swap(&lun, &c->lun, sizeof(lun));
	cmd->lun = scsilun_to_int(&lun);
	isp_swap(cmd->cdb, c->fcp_cdb, sizeof(cmd->cdb));
	INIT_WORK(&cmd->work, isp_run);
	return cmd;
}

static void isp_command(struct isp *isp, u32 index, u8 entries)
{
	struct cmd_type_7 *c = isp_entry(isp->req, index);
	u16 dsds = le16_to_cpu(c->dseg_count);
	struct isp_cmd *cmd;
	const char *wrong;

	if (entries != 1 + (dsds > 1 ? DIV_ROUND_UP(dsds - 1, ISP_CONT_DSDS) : 0)) {
		isp_refuse(isp, c, RF_INV_E_COUNT, "a command of another number of entries");
		return;
	}
	cmd = isp_parse(isp, c, dsds);
	if (!cmd) {
		isp_status(isp, c->handle, CS_QUEUE_FULL, SAM_STAT_TASK_SET_FULL, 0, NULL);
		return;
	}
	wrong = isp_descriptors(isp, index, cmd);
	if (wrong) {
		isp_refuse(isp, c, RF_INV_E_PARAM, wrong);
		kfree(cmd);
		return;
	}
	isp->stat_commands++;
	isp->stat_entries += entries;
	isp->stat_descriptors += dsds;
	list_add_tail(&cmd->list, &isp->commands);
	if (!isp->link) {
		isp_end(cmd, CS_PORT_UNAVAILABLE);
	} else if (!cmd->port || !cmd->port->up || cmd->port->login != PDS_PRLI_COMPLETE) {
		isp_end(cmd, CS_PORT_LOGGED_OUT);
	} else if (isp_faulty(isp, ISP_FULL)) {
		list_del(&cmd->list);
		isp_status(isp, cmd->handle, CS_COMPLETE, SAM_STAT_TASK_SET_FULL, 0, NULL);
		kfree(cmd);
	} else if (!isp->held && !isp_faulty(isp, ISP_DROP)) {
		cmd->queued = true;
		queue_work(isp->wq, &cmd->work);
	}
}

/* Send the commands that were held to their disks. */
void isp_release(struct isp *isp)
{
	struct isp_cmd *cmd;

	isp->held = false;
	list_for_each_entry(cmd, &isp->commands, list)
		if (!cmd->queued) {
			cmd->queued = true;
			queue_work(isp->wq, &cmd->work);
		}
}

/* Ends one command. Its entry becomes the answer. */
static void isp_abort(struct isp *isp, struct abort_entry_24xx *abort)
{
	struct isp_cmd *cmd;

	list_for_each_entry(cmd, &isp->commands, list)
		if (cmd->handle == abort->handle_to_abort) {
			isp_end(cmd, CS_ABORTED);
			abort->comp_status = cpu_to_le16(CS_COMPLETE);
			return;
		}
	abort->comp_status = cpu_to_le16(CS_IOCB_ERROR);
}

/* Ends the commands of a LUN or target. What is answered is a status entry. */
static void isp_task_management(struct isp *isp, struct tsk_mgmt_entry *tsk)
{
	struct isp_port *port = isp_port_of(isp, le16_to_cpu(tsk->nport_handle));
	struct sts_entry_24xx sts = { .entry_type = STATUS_TYPE, .entry_count = 1 };
	struct scsi_lun lun;

	sts.handle = tsk->handle;
	if (!isp->link || !port || !port->up) {
		sts.comp_status = cpu_to_le16(CS_PORT_UNAVAILABLE);
	} else {
		isp_swap(&lun, &tsk->lun, sizeof(lun));
		isp_flush(isp, port, tsk->control_flags & cpu_to_le32(TCF_TARGET_RESET) ? U64_MAX :
			  scsilun_to_int(&lun), CS_ABORTED);
	}
	memcpy(tsk, &sts, ISP_ENTRY);
}

/* Do an IOCB that needs no disk. It becomes the answer. Return: is there one? */
bool isp_iocb(struct isp *isp, void *entry)
{
	struct mbx_24xx_entry *mbx = entry;
	u16 in[ARRAY_SIZE(mbx->mb)];

	switch (mbx->entry_type) {
	case MARKER_TYPE:
		return mbx->handle != QLA_SKIP_HANDLE;
	case LOGINOUT_PORT_IOCB_TYPE:
		isp_login(isp, entry);
		break;
	case ELS_IOCB_TYPE:
		isp_els(isp, entry);
		break;
	case CT_IOCB_TYPE:
		isp_name_server(isp, entry);
		break;
	case ABORT_IOCB_TYPE:
		isp_abort(isp, entry);
		break;
	case TSK_MGMT_IOCB_TYPE:
		isp_task_management(isp, entry);
		break;
	case MBX_IOCB_TYPE:
		memcpy(in, mbx->mb, sizeof(in));
		memset(mbx->mb, 0, sizeof(in));
		mbx->mb[0] = isp_mailbox_command(isp, in, mbx->mb);
		break;
	default:
		isp_wrong(isp, "an entry of a type that this adapter does not have");
		mbx->entry_status = RF_INV_E_TYPE;
	}
	return true;
}

/* Do what is on the request ring. */
void isp_ring(struct isp *isp)
{
	u8 copy[ISP_ENTRY], *entry;
	u32 there;

	if (isp->started && isp->req_in >= isp->req_length) {
		isp_wrong(isp, "an end beyond the request ring");
		isp_event(isp, MBA_REQ_TRANSFER_ERR, 0, 0, 0);
		return;
	}
	while (isp->started && !isp->hung && isp->req_out != isp->req_in) {
		entry = isp_entry(isp->req, isp->req_out);
		there = (isp->req_in + isp->req_length - isp->req_out) % isp->req_length;
		if (!entry[1] || entry[1] > there) {
			isp_refuse(isp, entry, RF_INV_E_COUNT, "a command that is not whole");
			isp->req_out = isp->req_in;
			break;
		}
		if (entry[0] == COMMAND_TYPE_7) {
			isp_command(isp, isp->req_out, entry[1]);
		} else {
			memcpy(copy, entry, ISP_ENTRY);
			if (isp_iocb(isp, copy))
				isp_answer(isp, copy);
		}
		isp->req_out = (isp->req_out + entry[1]) % isp->req_length;
	}
	isp_tell(isp);
}
