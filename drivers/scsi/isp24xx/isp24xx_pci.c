// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: What it is
 *
 * A model of a QLogic ISP2432 or ISP2532 Fibre Channel adapter, for user-mode Linux. qla2xxx, as
 * it is, probes it, loads its firmware, logs in to the ports behind it and moves data. What the
 * ports lead to are the targets of a host of scsi_debug. The model is strict: what an adapter
 * would not take it refuses as an adapter does, counts, and names.
 *
 * A second use is what no adapter does on demand: links and ports that go, commands that are lost,
 * answers that are garbage, firmware that hangs (isp24xx_ctl.c).
 */

/**
 * DOC: The life of one I/O
 *
 * The driver writes a command to the request ring and its new end to a register. That write comes
 * to isp_reg_write(), with the driver's lock held and interrupts off; isp_ring() walks the ring
 * there and then. What needs no disk is answered at once. A SCSI command is checked, and queued:
 * its work copies what is written from the driver's memory, has scsi_debug do the command, copies
 * what was read, and puts the status on the response ring. isp_tell() shows one event at a time
 * in the host status register, and a work item calls the handler of the MSI-X vector. When the
 * driver has cleared the interrupt the next event is shown.
 *
 * Memory is the driver's from the moment that it was told of the end of a command: so data is
 * copied under the lock, and only if the command is still in flight. A reset ends all that are,
 * and is over when the write that began it returns.
 *
 * This file has the PCI function: its configuration space, registers, flash, NVRAM and
 * interrupt; isp24xx_mbx.c the mailbox commands, isp24xx_iocb.c the rings, isp24xx_fabric.c the
 * ports.
 */
#include "isp24xx.h"

#define ISP_BAR		1
#define ISP_BAR_BYTES	0x4000
#define ISP_MSIX_CAP	0x40
#define ISP_MSIX_TABLE	0x2000	/* in the BAR */
#define ISP_MSIX_PBA	0x3000

#define REG(name)	offsetof(struct device_reg_24xx, name)

/* What the firmware image in the flash is made of: two segments of so many dwords */
#define ISP_SEGMENT	16

/* Count what the driver must not do. @what: a string that stays */
void isp_wrong(struct isp *isp, const char *what)
{
	isp->errors++;
	isp->error = what;
	pr_warn("isp24xx: %s\n", what);
}

/* Memory that the driver gave, or NULL. An address on the bus is the physical one. */
void *isp_dma(struct isp *isp, u64 address, u32 bytes)
{
	void *at = phys_to_virt(address);

	if (bytes && virt_addr_valid(at) && virt_addr_valid(at + bytes - 1))
		return at;
	isp_wrong(isp, "an address that is no memory");
	return NULL;
}

/* Configuration space: which bits of a byte can be written */
static const u8 isp_cfg_mask[256] = {
	[PCI_COMMAND] = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY,
	[PCI_COMMAND + 1] = (PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE) >> 8,
	[PCI_CACHE_LINE_SIZE] = 0xff,
	[PCI_LATENCY_TIMER] = 0xff,
	[PCI_BASE_ADDRESS_1 + 1] = (u8)~((ISP_BAR_BYTES - 1) >> 8),
	[PCI_BASE_ADDRESS_1 + 2] = 0xff,
	[PCI_BASE_ADDRESS_1 + 3] = 0xff,
	[PCI_INTERRUPT_LINE] = 0xff,
	[ISP_MSIX_CAP + PCI_MSIX_FLAGS + 1] = (PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL) >> 8,
};

static unsigned long isp_cfg_read(struct um_pci_device *dev, unsigned int offset, int size)
{
	struct isp *isp = container_of(dev, struct isp, pci);
	unsigned long value = 0;

	if (offset + size > sizeof(isp->cfg))
		return ULONG_MAX;
	memcpy(&value, isp->cfg + offset, size);
	return value;
}

static void isp_cfg_write(struct um_pci_device *dev, unsigned int offset, int size,
			  unsigned long value)
{
	struct isp *isp = container_of(dev, struct isp, pci);
	u8 mask;

	for (; size && offset < sizeof(isp->cfg); size--, offset++, value >>= 8) {
		mask = isp_cfg_mask[offset];
		isp->cfg[offset] = (isp->cfg[offset] & ~mask) | (value & mask);
	}
	queue_work(isp->wq, &isp->interrupt);	/* vectors may not be masked any more */
}

