// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: drivers/char/raw.c in user space
 *
 *	raw_test [cases=N] [seed=S]
 *
 * First tables of loading and of what goes on to the disk: all that is taken is given back,
 * whichever call fails. Then N random requests, each with what the disk's file must be given and
 * what must come of its answer, and N / 50 random histories of bindings, opening and closing, with
 * what is refused and what others do while a disk is being opened or closed, against a table here.
 *
 * Exit status: 0 right, 1 wrong, 2 usage.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "raw_kernel.h"
#include "steps.h"
#include "../../../include/uapi/linux/raw.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CASE_STEPS	10000000UL
#define NR_DISKS	3
#define DISK(n)		MKDEV(8, 16 * ((n) + 1))
#define DISK_FMODE	(FMODE_NOWAIT | FMODE_CAN_ODIRECT | 0x4000)

static uint64_t seed = 1, state, nr_cases = 100000;
static const char *doing = "";

void wrong(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "raw_test: seed=%ju: %s ", (uintmax_t)seed, doing);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

#define EXPECT(is, should) do {								\
	long long is_ = (is), should_ = (should);					\
											\
	if (is_ != should_)								\
		wrong("%s is %lld instead of %lld", #is, is_, should_);			\
} while (0)

static unsigned int pick(unsigned int n)
{
	return next_number(&state) % n;
}

/*
 * The rest of the kernel. Each call that can fail counts; the one that is @fails_at does.
 */

static unsigned int nr_calls, fails_at, nr_nodes, tables, classes;
static struct device nodes[CONFIG_MAX_RAW_DEVS];
static struct class *the_class;
static char warned[128];

static bool fails(void)
{
	return ++nr_calls == fails_at;
}

static void pr_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(warned, sizeof(warned), fmt, ap);
	va_end(ap);
}

/* The caller's memory: @user_size bytes of it are theirs to give. */
static char *user;
static size_t user_size;

static unsigned long copy_user(void *to, const void *from, unsigned long n, const char *at)
{
	if (!at)
		return n;
	if (at < user || at + n > user + user_size)
		wrong("touches %lu bytes at %td of %zu of the caller's", n, at - user, user_size);
	memcpy(to, from, n);
	return 0;
}

static int nonseekable_open(struct inode *inode, struct file *file)
{
	return 0;
}

static void *kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	if (gfp != GFP_KERNEL)
		wrong("allocated with %x", gfp);
	if (fails())
		return NULL;
	tables++;
	return calloc(n, size);
}

static void kvfree(void *memory)
{
	tables--;
	free(memory);
}

