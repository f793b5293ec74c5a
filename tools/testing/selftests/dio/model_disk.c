// SPDX-License-Identifier: GPL-2.0
/*
 * Block devices that take the time of a disk of 2002 or 2004, of an array's LUN or of an NVMe disk
 * (see model_disk.h).
 *
 *	model_disk fc|u320|array|nvme [n=8] [size=64m]
 *
 * Makes n ublk devices (block devices that a program serves) that share one link, prints their
 * names, one a line, and takes them away at SIGTERM or SIGINT, or when a step failed: what is under
 * way is done, what comes later fails, and the program ends when nobody has them open any more. A
 * request is done when the model says, or later if the server was late; time is this machine's
 * monotonic clock, so under QEMU's -icount nothing depends on the host. A device is as long as size
 * says, zero at first, its sectors are those at the start of the modelled disk.
 *
 * Requests, commands to the driver and the signal come by one ring: the driver reads from a disk
 * that it starts, and writes to one that it stops.
 *
 * Exit status: 0 stopped, 1 a step failed, 2 usage, 4 this kernel has no ublk or no io_uring.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <linux/ublk_cmd.h>

#include "words.h"
#include "async.h"
#include "load.h"
#include "model_disk.h"

#define DEVICES		16
#define DEPTH		64
#define DESCS		(DEPTH * sizeof(struct ublksrv_io_desc))
#define IO_BYTES	1048576U

/* What a completion is of, if not a device's number times DEPTH plus the tag of a request */
#define COMMAND		(~0ULL)
#define SIGNAL		(~1ULL)

static const char usage[] = "usage: model_disk fc|u320|array|nvme [n=8] [size=64m]";

struct slot {
	struct disk_request rq;
	char *buffer;
};

struct device {
	unsigned int id;
	int fd;
	const struct ublksrv_io_desc *descs;
	char *store;
	struct disk disk;
	struct slot slots[DEPTH];
};

static struct {
	unsigned long long n, size;
	int kind;
} opt = { .n = 8, .size = 64ULL << 20 };

static struct device devices[DEVICES];
static unsigned int made;	/* of them, by the driver */
static struct disk_link link_shared;
static struct ring ring;
static int control, stopped;

static const struct { const struct disk_kind *disk; unsigned long long rate; } kinds[] = {
	{ &disk_fc_2002, 202000000 }, { &disk_u320_2004, 320000000 },
	{ &disk_array, 200000000 }, { &disk_nvme, 2000000000 },
};

static const struct word words[] = {
	CHOICE("fc", opt.kind, 1), CHOICE("u320", opt.kind, 2), CHOICE("array", opt.kind, 3),
	CHOICE("nvme", opt.kind, 4), NUMBER("n=", opt.n), NUMBER("size=", opt.size),
	{ .name = NULL }
};

/* --- Requests --- */

/* ublk's commands need wide entries, of which struct io_uring_sqe is the first half. */
static void *queue_command(int fd, unsigned int op, __u64 data)
{
	struct io_uring_sqe *sqe = ring_queue(&ring, fd, IORING_OP_URING_CMD, NULL, 0, 0, data);

	memset(sqe + 1, 0, sizeof(*sqe));
	sqe->cmd_op = op;
	return sqe->cmd;
}

/* Give the driver a tag: at first, or with the result of its last request. */
static void fetch(struct device *d, unsigned int tag, unsigned int op, int result)
{
	struct ublksrv_io_cmd *cmd = queue_command(d->fd, op, (d - devices) * DEPTH + tag);

	*cmd = (struct ublksrv_io_cmd) {
		.tag = tag, .result = result, .addr = (uintptr_t)d->slots[tag].buffer,
	};
}

static void arrived(struct device *d, unsigned int tag)
{
	const struct ublksrv_io_desc *desc = &d->descs[tag];
	struct slot *slot = &d->slots[tag];

	slot->rq = (struct disk_request) {
		.sector = desc->start_sector, .count = desc->nr_sectors,
		.write = ublksrv_get_op(desc) == UBLK_IO_OP_WRITE, .arrived = now_ns(),
	};
	disk_submit(&d->disk, &slot->rq);
}

static void done(struct device *d)
{
	struct slot *slot = (struct slot *)disk_take(&d->disk);
	char *place = d->store + slot->rq.sector * DISK_SECTOR;
	size_t bytes = slot->rq.count * DISK_SECTOR;

	if (slot->rq.write)
		memcpy(place, slot->buffer, bytes);
	else
		memcpy(slot->buffer, place, bytes);
	fetch(d, slot - d->slots, UBLK_IO_COMMIT_AND_FETCH_REQ, bytes);
}

/* Send what is queued, and wait for a completion until @when. */
static void wait_until(__u64 when)
{
	__u64 now = now_ns(), left = when > now ? when - now : 0;
	struct __kernel_timespec limit = {
		.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000,
	};
	struct io_uring_getevents_arg arg = { .ts = when == DISK_NEVER ? 0 : (uintptr_t)&limit };
	long sent = syscall(SYS_io_uring_enter, ring.fd, ring.queued, 1,
			    IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &arg, sizeof(arg));

	if (sent > 0)
		ring.queued -= sent;
	else if (sent < 0 && errno != ETIME && errno != EINTR)
		die(1, "io_uring_enter: %s", strerror(errno));
}