static void isp_cfg_init(struct isp *isp, u16 device)
{
	u8 *cfg = isp->cfg;

	put_unaligned_le16(PCI_VENDOR_ID_QLOGIC, cfg + PCI_VENDOR_ID);
	put_unaligned_le16(device, cfg + PCI_DEVICE_ID);
	put_unaligned_le16(PCI_STATUS_CAP_LIST, cfg + PCI_STATUS);
	cfg[PCI_REVISION_ID] = QLA_MSIX_CHIP_REV_24XX;
	put_unaligned_le16(PCI_CLASS_SERIAL_FIBER, cfg + PCI_CLASS_DEVICE);
	put_unaligned_le16(PCI_VENDOR_ID_QLOGIC, cfg + PCI_SUBSYSTEM_VENDOR_ID);
	put_unaligned_le16(0x0137, cfg + PCI_SUBSYSTEM_ID);	/* one port */
	cfg[PCI_CAPABILITY_LIST] = ISP_MSIX_CAP;
	cfg[ISP_MSIX_CAP] = PCI_CAP_ID_MSIX;
	put_unaligned_le16(QLA_BASE_VECTORS - 1, cfg + ISP_MSIX_CAP + PCI_MSIX_FLAGS);
	put_unaligned_le32(ISP_MSIX_TABLE | ISP_BAR, cfg + ISP_MSIX_CAP + PCI_MSIX_TABLE);
	put_unaligned_le32(ISP_MSIX_PBA | ISP_BAR, cfg + ISP_MSIX_CAP + PCI_MSIX_PBA);
}

static void isp_nvram_init(struct isp *isp)
{
	struct nvram_24xx *nv = &isp->nvram;
	__le32 *dword = (__le32 *)nv;
	u32 sum = 0;
	int i;

	memcpy(nv->id, "ISP ", 4);
	nv->nvram_version = cpu_to_le16(ICB_VERSION);
	nv->version = cpu_to_le16(ICB_VERSION);
	nv->frame_payload_size = cpu_to_le16(2048);
	put_unaligned_be64(isp->name, nv->port_name);
	nv->login_retry_count = cpu_to_le16(8);
	nv->firmware_options_2 = cpu_to_le32(BIT_12 | 2 << 4);	/* loop or point to point */
	nv->firmware_options_3 = cpu_to_le32(2 << 13);	/* any speed */
	nv->host_p = cpu_to_le32(BIT_11 | BIT_10);
	nv->reset_delay = 5;
	nv->port_down_retry_count = cpu_to_le16(45);	/* seconds */
	nv->link_down_timeout = cpu_to_le16(45);
	for (i = 0; i < sizeof(*nv) / 4 - 1; i++)
		sum += le32_to_cpu(dword[i]);
	nv->checksum = cpu_to_le32(-sum);
}

/* A PCI expansion ROM: a header, and a data structure at 0x1c; the one image has 512 bytes */
static const u8 isp_rom[0x40] = {
	0x55, 0xaa, [0x18] = 0x1c, [0x1c] = 'P', 'C', 'I', 'R', [0x2c] = 1, [0x31] = 0x80,
};

/* Firmware: it says where it goes, how long it is, and its version */
static u32 isp_flash_firmware(u32 dword)
{
	switch (dword % ISP_SEGMENT) {
	case 2:
		return swab32(dword < ISP_SEGMENT ? 0x100000 : 0x20000);
	case 3:
		return swab32(ISP_SEGMENT);
	case 4:
		return swab32(1);
	default:
		return 0;
	}
}

/* What is in front of the NVRAM, the vital product data, is empty. */
static u32 isp_vpd_nvram(struct isp *isp, u32 at)
{
	at -= FA_NVRAM_FUNC0_ADDR;
	return at < sizeof(isp->nvram) / 4 ? get_unaligned((u32 *)&isp->nvram + at) : 0;
}