static char *kasprintf(gfp_t gfp, const char *fmt, ...)
{
	static char text[32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return text;
}

static int class_register(struct class *class)
{
	if (fails())
		return -ENOMEM;
	if (strcmp(class->name, "raw"))
		wrong("a class %s", class->name);
	the_class = class;
	classes++;
	return 0;
}

static void class_unregister(struct class *class)
{
	if (nr_nodes)
		wrong("%u devices are left of the class", nr_nodes);
	classes--;
}

/* Of a minor; it is there if it has a number */
static struct device *node_of(dev_t dev)
{
	if (MAJOR(dev) != RAW_MAJOR || MINOR(dev) >= CONFIG_MAX_RAW_DEVS)
		wrong("a device %x", dev);
	return &nodes[MINOR(dev)];
}

static struct device *device_create(struct class *class, struct device *parent, dev_t dev,
				    void *data, const char *fmt, ...)
{
	struct device *node = node_of(dev);
	va_list ap;

	if (fails())
		return ERR_PTR(-ENOMEM);
	if (MINOR(dev) && !locked)
		wrong("makes the device %x without the lock", dev);
	if (class != the_class || !classes || node->dev)
		wrong("made the device %x twice", dev);
	node->dev = dev;
	va_start(ap, fmt);
	vsnprintf(node->name, sizeof(node->name), fmt, ap);
	va_end(ap);
	nr_nodes++;
	return node;
}

static void device_destroy(struct class *class, dev_t dev)
{
	if (!node_of(dev)->dev || class != the_class)
		wrong("destroyed the device %x, which is not there", dev);
	node_of(dev)->dev = 0;
	nr_nodes--;
}

/* Of minor 0, and of the others */
static const struct file_operations *drivers[2];
static unsigned int minors[2];

static int __register_chrdev(unsigned int major, unsigned int first, unsigned int count,
			     const char *name, const struct file_operations *fops)
{
	if (fails())
		return -EBUSY;
	if (major != RAW_MAJOR || first > 1 || drivers[first] || strcmp(name, "raw"))
		wrong("registered %u numbers from %u on", count, first);
	drivers[first] = fops;
	minors[first] = count;
	return 0;
}

static void __unregister_chrdev(unsigned int major, unsigned int first, unsigned int count,
				const char *name)
{
	if (major != RAW_MAJOR || first > 1 || !drivers[first] || count != minors[first] ||
	    strcmp(name, "raw"))
		wrong("gave back %u numbers from %u on", count, first);
	drivers[first] = NULL;
	minors[first] = 0;
}

/*
 * Disks, each a file for each time that it is open
 */

static const struct file_operations disk_fops;
static struct gendisk gendisks[NR_DISKS];
static struct block_device bdevs[NR_DISKS];
static struct inode disk_inodes[NR_DISKS];
static struct address_space mappings[NR_DISKS];
static unsigned int opens[NR_DISKS], claims[NR_DISKS];
static bool foreign[NR_DISKS];		/* somebody else has it to himself */
static void *holder;
static blk_mode_t opened_for[NR_DISKS];
static void (*meanwhile)(unsigned int disk);	/* while a disk is slow */

static void make_disks(void)
{
	unsigned int i;

	for (i = 0; i < NR_DISKS; i++) {
		gendisks[i] = (struct gendisk){ .diskseq = 7 + i, .live = true };
		bdevs[i].bd_disk = &gendisks[i];
		mappings[i].host = &disk_inodes[i];
		foreign[i] = false;
	}
}

static struct block_device *I_BDEV(struct inode *inode)
{
	return &bdevs[inode - disk_inodes];
}

static struct block_device *file_bdev(struct file *file)
{
	return I_BDEV(file->f_mapping->host);
}

static void slow(unsigned int disk)
{
	void (*do_this)(unsigned int disk) = meanwhile;

	if (locked)
		wrong("waits for a disk with the lock held");
	meanwhile = NULL;
	if (do_this)
		do_this(disk);
	meanwhile = do_this;
}

static struct file *bdev_file_open_by_dev(dev_t dev, blk_mode_t mode, void *who,
					  const struct blk_holder_ops *ops)
{
	unsigned int i = 0;
	struct file *file;

	while (i < NR_DISKS && dev != DISK(i))
		i++;
	if (!(mode & (BLK_OPEN_READ | BLK_OPEN_WRITE)))
		wrong("opens a disk without a right to it");
	if (ops)
		wrong("opens a disk with a holder's operations");
	slow(i);
	if (i == NR_DISKS || !gendisks[i].live)
		return ERR_PTR(-ENXIO);
	if (who && foreign[i])
		return ERR_PTR(-EBUSY);
	if (who && holder && who != holder)
		wrong("takes a disk for somebody else");
	opened_for[i] = mode;
	opens[i]++;
	if (who) {
		holder = who;
		claims[i]++;
	}
	file = calloc(1, sizeof(*file));
	file->f_op = &disk_fops;
	file->f_mapping = &mappings[i];
	file->f_mode = DISK_FMODE | FMODE_READ | FMODE_WRITE;
	file->private_data = who;
	return file;
}

static void bdev_fput(struct file *file)
{
	unsigned int i = file_bdev(file) - bdevs;

	slow(i);
	if (file->f_op != &disk_fops || !opens[i])
		wrong("closed a disk that was not open");
	opens[i]--;
	if (file->private_data && !claims[i]--)
		wrong("gave back a disk that was not taken");
	free(file);
}

static int filemap_sample_wb_err(struct address_space *mapping)
{
	return mapping->host ? 5 : 0;
}

/* What goes on to the disk's file: each call says its name and its arguments, and gives @answer. */
static struct told {
	const char *name;
	struct file *file;
	long long arg[3];
} told;
static long answer;

static long tell(const char *name, struct file *file, long long a, long long b, long long c)
{
	told = (struct told){ name, file, { a, b, c } };
	return answer;
}

#define EXPECT_TOLD(called, with, a, b, c) do {						\
	if (strcmp(told.name, called) || told.file != (with) || told.arg[0] != (a) ||		\
	    told.arg[1] != (b) || told.arg[2] != (c))						\
		wrong("%s came to the disk as %s(%lld, %lld, %lld)", called, told.name,	\
		      told.arg[0], told.arg[1], told.arg[2]);				\
} while (0)

