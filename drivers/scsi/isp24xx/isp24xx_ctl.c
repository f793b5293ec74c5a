// SPDX-License-Identifier: GPL-2.0
/*
 * How the adapter comes and goes, and what goes wrong: by lines written to isp24xx/do in debugfs.
 * isp24xx/state tells what there is, and what was counted. There is one adapter.
 */
#include "isp24xx.h"

/* WWPNs. The adapter's is more than any target's: so of two ports it logs in. */
#define ISP_NAME	0x2100001b32000000ULL
#define ISP_TARGET_NAME	0x2001001b32000000ULL

static DEFINE_MUTEX(isp_mutex);
static struct isp *isp_only;

static const char * const isp_topologies[] = {
	[ISP_LOOP] = "loop", "", [ISP_N2N] = "n2n", [ISP_FABRIC] = "fabric",
};

static const char * const isp_speeds[] = {
	[PORT_SPEED_1GB] = "1", [PORT_SPEED_2GB] = "2", [PORT_SPEED_AUTO] = "auto",
	[PORT_SPEED_4GB] = "4", [PORT_SPEED_8GB] = "8",
};

static const char * const isp_faults[] = {
	[ISP_DROP] = "drop", [ISP_FULL] = "full", [ISP_TWICE] = "twice",
	[ISP_GARBAGE] = "garbage", [ISP_BAD] = "bad",
};

static void isp_free(struct isp *isp)
{
	while (isp->ports)
		scsi_host_put(isp->port[--isp->ports].host);
	kfree(isp);
}

/* Targets: the scsi_debug hosts with the numbers from first on */
static int isp_add_ports(struct isp *isp, unsigned int first, unsigned int ports)
{
	struct isp_port *port;

	for (port = isp->port; isp->ports < ports; port++) {
		port->host = scsi_host_lookup(first + isp->ports);
		if (!port->host)
			return -ENODEV;
		port->id = (isp->topology == ISP_FABRIC ? 0x010200 : 2) + isp->ports;
		port->name = ISP_TARGET_NAME + isp->ports++;
		port->handle = ISP_NO_HANDLE;
		port->login = PDS_PORT_UNAVAILABLE;
		port->up = true;
	}
	return 0;
}

/* new FIRST PORTS TOPOLOGY [DEVICE] */
static int isp_new(const char *line)
{
	unsigned int first, ports, device = PCI_DEVICE_ID_QLOGIC_ISP2432;
	char topology[8];
	struct isp *isp;
	int rc;

	if (isp_only)
		return -EBUSY;
	if (sscanf(line, "new %u %u %7s %x", &first, &ports, topology, &device) < 3 ||
	    !ports || ports > ISP_PORTS || (device != PCI_DEVICE_ID_QLOGIC_ISP2432 &&
					    device != PCI_DEVICE_ID_QLOGIC_ISP2532))
		return -EINVAL;
	rc = match_string(isp_topologies, ARRAY_SIZE(isp_topologies), topology);
	if (rc < 0 || (rc == ISP_N2N && ports > 1))
		return -EINVAL;
	isp = kzalloc_obj(struct isp);
	if (!isp)
		return -ENOMEM;
	spin_lock_init(&isp->lock);
	INIT_LIST_HEAD(&isp->commands);
	INIT_LIST_HEAD(&isp->late);
	isp->topology = rc;
	isp->npiv = device == PCI_DEVICE_ID_QLOGIC_ISP2532;
	isp->cable = true;
	isp->speed = PORT_SPEED_4GB;
	isp->id = isp->topology == ISP_FABRIC ? 0x010100 : 1;
	isp->name = ISP_NAME;
	rc = isp_add_ports(isp, first, ports);
	if (rc)
		goto free;
	rc = -ENOMEM;
	isp->wq = alloc_workqueue("isp24xx", WQ_HIGHPRI | WQ_UNBOUND, 0);
	if (!isp->wq)
		goto free;
	isp_only = isp;
	rc = isp_plug(isp, device);
	if (!rc)
		return 0;
	isp_only = NULL;
	destroy_workqueue(isp->wq);
free:
	isp_free(isp);
	return rc;
}