static u32 isp_flash(struct isp *isp)
{
	u32 at = isp->flash_addr;

	if (at >= FARX_ACCESS_NVRAM_DATA)
		return isp_vpd_nvram(isp, at - FARX_ACCESS_NVRAM_DATA);
	if (at < FARX_ACCESS_FLASH_DATA)
		return 0;
	at -= FARX_ACCESS_FLASH_DATA;
	if (at < sizeof(isp_rom) / 4)
		return get_unaligned((u32 *)isp_rom + at);
	if (at >= FA_RISC_CODE_ADDR && at < FA_RISC_CODE_ADDR + 2 * ISP_SEGMENT)
		return isp_flash_firmware(at - FA_RISC_CODE_ADDR);
	/* Where an ISP2532 has them */
	if (at >= FA_VPD_NVRAM_ADDR && at < FA_VPD_NVRAM_ADDR + 2 * FA_NVRAM_FUNC0_ADDR)
		return isp_vpd_nvram(isp, at - FA_VPD_NVRAM_ADDR);
	return ~0;	/* erased */
}

/* The driver is told of one event at a time. */
static void isp_show(struct isp *isp, u32 code, u16 mb0)
{
	isp->host_status = HSRX_RISC_INT | code | mb0 << 16;
	queue_work(isp->wq, &isp->interrupt);
}

/* Show the driver what it does not know yet. */
void isp_tell(struct isp *isp)
{
	if (isp->host_status & HSRX_RISC_INT)
		return;
	if (isp->mailbox_done) {
		isp->mailbox_done = false;
		memcpy(isp->out, isp->result, sizeof(isp->out));
		isp_show(isp, isp->out[0] == MBS_COMMAND_COMPLETE ?
			 INTR_MB_SUCCESS : INTR_MB_FAILED, isp->out[0]);
	} else if (isp->events) {
		memcpy(isp->out, isp->event[0], sizeof(isp->event[0]));
		memmove(isp->event[0], isp->event[1], --isp->events * sizeof(isp->event[0]));
		isp_show(isp, INTR_ASYNC_EVENT, isp->out[0]);
	} else if (isp->responses) {
		isp->responses = false;
		isp_show(isp, INTR_RSP_QUE_UPDATE, 0);
	}
}

/* An asynchronous event: MBA_*, and mailboxes 1 to 3 */
void isp_event(struct isp *isp, u16 what, u16 mb1, u16 mb2, u16 mb3)
{
	u16 event[] = { what, mb1, mb2, mb3 };

	if (!isp->started || isp->hung || isp->events == ISP_EVENTS)
		return;
	memcpy(isp->event[isp->events++], event, sizeof(event));
	isp_tell(isp);
}

/* Level-triggered, as it were: whatever stopped it before, the driver hears of what is shown. */
static void isp_interrupt(struct work_struct *work)
{
	struct isp *isp = container_of(work, struct isp, interrupt);
	u16 flags = get_unaligned_le16(isp->cfg + ISP_MSIX_CAP + PCI_MSIX_FLAGS);
	unsigned int irq = 0;

	spin_lock_irq(&isp->lock);
	if (isp->host_status & HSRX_RISC_INT && isp->ictrl & ICRX_EN_RISC_INT &&
	    flags & PCI_MSIX_FLAGS_ENABLE && !(flags & PCI_MSIX_FLAGS_MASKALL) &&
	    !(isp->msix[3] & PCI_MSIX_ENTRY_CTRL_MASKBIT))
		irq = isp->msix[2];	/* virt-pci.c: the message is the interrupt's number */
	spin_unlock_irq(&isp->lock);
	if (irq)
		generic_handle_irq_safe(irq);
}

static void isp_reset(struct isp *isp)
{
	isp_flush(isp, NULL, 0, 0);
	isp_logout_all(isp);
	isp->running = false;
	isp->started = false;
	isp->hung = false;
	isp->paused = false;
	isp->held = false;
	isp->mailbox_done = false;
	isp->responses = false;
	isp->events = 0;
	isp->host_status = 0;
	isp->ictrl = 0;
	isp->link = false;
	memset(isp->out, 0, sizeof(isp->out));
	isp_late(isp);	/* these answers are not for the rings to come */
	isp->stat_resets++;
}

static void isp_hccr(struct isp *isp, u32 value)
{
	switch (value) {
	case HCCRX_SET_RISC_RESET:
		isp_reset(isp);
		break;
	case HCCRX_SET_RISC_PAUSE:
		isp->paused = true;
		break;
	case HCCRX_REL_RISC_PAUSE:
	case HCCRX_CLR_RISC_RESET:
		isp->paused = false;
		break;
	case HCCRX_SET_HOST_INT:
		isp_mailbox(isp);
		break;
	case HCCRX_CLR_RISC_INT:
		isp->host_status = 0;
		isp_tell(isp);
		break;
	}
}