static loff_t disk_llseek(struct file *file, loff_t offset, int whence)
{
	return tell("llseek", file, offset, whence, 0);
}

static int disk_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	return tell("fsync", file, start, end, datasync);
}

static long disk_fallocate(struct file *file, int mode, loff_t offset, loff_t len)
{
	return tell("fallocate", file, mode, offset, len);
}

static long disk_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return tell("ioctl", file, cmd, arg, 0);
}

static long disk_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return tell("compat_ioctl", file, cmd, arg, 0);
}

static ssize_t copy_splice_read(struct file *file, loff_t *pos, struct pipe_inode_info *pipe,
				size_t len, unsigned int flags)
{
	return 0;
}

static ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *file, loff_t *pos,
				      size_t len, unsigned int flags)
{
	return 0;
}

static int iocb_bio_iopoll(struct kiocb *iocb, struct io_comp_batch *batch, unsigned int flags)
{
	return 0;
}

/* A request: what came to the disk, and its answer. What is queued may be over at once. */
static struct {
	struct file *file;
	int flags;
	bool write, came, over;
	ssize_t answer;
} rq;

static ssize_t disk_rw(struct kiocb *iocb, struct iov_iter *iter, bool write)
{
	if (rq.came || write != rq.write)
		wrong("a request came twice, or as another");
	rq.came = true;
	rq.flags = iocb->ki_flags;
	if (iocb->ki_filp != rq.file)
		wrong("the kiocb has another file");
	if (rq.answer == -EIOCBQUEUED && rq.over) {
		free(iocb->ki_filp);
		free(iter);
		free(iocb);
	} else if (rq.answer > 0) {
		iter->count -= rq.answer;
	}
	return rq.answer;
}

static ssize_t disk_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	return disk_rw(iocb, iter, false);
}

static ssize_t disk_write_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	return disk_rw(iocb, iter, true);
}

static const struct file_operations disk_fops = {
	.llseek		= disk_llseek,
	.read_iter	= disk_read_iter,
	.write_iter	= disk_write_iter,
	.iopoll		= iocb_bio_iopoll,
	.fsync		= disk_fsync,
	.fallocate	= disk_fallocate,
	.unlocked_ioctl	= disk_ioctl,
	.compat_ioctl	= disk_compat_ioctl,
};

#include "raw.c"

/*
 * Loading, binding, opening
 */

static int load(unsigned int failing)
{
	int ret;

	holder = NULL;
	nr_calls = 0;
	fails_at = failing;
	ret = raw_init();
	fails_at = 0;
	return ret;
}

static void check_unloaded(void)
{
	unsigned int i, left = 0;

	for (i = 0; i < NR_DISKS; i++)
		left += opens[i] + claims[i];
	if (tables || classes || drivers[0] || drivers[1] || nr_nodes || left || locked)
		wrong("left: tables %u, classes %u, drivers %d, nodes %u, disks %u", tables,
		      classes, !!drivers[0] + !!drivers[1], nr_nodes, left);
}

