/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a QLogic ISP24xx: what its files share. isp24xx_pci.c begins with what it is.
 */
#ifndef _ISP24XX_H
#define _ISP24XX_H

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>

/* Registers, IOCBs and mailbox commands, as the driver knows them */
#include "../qla2xxx/qla_def.h"

#include "../../../arch/um/drivers/virt-pci.h"

#define ISP_PORTS	64	/* targets at most */
#define ISP_EVENTS	16	/* asynchronous events that wait to be told */
#define ISP_NO_HANDLE	0xffff

/* As the adapter tells it */
enum isp_topology { ISP_LOOP = 0, ISP_N2N = 2, ISP_FABRIC = 3 };

/* A target */
struct isp_port {
	struct Scsi_Host *host;		/* of scsi_debug, whose target 0 it is */
	u32 id;				/* port ID, 24 bits */
	u64 name;			/* WWPN; the node's is the same */
	u16 handle;			/* N_Port handle from the driver, or ISP_NO_HANDLE */
	u8 login;			/* PDS_*: how far the login is */
	bool up;			/* it is there */
	unsigned int strays;		/* commands at its disk that are over for the driver */
};

/* A SCSI command in flight */
struct isp_cmd {
	struct list_head list;		/* in isp.commands, until the driver was told its end */
	struct work_struct work;	/* to the disk; not queued if it was lost or is held */
	struct isp *isp;
	struct isp_port *port;
	bool queued;
	bool write;
	u32 handle;
	u64 lun;
	u8 cdb[16];
	u32 bytes;
	u16 dsds;
	struct dsd64 dsd[] __counted_by(dsds);	/* where the data is */
};

/* What happens to the next so many commands or answers (isp24xx_ctl.c) */
enum isp_fault { ISP_DROP, ISP_FULL, ISP_TWICE, ISP_GARBAGE, ISP_BAD, ISP_FAULTS };

/* The adapter */
struct isp {
	struct um_pci_device pci;
	spinlock_t lock;	/* all of this, and the registers */
	struct work_struct interrupt;
	struct delayed_work link_work;
	struct workqueue_struct *wq;
	u8 cfg[256];
	u32 msix[QLA_BASE_VECTORS * 4];	/* the table of vectors: address, address, data, mask */

	u16 in[32];		/* mailboxes as the driver wrote them */
	u16 out[32];		/* ... as it reads them */
	u16 result[32];		/* ... of a command, until that is told */
	u32 flash_addr;
	u32 ictrl;
	u32 host_status;	/* the event that is told now */
	bool paused;
	bool mailbox_done;	/* a mailbox command ended, and is not told yet */
	bool responses;		/* the response ring has grown since that was told */
	u16 event[ISP_EVENTS][4];
	unsigned int events;
	struct nvram_24xx nvram;

	bool running;		/* firmware runs */
	bool started;		/* ... and it has rings */
	bool hung;		/* ... and does nothing any more */
	void *req;
	void *rsp;
	u16 req_length;
	u16 rsp_length;
	u32 req_in;
	u32 req_out;
	u32 rsp_in;
	u32 rsp_out;
	struct list_head late;	/* answers that found the ring full */
	struct list_head commands;	/* struct isp_cmd in flight */

	enum isp_topology topology;
	bool npiv;		/* its firmware knows virtual ports, though none can be made */
	bool cable;
	bool link;
	u16 speed;		/* of the link, PORT_SPEED_* */
	u32 id;
	u64 name;
	unsigned int ports;
	struct isp_port port[ISP_PORTS];

	unsigned int fault[ISP_FAULTS];
	bool held;		/* commands are kept until "release" */
	u64 stat_commands;
	u64 stat_entries;
	u64 stat_descriptors;
	u64 stat_resets;
	u64 errors;		/* what the driver did wrong */
	const char *error;	/* ... the last time */
};

/* All but isp_plug(), isp_unplug() and isp_link_work() are called with isp->lock held. */

/* isp24xx_pci.c */
int isp_plug(struct isp *isp, u16 device);
void isp_unplug(struct isp *isp);
void isp_event(struct isp *isp, u16 what, u16 mb1, u16 mb2, u16 mb3);
void isp_tell(struct isp *isp);
void *isp_dma(struct isp *isp, u64 address, u32 bytes);
void isp_wrong(struct isp *isp, const char *what);

/* isp24xx_mbx.c */
void isp_mailbox(struct isp *isp);
u16 isp_mailbox_command(struct isp *isp, const u16 *in, u16 *out);

/* isp24xx_iocb.c */
void isp_ring(struct isp *isp);
void isp_late(struct isp *isp);
bool isp_iocb(struct isp *isp, void *entry);
void isp_answer(struct isp *isp, const void *entry);
void isp_flush(struct isp *isp, struct isp_port *port, u64 lun, u16 status);
void isp_release(struct isp *isp);

/* isp24xx_fabric.c */
void isp_link(struct isp *isp, bool up);
void isp_logout_all(struct isp *isp);
void isp_link_work(struct work_struct *work);
void isp_port_up(struct isp *isp, struct isp_port *port, bool up);
struct isp_port *isp_port_of(struct isp *isp, u16 handle);
void isp_login(struct isp *isp, struct logio_entry_24xx *login);
void isp_els(struct isp *isp, struct els_entry_24xx *els);
void isp_name_server(struct isp *isp, struct ct_entry_24xx *ct);

#endif