static u32 isp_reg_read(struct isp *isp, unsigned int offset)
{
	switch (offset) {
	case REG(flash_addr):
		return isp->flash_addr | FARX_DATA_FLAG;
	case REG(flash_data):
		return isp_flash(isp);
	case REG(req_q_out):
		return isp->req_out;
	case REG(rsp_q_in):
		return isp->rsp_in;
	case REG(host_status):
		return isp->host_status | (isp->paused ? HSRX_RISC_PAUSED : 0);
	case REG(mailbox0) ... REG(mailbox31):
		return isp->out[(offset - REG(mailbox0)) / 2];
	default:	/* ctrl_status: no DMA, and no reset, is under way; what is but dumped */
		return 0;
	}
}

static void isp_reg_write(struct isp *isp, unsigned int offset, u32 value)
{
	switch (offset) {
	case REG(flash_addr):
		if (value & FARX_DATA_FLAG)
			isp_wrong(isp, "a write to the flash");
		isp->flash_addr = value & ~FARX_DATA_FLAG;
		break;
	case REG(ctrl_status):
		if (value & CSRX_ISP_SOFT_RESET)
			isp_reset(isp);
		break;
	case REG(ictrl):
		isp->ictrl = value;
		queue_work(isp->wq, &isp->interrupt);
		break;
	case REG(req_q_in):
		isp->req_in = value;
		isp_ring(isp);
		break;
	case REG(rsp_q_out):
		isp->rsp_out = value;
		isp_late(isp);
		break;
	case REG(hccr):
		isp_hccr(isp, value);
		break;
	case REG(mailbox0) ... REG(mailbox31):
		isp->in[(offset - REG(mailbox0)) / 2] = value;
		break;
	}
}

static u32 *isp_vector(struct isp *isp, unsigned int offset)
{
	offset -= ISP_MSIX_TABLE;
	return offset < sizeof(isp->msix) ? &isp->msix[offset / 4] : NULL;
}

static unsigned long isp_bar_read(struct um_pci_device *dev, int bar, unsigned int offset, int size)
{
	struct isp *isp = container_of(dev, struct isp, pci);
	u32 *vector = isp_vector(isp, offset);

	guard(spinlock_irqsave)(&isp->lock);
	return vector ? *vector : isp_reg_read(isp, offset);
}

static void isp_bar_write(struct um_pci_device *dev, int bar, unsigned int offset, int size,
			  unsigned long value)
{
	struct isp *isp = container_of(dev, struct isp, pci);
	u32 *vector = isp_vector(isp, offset);

	guard(spinlock_irqsave)(&isp->lock);
	if (vector) {
		*vector = value;
		queue_work(isp->wq, &isp->interrupt);
	} else {
		isp_reg_write(isp, offset, value);
	}
}

/* The driver moves no blocks of registers: nobody calls bar_copy_from, bar_copy_to or bar_set. */
static const struct um_pci_ops isp_pci_ops = {
	.cfgspace_read	= isp_cfg_read,
	.cfgspace_write	= isp_cfg_write,
	.bar_read	= isp_bar_read,
	.bar_write	= isp_bar_write,
};

/* Put the adapter on the bus. Sleeps: the driver probes it. */
int isp_plug(struct isp *isp, u16 device)
{
	isp_cfg_init(isp, device);
	isp_nvram_init(isp);
	INIT_WORK(&isp->interrupt, isp_interrupt);
	INIT_DELAYED_WORK(&isp->link_work, isp_link_work);
	isp->pci.ops = &isp_pci_ops;
	return um_pci_device_register(&isp->pci);
}

/* Take the adapter off the bus. Sleeps: the driver lets go of it. */
void isp_unplug(struct isp *isp)
{
	struct pci_dev *pdev = pci_get_device(PCI_VENDOR_ID_QLOGIC, PCI_ANY_ID, NULL);

	/* Before, since um_pci_device_unregister() leaves the driver without registers */
	if (pdev)
		pci_stop_and_remove_bus_device_locked(pdev);
	pci_dev_put(pdev);
	um_pci_device_unregister(&isp->pci);
	cancel_delayed_work_sync(&isp->link_work);
	scoped_guard(spinlock_irq, &isp->lock)
		isp_reset(isp);
	destroy_workqueue(isp->wq);
}