static int open_raw(unsigned int minor, struct file *file, fmode_t mode)
{
	struct inode inode = { .i_rdev = MKDEV(RAW_MAJOR, minor) };
	blk_mode_t right = mode ?: FMODE_READ | FMODE_WRITE;	/* access mode 3 */
	int ret;

	*file = (struct file){ .f_mode = mode, .f_op = drivers[1] };
	ret = drivers[1]->open(&inode, file);
	if (ret)
		return ret;
	EXPECT(file->f_mode, mode | FMODE_CAN_ODIRECT);
	EXPECT(file->f_mapping == &mappings[file_bdev(file->private_data) - bdevs], true);
	EXPECT(file->f_flags, O_DIRECT);
	EXPECT(file->f_wb_err, 5);
	EXPECT(opened_for[file_bdev(file->private_data) - bdevs], right);
	return 0;
}

static void close_raw(unsigned int minor, struct file *file)
{
	struct inode inode = { .i_rdev = MKDEV(RAW_MAJOR, minor) };

	EXPECT(drivers[1]->release(&inode, file), 0);
}

/*
 * A caller's struct as it lies there: an int, a gap, two numbers. Callers of 64 bits, of arm and
 * others (32 bits, laid out alike), and of i386 (no gap) take turns. What is above a 32-bit pointer
 * is not theirs.
 */
static long ioctl_raw(unsigned int cmd, int minor, u64 *numbers)
{
	enum { NATIVE, ARM, I386 } who = pick(3);
	size_t gap = who == I386 ? 0 : sizeof(minor), size = 2 * sizeof(*numbers);
	size_t others = user_size;
	struct file file = { 0 };
	long ret;

	user += others;		/* of those whom a disk keeps waiting */
	user_size = sizeof(minor) + gap + size;
	memcpy(user, &minor, sizeof(minor));
	memset(user + sizeof(minor), 0x5a, gap);
	memcpy(user + sizeof(minor) + gap, numbers, size);
	compat = who != NATIVE;
	ia32 = who == I386;
	if (compat)
		ret = drivers[0]->compat_ioctl(&file, cmd, 0xdead00000000 | (unsigned long)user);
	else
		ret = drivers[0]->unlocked_ioctl(&file, cmd, (unsigned long)user);
	compat = false;
	ia32 = false;
	EXPECT(memcmp(user, &minor, sizeof(minor)), 0);
	memcpy(numbers, user + sizeof(minor) + gap, size);
	user -= others;
	user_size = others;
	return ret;
}

static long bind_raw(int minor, u64 major_nr, u64 minor_nr)
{
	return ioctl_raw(RAW_SETBIND, minor, (u64 []){ major_nr, minor_nr });
}

static long bind_disk(int minor, int disk)
{
	dev_t dev = disk < 0 ? 0 : DISK(disk);

	return bind_raw(minor, MAJOR(dev), MINOR(dev));
}

static void check_bound(int minor, u64 major_nr, u64 minor_nr)
{
	struct device *node = &nodes[minor];
	u64 numbers[2] = { 99, 99 };
	char node_name[16];

	EXPECT(ioctl_raw(RAW_GETBIND, minor, numbers), 0);
	EXPECT(numbers[0], major_nr);
	EXPECT(numbers[1], minor_nr);
	EXPECT(!!node->dev, major_nr || minor_nr);
	snprintf(node_name, sizeof(node_name), "raw%d", minor);
	if (node->dev && strcmp(node->name, node_name))
		wrong("the node of %d is %s", minor, node->name);
}