/* Serve the disks until what has @last for its data is done; what that gave */
static long serve_until(__u64 last)
{
	unsigned long long i;
	__u64 next, at, data;
	long result;

	for (;;) {
		next = DISK_NEVER;
		for (i = 0; i < opt.n; i++) {
			while ((at = disk_next(&devices[i].disk)) <= now_ns())
				done(&devices[i]);
			if (at < next)
				next = at;
		}
		wait_until(next);
		while (!ring_empty(&ring)) {
			result = ring_reap(&ring, &data);
			stopped |= data == SIGNAL;
			if (data == last)
				return result;
			if (data < SIGNAL && result == UBLK_IO_RES_OK)
				arrived(&devices[data / DEPTH], data % DEPTH);
			else if (data < SIGNAL && result != UBLK_IO_RES_ABORT)
				die(1, "disk %llu: %s", (unsigned long long)data / DEPTH,
				    result_name(result));
		}
	}
}

/* --- The devices --- */

static long command(unsigned int op, unsigned int id, void *addr, unsigned int len, __u64 data)
{
	struct ublksrv_ctrl_cmd *cmd = queue_command(control, op, COMMAND);

	*cmd = (struct ublksrv_ctrl_cmd) {
		.dev_id = id, .queue_id = -1, .addr = (uintptr_t)addr, .len = len, .data = { data },
	};
	return serve_until(COMMAND);
}

/* For atexit(): a device can be deleted when nobody has it open. */
static void take_away(void)
{
	struct device *d;

	for (d = devices; d < devices + made; d++)
		command(UBLK_CMD_STOP_DEV, d->id, NULL, 0, 0);
	for (d = devices; d < devices + made; d++) {
		if (d->descs) {
			munmap((void *)d->descs, DESCS);
			close(d->fd);
		}
		command(UBLK_CMD_DEL_DEV, d->id, NULL, 0, 0);
	}
}

static void add_device(struct device *d)
{
	struct ublksrv_ctrl_dev_info info = {
		.nr_hw_queues = 1, .queue_depth = DEPTH, .max_io_buf_bytes = IO_BYTES,
		.dev_id = -1,	/* one that is free */
	};
	struct ublk_params params = {
		.len = sizeof(params),
		.types = UBLK_PARAM_TYPE_BASIC,
		.basic = {
			.attrs = d->disk.kind->turn ? UBLK_ATTR_ROTATIONAL : 0,
			.logical_bs_shift = 9, .physical_bs_shift = 9,
			.io_min_shift = 9, .io_opt_shift = 9,
			.max_sectors = IO_BYTES / DISK_SECTOR,
			.dev_sectors = opt.size / DISK_SECTOR,
		},
	};
	long result = command(UBLK_CMD_ADD_DEV, -1, &info, sizeof(info), 0);

	if (result)
		die(1, "no ublk device can be made: %s", result_name(result));
	made++;
	d->id = info.dev_id;
	result = command(UBLK_CMD_SET_PARAMS, d->id, &params, sizeof(params), 0);
	if (result)
		die(1, "ublk%u does not take its size: %s", d->id, result_name(result));
}

static void start_device(struct device *d)
{
	unsigned int tag;
	char name[32];
	long result;

	snprintf(name, sizeof(name), "/dev/ublkc%u", d->id);
	d->fd = must_open(name, O_RDWR, 1);
	d->descs = mmap(NULL, DESCS, PROT_READ, MAP_SHARED | MAP_POPULATE, d->fd,
			UBLKSRV_CMD_BUF_OFFSET);
	if (d->descs == MAP_FAILED)
		die(1, "%s: %s", name, strerror(errno));
	d->store = get_memory(opt.size);
	for (tag = 0; tag < DEPTH; tag++) {
		d->slots[tag].buffer = get_memory(IO_BYTES);
		fetch(d, tag, UBLK_IO_FETCH_REQ, 0);
	}
	result = command(UBLK_CMD_START_DEV, d->id, NULL, 0, getpid());
	if (result)
		die(1, "ublk%u does not start: %s", d->id, result_name(result));
}

/* What is wrong with the words is said before there is a device. */
static void check_words(void)
{
	unsigned long long i, most;

	if (!opt.kind || !opt.n || opt.n > DEVICES || !opt.size || opt.size % DISK_SECTOR)
		die(EXIT_USAGE, "%s", usage);
	link_shared.rate = kinds[opt.kind - 1].rate;
	for (i = 0; i < opt.n; i++)
		disk_init(&devices[i].disk, kinds[opt.kind - 1].disk, &link_shared);
	most = devices[0].disk.kind->sectors * DISK_SECTOR;
	if (opt.size > most)
		die(EXIT_USAGE, "size=%llu: the disk has %llu bytes", opt.size, most);
}

int main(int argc, char **argv)
{
	static struct signalfd_siginfo signal;
	unsigned long long i;
	sigset_t signals;

	parse_words(argc, argv, usage, words, NULL, 0);
	check_words();
	control = must_open("/dev/ublk-control", O_RDWR, 4);
	ring_setup(&ring, (opt.n + 1) * DEPTH, IORING_SETUP_SQE128);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	ring_queue(&ring, signalfd(-1, &signals, 0), IORING_OP_READ, &signal, sizeof(signal), 0,
		   SIGNAL);
	atexit(take_away);
	for (i = 0; i < opt.n; i++)
		add_device(&devices[i]);
	for (i = 0; i < opt.n; i++)
		start_device(&devices[i]);
	for (i = 0; i < opt.n; i++)
		printf("/dev/ublkb%u\n", devices[i].id);
	if (fflush(stdout))
		die(1, "standard output: %s", strerror(errno));
	if (!stopped)
		serve_until(SIGNAL);
	return 0;
}