static int isp_remove(void)
{
	if (!isp_only)
		return -ENODEV;
	isp_unplug(isp_only);
	isp_free(isp_only);
	isp_only = NULL;
	return 0;
}

/* One of the words that need an adapter. Context: its lock is held */
static int isp_do(struct isp *isp, const char *word, const char *arg, const char *more)
{
	int fault = match_string(isp_faults, ARRAY_SIZE(isp_faults), word);
	bool up = !strcmp(!strcmp(word, "port") ? more : arg, "up");
	int speed = match_string(isp_speeds, ARRAY_SIZE(isp_speeds), more);
	unsigned int n = 0;

	if (!strcmp(word, "link") && (up || !strcmp(arg, "down"))) {
		if (*more && (!up || speed < 0 || speed == PORT_SPEED_AUTO))
			return -EINVAL;
		isp->speed = *more ? speed : isp->speed;
		isp->cable = up;
		isp_link(isp, up);
	} else if (!strcmp(word, "hang")) {
		isp->hung = true;
	} else if (!strcmp(word, "crash")) {
		isp_event(isp, MBA_SYSTEM_ERR, 1, 0, 0);
		isp->hung = true;
	} else if (!strcmp(word, "hold")) {
		isp->held = true;
	} else if (!strcmp(word, "release")) {
		isp_release(isp);
	} else if (kstrtouint(arg, 0, &n)) {
		return -EINVAL;
	} else if (!strcmp(word, "port") && n < isp->ports && (up || !strcmp(more, "down"))) {
		isp_port_up(isp, &isp->port[n], up);
	} else if (fault >= 0) {
		isp->fault[fault] = n;
	} else {
		return -EINVAL;
	}
	return 0;
}

static ssize_t isp_do_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	char line[64] = "", word[16] = "", arg[16] = "", more[16] = "";
	int rc;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	if (sscanf(line, "%15s %15s %15s", word, arg, more) < 1)
		return -EINVAL;
	guard(mutex)(&isp_mutex);
	if (!strcmp(word, "new"))
		rc = isp_new(line);
	else if (!strcmp(word, "remove"))
		rc = isp_remove();
	else if (!isp_only)
		rc = -ENODEV;
	else
		scoped_guard(spinlock_irq, &isp_only->lock)
			rc = isp_do(isp_only, word, arg, more);
	return rc ?: count;
}

static const struct file_operations isp_do_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= isp_do_write,
};

static int isp_state_show(struct seq_file *m, void *unused)
{
	struct isp *isp;
	unsigned int i;

	guard(mutex)(&isp_mutex);
	isp = isp_only;
	if (!isp)
		return 0;
	guard(spinlock_irq)(&isp->lock);
	seq_printf(m, "topology %s\nlink %d\ninflight %zu\n", isp_topologies[isp->topology],
		   isp->link, list_count_nodes(&isp->commands));
	seq_printf(m, "commands %llu\nentries %llu\ndescriptors %llu\n", isp->stat_commands,
		   isp->stat_entries, isp->stat_descriptors);
	seq_printf(m, "resets %llu\n", isp->stat_resets);
	for (i = 0; i < ISP_FAULTS; i++)
		seq_printf(m, "%s %u\n", isp_faults[i], isp->fault[i]);
	for (i = 0; i < isp->ports; i++)
		seq_printf(m, "port %u id %06x name %016llx up %d login %x\n", i, isp->port[i].id,
			   isp->port[i].name, isp->port[i].up, isp->port[i].login);
	seq_printf(m, "errors %llu %s\n", isp->errors, isp->error ?: "");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(isp_state);

static int __init isp_init(void)
{
	struct dentry *dir = debugfs_create_dir("isp24xx", NULL);

	debugfs_create_file("do", 0200, dir, NULL, &isp_do_fops);
	debugfs_create_file("state", 0400, dir, NULL, &isp_state_fops);
	return 0;
}
device_initcall(isp_init);