static void check_loading(void)
{
	/* Calls, in their order: the table, the class, two drivers, the device rawctl */
	static const struct {
		int max_minors, failing, ret, minors;
	} loads[] = {
		{ 8, 1, -ENOMEM }, { 8, 2, -ENOMEM }, { 8, 3, -EBUSY }, { 8, 4, -EBUSY },
		{ 8, 5, -ENOMEM }, { 8, 6, 0, 8 }, { 2, 0, 0, 2 }, { 65536, 0, 0, 65536 },
		{ 1, 0, 0, 8 }, { 65537, 0, 0, 8 }, { -1, 0, 0, 8 }, { 0, 0, 0, 8 },
	};
	unsigned int i;

	doing = "loading:";
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		const char *warning = loads[i].ret || loads[i].minors == loads[i].max_minors ? "" :
			"max_raw_minors is to be within 2-65536: using 8\n";

		*warned = 0;
		max_raw_minors = loads[i].max_minors;
		EXPECT(load(loads[i].failing), loads[i].ret);
		EXPECT(strcmp(warned, warning), 0);
		if (!loads[i].ret) {
			EXPECT(minors[0], 1);
			EXPECT(minors[1], loads[i].minors - 1);
			EXPECT(strcmp(nodes[0].name, "rawctl"), 0);
			EXPECT(strcmp(the_class->devnode(nodes, NULL), "raw/rawctl"), 0);
			raw_exit();
		}
		check_unloaded();
	}
	max_raw_minors = CONFIG_MAX_RAW_DEVS;
}

static void check_operations(void)
{
	const struct file_operations *fops;
	struct file file;

	EXPECT(bind_disk(1, 1), 0);
	EXPECT(open_raw(1, &file, FMODE_READ), 0);
	fops = drivers[1];
	EXPECT(fops->splice_read == copy_splice_read, true);
	EXPECT(fops->splice_write == iter_file_splice_write, true);
	EXPECT(fops->iopoll == iocb_bio_iopoll, true);
	EXPECT(drivers[0]->open == nonseekable_open, true);
	for (answer = -2; answer < 3; answer++) {
		EXPECT(fops->llseek(&file, 17, 2), answer);
		EXPECT_TOLD("llseek", &file, 17, 2, 0);
		EXPECT(fops->fsync(&file, 3, 4, 1), answer);
		EXPECT_TOLD("fsync", &file, 3, 4, 1);
		EXPECT(fops->fallocate(&file, 5, 6, 7), answer);
		EXPECT_TOLD("fallocate", &file, 5, 6, 7);
		EXPECT(fops->unlocked_ioctl(&file, 8, 9), answer);
		EXPECT_TOLD("ioctl", &file, 8, 9, 0);
		EXPECT(fops->compat_ioctl(&file, 10, 11), answer);
		EXPECT_TOLD("compat_ioctl", &file, 10, 11, 0);
	}
	close_raw(1, &file);
}

/*
 * Requests
 */

static void ended(struct kiocb *iocb, long ret)
{
}

/* What the kernel's own users of a file are, by what their requests say */
enum { SYNC, AIO, RING };

static void check_request(struct file *file)
{
	static const ssize_t answers[] = { 0, -ENOSPC, -EAGAIN, -EIO, -EINVAL, -EIOCBQUEUED };
	static const int bits[] = { IOCB_HIPRI, IOCB_DSYNC, IOCB_DIRECT, IOCB_ALLOC_CACHE };
	struct iov_iter *iter = malloc(sizeof(*iter));
	struct kiocb *iocb = malloc(sizeof(*iocb));
	struct file *copy = malloc(sizeof(*copy));	/* fcntl() may take O_DIRECT away */
	struct gendisk *disk = file_bdev(file->private_data)->bd_disk;
	int who = pick(3), flags = who == AIO ? IOCB_AIO_RW : 0;
	ssize_t ret, want;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		if (!pick(3))
			flags |= bits[i];
	*copy = *file;
	if (!pick(4))
		copy->f_flags &= ~O_DIRECT;
	*iter = (struct iov_iter){ .data_source = pick(2), .count = pick(4) ? 512 * pick(99) : 0 };
	*iocb = (struct kiocb){ .ki_filp = copy, .ki_pos = 512 * pick(99), .ki_flags = flags,
				.ki_complete = who == SYNC ? NULL : ended };
	disk->live = pick(8);
	rq.file = copy;
	rq.write = iter->data_source;
	rq.came = false;
	rq.over = pick(2);
	rq.answer = pick(2) ? (ssize_t)iter->count : answers[pick(who == SYNC ? 5 : 6)];

	if (who != SYNC)
		flags &= ~IOCB_HIPRI;
	want = rq.answer;
	if (!disk->live && want == (rq.write ? -ENOSPC : 0))
		want = -ENODEV;

	ret = (rq.write ? drivers[1]->write_iter : drivers[1]->read_iter)(iocb, iter);
	EXPECT(ret, want);
	EXPECT(rq.came, true);
	EXPECT(rq.flags, flags | IOCB_DIRECT);
	if (rq.answer != -EIOCBQUEUED || !rq.over) {
		free(copy);
		free(iter);
		free(iocb);
	}
	disk->live = true;
}

static void check_requests(void)
{
	u64 end = seed + nr_cases;
	struct file file;

	EXPECT(bind_disk(1, 0), 0);
	EXPECT(open_raw(1, &file, FMODE_READ | FMODE_WRITE), 0);
	for (; seed < end; seed++) {
		steps_left = CASE_STEPS;
		state = seed * 0x2545f4914f6cdd1dULL;
		check_request(&file);
	}
	close_raw(1, &file);
}

/*
 * Histories of bindings
 */

#define MINORS		3
#define FILES		8

static struct {
	int disk;		/* -1: unbound */
	u64 diskseq;
	unsigned int openers;
} table[MINORS + 1];

static struct {
	struct file file;
	int minor;		/* 0: not open */
} files[FILES];

static int depth;

static void step(void);

static void some_steps(unsigned int disk)
{
	unsigned int n = pick(3);

	if (depth++ < 2)
		while (n--)
			step();
	depth--;
}

static void step_bind(int minor)
{
	int disk = pick(NR_DISKS + 1) - 1;
	bool there = disk < 0 || gendisks[disk].live, busy;
	u64 diskseq;
	long ret;

	/* Others may come while the disk is opened and closed: then what they left counts. */
	meanwhile = pick(2) ? NULL : some_steps;
	ret = bind_disk(minor, disk);
	busy = table[minor].openers;
	diskseq = disk < 0 ? 0 : gendisks[disk].diskseq;
	if (!meanwhile)
		EXPECT(ret, !there ? -ENXIO : busy ? -EBUSY : 0);
	else if (ret != 0 && ret != -ENXIO && ret != -EBUSY)
		wrong("binding gave %ld", ret);
	if (!ret && busy)
		wrong("a binding in use was changed");
	if (!ret) {
		table[minor].disk = disk;
		table[minor].diskseq = diskseq;
	}
	meanwhile = NULL;
}

/* What is refused, whatever is bound */
static void step_refused(int minor)
{
	static const struct {
		int minor;
		u64 major_nr, minor_nr;
		int ret;
	} binds[] = {
		{ 0, 8, 16, -EINVAL }, { -1, 8, 16, -EINVAL }, { 8, 8, 16, -EINVAL },
		{ 9, 8, 16, -EINVAL }, { 1, 8, 1 << 20, -EINVAL },
		{ 1, 1ULL << 32 | 8, 16, -EINVAL }, { 1, 8, 1ULL << 32 | 16, -EINVAL },
		{ 1, 0, 16, -EINVAL }, { 1, 9, 16, -ENXIO },
	};
	unsigned int i = pick(ARRAY_SIZE(binds)), there = !!nodes[minor].dev;
	struct file file = { 0 };
	u64 none[2] = { 0 };

	EXPECT(bind_raw(binds[i].minor, binds[i].major_nr, binds[i].minor_nr), binds[i].ret);
	admin = false;
	EXPECT(bind_disk(minor, 0), -EPERM);
	admin = true;
	EXPECT(ioctl_raw(RAW_SETBIND + 1000, minor, none), -ENOTTY);
	EXPECT(ioctl_raw(RAW_SETBIND - 1, minor, none), -ENOTTY);
	EXPECT(drivers[0]->unlocked_ioctl(&file, pick(2) ? RAW_SETBIND : RAW_GETBIND, 0), -EFAULT);
	if (!there && gendisks[0].live) {
		nr_calls = 0;
		fails_at = 1;
		EXPECT(bind_disk(minor, 0), -ENOMEM);
		fails_at = 0;
	}
}

static void step_open(int minor)
{
	int n = 0, ret, disk = table[minor].disk, want = 0;
	struct file file;

	while (n < FILES && files[n].minor)
		n++;
	if (n == FILES)
		return;
	files[n].minor = MINORS + 1;	/* taken */
	meanwhile = pick(2) ? NULL : some_steps;
	if (disk < 0 || !gendisks[disk].live || gendisks[disk].diskseq != table[minor].diskseq)
		want = -ENXIO;
	if (disk >= 0 && gendisks[disk].live && foreign[disk])
		want = -EBUSY;
	if (disk >= 0)
		table[minor].openers++;
	ret = open_raw(minor, &file, pick(4));
	if (meanwhile && ret && ret != -ENXIO && ret != -EBUSY)
		wrong("open gave %d", ret);
	if (!meanwhile)
		EXPECT(ret, want);
	meanwhile = NULL;
	if (disk >= 0 && ret)
		table[minor].openers--;
	files[n].minor = ret ? 0 : minor;
	files[n].file = file;
	if (!ret && file_bdev(file.private_data) != &bdevs[disk])
		wrong("raw%d led to another disk", minor);
}

static void step_close(void)
{
	int n = pick(FILES), minor = files[n].minor;

	if (!minor || minor > MINORS)
		return;
	files[n].minor = MINORS + 1;
	meanwhile = pick(2) ? NULL : some_steps;
	close_raw(minor, &files[n].file);
	meanwhile = NULL;
	table[minor].openers--;
	files[n].minor = 0;
}

static void step(void)
{
	int minor = 1 + pick(MINORS), disk = pick(NR_DISKS);
	void (*was)(unsigned int disk) = meanwhile;

	switch (pick(9)) {
	case 8:
		meanwhile = NULL;
		step_refused(minor);
		break;
	case 0:
		gendisks[disk].live = !gendisks[disk].live;
		break;
	case 1:
		if (!opens[disk])	/* a new disk, as nobody has the old one */
			gendisks[disk].diskseq++;
		break;
	case 2:
		if (!claims[disk])
			foreign[disk] = !foreign[disk];
		break;
	case 3:
		step_bind(minor);
		break;
	case 4:
	case 5:
		step_open(minor);
		break;
	default:
		step_close();
	}
	meanwhile = was;
	disk = table[minor].disk;
	check_bound(minor, disk < 0 ? 0 : MAJOR(DISK(disk)), disk < 0 ? 0 : MINOR(DISK(disk)));
}

static void check_history(void)
{
	int i;

	make_disks();
	for (i = 1; i <= MINORS; i++)
		table[i].disk = -1;
	for (i = 0; i < 60; i++)
		step();
	for (i = 0; i < FILES; i++)
		if (files[i].minor)
			close_raw(files[i].minor, &files[i].file);
	memset(files, 0, sizeof(files));
	memset(table, 0, sizeof(table));
}

/* A part of the test, with a driver of its own; its random numbers follow from the seed. */
static void with_driver(const char *part, void (*run)(void))
{
	doing = part;
	steps_left = CASE_STEPS;
	state = seed * 0x2545f4914f6cdd1dULL;
	EXPECT(load(0), 0);
	run();
	raw_exit();
	check_unloaded();
}

int main(int argc, char **argv)
{
	u64 first;

	read_options(argc, argv, &nr_cases, &seed);
	first = seed;
	user = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
		    0);
	if (user == MAP_FAILED)
		wrong("no memory below 2 GiB");
	make_disks();
	check_loading();
	with_driver("operations:", check_operations);
	with_driver("requests:", check_requests);
	for (seed = first; seed < first + nr_cases / 50; seed++)
		with_driver("histories:", check_history);
	printf("%ju requests; %ju histories of bindings\n", (uintmax_t)nr_cases,
	       (uintmax_t)(seed - first));
	return 0;
}
