// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: drivers/char/raw.c in user space
 *
 *	raw_test [cases=N] [seed=S]
 *
 * First bindings: all that loading, binding, opening and closing take is given back, whichever call
 * fails. Then N requests, drawn as for the engine, in the world of world.c: the driver stands where
 * the engine would (__blockdev_direct_IO() here calls it), and a few lines say what ought to come
 * of it, for a disk has its bytes in order.
 *
 * Exit status: 0 right, 1 wrong, 2 usage.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "raw_kernel.h"
#include "steps.h"
#include "world.h"
#include "../../../include/uapi/linux/raw.h"

#define CASE_STEPS	10000000UL
#define DISK		MKDEV(8, 16)
#define OTHER		MKDEV(8, 32)
#define NODES		16

static u64 seed, nr_cases = 100000;
static const char *doing = "";

void wrong(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "raw_test: seed=%ju: %s ", (uintmax_t)seed, doing);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n\t%s %zu at %zu of %u sectors, lbits %u, memory %d%s%s\n",
		c.write ? "write" : "read", c.count, c.pos, c.second_disk, c.lbits, c.memory,
		c.async ? ", async" : "", c.nowait ? ", nowait" : "");
	abort();
}

#define EXPECT(is, should) do {								\
	long long is_ = (is), should_ = (should);					\
											\
	if (is_ != should_)								\
		wrong("%s is %lld instead of %lld", #is, is_, should_);			\
} while (0)

/*
 * The rest of the kernel. Each call that can fail counts; the one that is @fails_at does.
 */

static struct gendisk disk = { .diskseq = 7, .live = true };
static struct inode bdev_inode;
static struct address_space bdev_mapping;
static struct block_device the_bdev = { .lbits = 3, .bd_disk = &disk, .bd_inode = &bdev_inode };
static struct class the_class;
static struct device nodes[NODES];
static struct cdev *cdevs[2];
static unsigned int nr_calls, fails_at, nr_cdevs, nr_nodes, opens, opens_excl, fail_dev;
static unsigned int region, classes, tables, flushes;
static int locked, flush_error;
static bool admin = true, bad_user, nowait_disk;
static void *holder;

static char warned[128];

void pr_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(warned, sizeof(warned), fmt, ap);
	va_end(ap);
}

static bool fails(void)
{
	return ++nr_calls == fails_at;
}

void mutex_lock(struct mutex *lock)
{
	if (locked++)
		wrong("deadlock: the mutex is held already");
}

void mutex_unlock(struct mutex *lock)
{
	if (--locked)
		wrong("unlocked a mutex twice");
}

bool capable(int cap)
{
	return cap == CAP_SYS_ADMIN && admin;
}

unsigned long copy_from_user(void *to, const void *from, unsigned long n)
{
	if (bad_user)
		return n;
	memcpy(to, from, n);
	return 0;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long n)
{
	if (bad_user)
		return n;
	memcpy(to, from, n);
	return 0;
}

unsigned int iminor(const struct inode *inode)
{
	return MINOR(inode->i_rdev);
}

int nonseekable_open(struct inode *inode, struct file *file)
{
	return 0;
}

loff_t no_llseek(struct file *file, loff_t offset, int whence)
{
	return -ESPIPE;
}

loff_t fixed_size_llseek(struct file *file, loff_t offset, int whence, loff_t size)
{
	return offset <= size ? offset : -EINVAL;
}

long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return 0;
}

long blkdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return 0;
}

int filemap_sample_wb_err(struct address_space *mapping)
{
	return mapping == &bdev_mapping ? 5 : 0;
}

void *kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	if (gfp != GFP_KERNEL)
		wrong("allocated with %x", gfp);
	if (fails())
		return NULL;
	tables++;
	return calloc(n, size);
}

void kvfree(void *memory)
{
	tables--;
	free(memory);
}

void bioset_exit(struct bio_set *set)
{
	nr_pools--;
}

char *kasprintf(gfp_t gfp, const char *fmt, ...)
{
	static char text[32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return text;
}

const char *dev_name(const struct device *dev)
{
	return dev->name;
}

struct class *class_create(struct module *owner, const char *name)
{
	if (fails())
		return ERR_PTR(-ENOMEM);
	if (strcmp(name, "raw"))
		wrong("a class %s", name);
	classes++;
	return &the_class;
}

void class_destroy(struct class *class)
{
	if (nr_nodes)
		wrong("%u devices are left of the class", nr_nodes);
	classes--;
}

static struct device *find_node(dev_t dev)
{
	unsigned int i;

	for (i = 0; i < NODES; i++)
		if (nodes[i].dev == dev)
			return &nodes[i];
	return NULL;
}

struct device *device_create(struct class *class, struct device *parent, dev_t dev, void *data,
			     const char *fmt, ...)
{
	struct device *node = find_node(0);
	va_list ap;

	if (fails())
		return ERR_PTR(-ENOMEM);
	if (class != &the_class || find_node(dev) || !node)
		wrong("made the device %x twice", dev);
	node->dev = dev;
	va_start(ap, fmt);
	vsnprintf(node->name, sizeof(node->name), fmt, ap);
	va_end(ap);
	nr_nodes++;
	return node;
}

void device_destroy(struct class *class, dev_t dev)
{
	struct device *node = find_node(dev);

	if (!node || class != &the_class)
		wrong("destroyed the device %x, which is not there", dev);
	node->dev = 0;
	nr_nodes--;
}

int register_chrdev_region(dev_t from, unsigned int count, const char *name)
{
	if (fails())
		return -EBUSY;
	if (from != MKDEV(RAW_MAJOR, 0) || region || strcmp(name, "raw"))
		wrong("registered %u numbers from %x on", count, from);
	region = count;
	return 0;
}

void unregister_chrdev_region(dev_t from, unsigned int count)
{
	if (count != region || from != MKDEV(RAW_MAJOR, 0))
		wrong("gave back %u numbers of %u", count, region);
	region = 0;
}

void cdev_init(struct cdev *cdev, const struct file_operations *fops)
{
	*cdev = (struct cdev){ .ops = fops };
}

int cdev_add(struct cdev *cdev, dev_t dev, unsigned int count)
{
	if (fails())
		return -ENOMEM;
	if (nr_cdevs == 2 || MINOR(dev) + count > region)
		wrong("added %u devices from %x on", count, dev);
	cdev->dev = dev;
	cdev->count = count;
	cdevs[nr_cdevs++] = cdev;
	return 0;
}

void cdev_del(struct cdev *cdev)
{
	if (!nr_cdevs || (cdevs[0] != cdev && cdevs[1] != cdev))
		wrong("deleted a cdev that was not added");
	if (cdevs[0] == cdev)
		cdevs[0] = cdevs[1];
	cdevs[--nr_cdevs] = NULL;
}

struct block_device *blkdev_get_by_dev(dev_t dev, unsigned int mode, void *who)
{
	if (dev == fail_dev || !disk.live)
		return ERR_PTR(-ENXIO);
	if (dev != DISK && dev != OTHER)
		wrong("opened the block device %x", dev);
	if (mode & FMODE_EXCL) {
		if (!who || (opens_excl && who != holder))
			wrong("took a disk for nobody");
		holder = who;
		opens_excl++;
	}
	opens++;
	return &the_bdev;
}

void blkdev_put(struct block_device *bdev, unsigned int mode)
{
	if (bdev != &the_bdev || !opens)
		wrong("closed a disk that was not open");
	opens--;
	if (mode & FMODE_EXCL && !opens_excl--)
		wrong("gave back a disk that was not taken");
}

int blkdev_issue_flush(struct block_device *bdev)
{
	flushes++;
	return flush_error;
}

bool bdev_nowait(struct block_device *bdev)
{
	return nowait_disk;
}

bool disk_live(struct gendisk *which)
{
	return which->live;
}

bool mapping_tagged(struct address_space *mapping, int tag)
{
	return mapping->tagged && (tag == PAGECACHE_TAG_DIRTY) == !(c.pos & 8);
}

int blk_status_to_errno(blk_status_t status)
{
	return status == BLK_STS_AGAIN ? -EAGAIN : status ? -EIO : 0;
}

void iov_iter_truncate(struct iov_iter *iter, u64 count)
{
	iter->count = min_t(u64, iter->count, count);
}

void iov_iter_reexpand(struct iov_iter *iter, size_t count)
{
	iter->count = count;
}

/* Memory is aligned to sectors, and segments are whole blocks. */
bool bdev_iter_is_aligned(struct block_device *bdev, struct iov_iter *iter)
{
	size_t left = iter->count, len;
	unsigned int i;

	for (i = 0; i < c.nr_segs && left; i++, left -= len) {
		len = min_t(size_t, left, c.segs[i].len);
		if (len && (c.segs[i].start % SECTOR_SIZE || len % bdev_logical_block_size(bdev)))
			return false;
	}
	return true;
}

int bio_iov_vecs_to_alloc(struct iov_iter *iter, int most)
{
	return iov_iter_is_bvec(iter) ? 0 : iov_iter_npages(iter, most);
}

/* Only of bio_vecs: they stay the caller's. */
int bio_iov_iter_get_pages(struct bio *bio, struct iov_iter *iter)
{
	bio->bi_io_vec = (struct bio_vec *)iter->bvec;
	bio->bi_vcnt = iter->nr_segs;
	bio->bi_iter.bi_size = iter->count;
	bio->bi_flags |= 1 << BIO_NO_PAGE_REF;
	iov_iter_advance(iter, iter->count);
	return 0;
}

void folio_iter_at(struct folio_iter *fi, struct bio *bio)
{
	for (; fi->vec < bio->bi_vcnt; fi->vec++, fi->page = 0) {
		struct bio_vec *bv = &bio->bi_io_vec[fi->vec];

		if (fi->page * PAGE_SIZE >= bv->bv_offset + bv->bv_len)
			continue;
		fi->folio = page_folio(bv->bv_page + fi->page);
		return;
	}
	fi->folio = NULL;
}

static void wake_waiter(struct bio *bio)
{
	*(bool *)bio->bi_private = true;
	rcu_read_lock();
	blk_wake_io_task(current);
	rcu_read_unlock();
}

int submit_bio_wait(struct bio *bio)
{
	bool done = false;

	bio->bi_private = &done;
	bio->bi_end_io = wake_waiter;
	submit_bio(bio);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (done)
			break;
		blk_io_schedule();
	}
	__set_current_state(TASK_RUNNING);
	return blk_status_to_errno(bio->bi_status);
}

/*
 * Bindings
 */

extern int *raw_param_max_raw_minors;
int raw_init_called(void);
void raw_exit_called(void);

static int load(unsigned int failing)
{
	int ret;

	nr_calls = 0;
	fails_at = failing;
	ret = raw_init_called();
	fails_at = 0;
	return ret;
}

static void check_unloaded(void)
{
	if (tables || nr_pools || classes || region || nr_cdevs || nr_nodes || opens || opens_excl)
		wrong("left: tables %u, pools %u, classes %u, numbers %u, cdevs %u, nodes %u",
		      tables, nr_pools, classes, region, nr_cdevs, nr_nodes);
}

static const struct file_operations *fops_of(unsigned int minor)
{
	unsigned int i;

	for (i = 0; i < nr_cdevs; i++)
		if (minor >= MINOR(cdevs[i]->dev) &&
		    minor < MINOR(cdevs[i]->dev) + cdevs[i]->count)
			return cdevs[i]->ops;
	wrong("minor %u has no driver", minor);
}

static int open_raw(unsigned int minor, struct file *file)
{
	struct inode inode = { .i_rdev = MKDEV(RAW_MAJOR, minor) };

	*file = (struct file){ .f_mode = FMODE_READ | FMODE_WRITE };
	return fops_of(minor)->open(&inode, file);
}

static void close_raw(unsigned int minor, struct file *file)
{
	struct inode inode = { .i_rdev = MKDEV(RAW_MAJOR, minor) };

	EXPECT(fops_of(minor)->release(&inode, file), 0);
}

static long ioctl_raw(unsigned int cmd, struct raw_config_request *req)
{
	struct file file = { 0 };

	return fops_of(0)->unlocked_ioctl(&file, cmd, (unsigned long)req);
}

static long bind_raw(int minor, u64 major_nr, u64 minor_nr)
{
	struct raw_config_request req = { minor, major_nr, minor_nr };

	return ioctl_raw(RAW_SETBIND, &req);
}

static void check_bound(int minor, u64 major_nr, u64 minor_nr)
{
	struct raw_config_request req = { minor, 99, 99 };

	EXPECT(ioctl_raw(RAW_GETBIND, &req), 0);
	EXPECT(req.raw_minor, minor);
	EXPECT(req.block_major, major_nr);
	EXPECT(req.block_minor, minor_nr);
	EXPECT(!!find_node(MKDEV(RAW_MAJOR, minor)), major_nr || minor_nr);
}

static void check_loading(void)
{
	static const int bad[] = { 1, 65537, -1, 0 };
	/* In the order of the calls: the table, the class, numbers, two cdevs, the device rawctl */
	static const int errors[] = { -ENOMEM, -ENOMEM, -EBUSY, -ENOMEM, -ENOMEM, -ENOMEM };
	unsigned int i;

	doing = "loading:";
	no_pool = true;
	EXPECT(load(0), -ENOMEM);
	check_unloaded();
	no_pool = false;
	for (i = 0; i < 6; i++) {
		EXPECT(load(i + 1), errors[i]);
		check_unloaded();
	}
	EXPECT(load(7), 0);
	EXPECT(region, CONFIG_MAX_RAW_DEVS);
	EXPECT(strcmp(find_node(MKDEV(RAW_MAJOR, 0))->name, "rawctl"), 0);
	EXPECT(strcmp(the_class.devnode(find_node(MKDEV(RAW_MAJOR, 0)), NULL), "raw/rawctl"), 0);
	raw_exit_called();
	check_unloaded();
	for (i = 0; i < 4; i++) {
		char should[128];

		snprintf(should, sizeof(should),
			 "max_raw_minors=%d is not within 2-65536: using 8\n", bad[i]);
		*raw_param_max_raw_minors = bad[i];
		EXPECT(load(0), 0);
		EXPECT(strcmp(warned, should), 0);
		EXPECT(region, CONFIG_MAX_RAW_DEVS);
		raw_exit_called();
	}
	for (i = 2; i <= 65536; i += 65534) {
		*raw_param_max_raw_minors = i;
		EXPECT(load(0), 0);
		EXPECT(region, i);
		raw_exit_called();
	}
	*raw_param_max_raw_minors = CONFIG_MAX_RAW_DEVS;
	check_unloaded();
}

static void check_binding(void)
{
	struct raw_config_request req = { 1, 8, 16 };
	struct file file;

	doing = "binding:";
	EXPECT(load(0), 0);
	check_bound(1, 0, 0);
	EXPECT(open_raw(1, &file), -ENXIO);
	EXPECT(ioctl_raw(RAW_SETBIND + 1000, &req), -ENOTTY);
	bad_user = true;
	EXPECT(ioctl_raw(RAW_SETBIND, &req), -EFAULT);
	EXPECT(ioctl_raw(RAW_GETBIND, &req), -EFAULT);
	bad_user = false;
	admin = false;
	EXPECT(bind_raw(1, 8, 16), -EPERM);
	check_bound(1, 0, 0);
	admin = true;
	EXPECT(bind_raw(0, 8, 16), -EINVAL);
	EXPECT(bind_raw(-1, 8, 16), -EINVAL);
	EXPECT(bind_raw(CONFIG_MAX_RAW_DEVS, 8, 16), -EINVAL);
	EXPECT(bind_raw(CONFIG_MAX_RAW_DEVS + 1, 8, 16), -EINVAL);
	EXPECT(bind_raw(1, 8, 1U << 20), -EINVAL);
	EXPECT(bind_raw(1, 1ULL << 32 | 8, 16), -EINVAL);
	EXPECT(bind_raw(1, 8, 1ULL << 32 | 16), -EINVAL);
	EXPECT(bind_raw(1, 0, 16), -EINVAL);
	fail_dev = OTHER;
	EXPECT(bind_raw(1, 8, 32), -ENXIO);
	check_bound(1, 0, 0);
	nr_calls = 0;
	fails_at = 1;
	EXPECT(bind_raw(1, 8, 16), -ENOMEM);
	fails_at = 0;
	check_bound(1, 0, 0);

	EXPECT(bind_raw(1, 8, 16), 0);
	check_bound(1, 8, 16);
	EXPECT(strcmp(find_node(MKDEV(RAW_MAJOR, 1))->name, "raw1"), 0);
	EXPECT(bind_raw(CONFIG_MAX_RAW_DEVS - 1, 8, 16), 0);
	check_bound(CONFIG_MAX_RAW_DEVS - 1, 8, 16);
	admin = false;
	check_bound(1, 8, 16);		/* anybody may ask */
	admin = true;
	EXPECT(bind_raw(1, 8, 16), 0);	/* once more: the device is there */
	fail_dev = 0;
	EXPECT(bind_raw(1, 8, 32), 0);
	check_bound(1, 8, 32);
	EXPECT(bind_raw(1, 0, 0), 0);
	check_bound(1, 0, 0);
	EXPECT(bind_raw(1, 0, 0), 0);
	EXPECT(opens, 0);
	/* What is still bound goes with the driver. */
	raw_exit_called();
	check_unloaded();
}

static void check_opening(void)
{
	struct file file, other;

	doing = "opening:";
	the_bdev.bytes = 4096;
	bdev_inode.i_mapping = &bdev_mapping;
	EXPECT(load(0), 0);
	EXPECT(bind_raw(2, 8, 16), 0);
	EXPECT(open_raw(1, &file), -ENXIO);
	nowait_disk = false;
	EXPECT(open_raw(2, &file), 0);
	EXPECT(file.f_mode, FMODE_READ | FMODE_WRITE | FMODE_EXCL);
	EXPECT(file.f_mapping == &bdev_mapping, true);
	EXPECT(file.f_wb_err, 5);
	EXPECT(opens_excl, 1);
	EXPECT(bind_raw(2, 0, 0), -EBUSY);
	EXPECT(bind_raw(2, 8, 32), -EBUSY);
	check_bound(2, 8, 16);
	nowait_disk = true;
	EXPECT(open_raw(2, &other), 0);
	EXPECT(!!(other.f_mode & FMODE_NOWAIT), true);
	EXPECT(fops_of(2)->llseek(&file, 4096, 0), 4096);
	EXPECT(fops_of(2)->llseek(&file, 4097, 0), -EINVAL);
	flushes = 0;
	EXPECT(fops_of(2)->fsync(&file, 0, 1, 0), 0);
	flush_error = -EIO;
	EXPECT(fops_of(2)->fsync(&file, 0, 1, 0), -EIO);
	flush_error = -EOPNOTSUPP;
	EXPECT(fops_of(2)->fsync(&file, 0, 1, 0), 0);
	EXPECT(flushes, 3);
	EXPECT(fops_of(2)->iopoll(NULL, NULL, 0), 0);
	close_raw(2, &file);
	EXPECT(bind_raw(2, 0, 0), -EBUSY);
	close_raw(2, &other);
	EXPECT(opens, 0);

	/* Another disk has the number now, or none. */
	disk.diskseq++;
	EXPECT(open_raw(2, &file), -ENXIO);
	EXPECT(opens, 0);
	EXPECT(bind_raw(2, 8, 16), 0);
	EXPECT(open_raw(2, &file), 0);
	close_raw(2, &file);
	disk.live = false;
	EXPECT(open_raw(2, &file), -ENXIO);
	disk.live = true;
	EXPECT(bind_raw(2, 0, 0), 0);
	EXPECT(locked, 0);
	raw_exit_called();
	check_unloaded();
}

/*
 * Requests
 */

static size_t invalidated_from, invalidated_to;
static unsigned int nr_invalidated;

int invalidate_inode_pages2_range(struct address_space *mapping, unsigned long start,
				  unsigned long end)
{
	if (!c.write || end < start)
		wrong("invalidated pages %lu to %lu", start, end);
	invalidated_from = start;
	invalidated_to = end;
	nr_invalidated++;
	return 0;
}

int dio_setup_at_boot(void)
{
	return 0;
}

/* World has it made for the engine. */
int sb_init_dio_done_wq(struct super_block *sb)
{
	wrong("a work queue for %s", sb->s_id);
}

ssize_t __blockdev_direct_IO(struct kiocb *iocb, struct inode *inode, struct block_device *bdev,
			     struct iov_iter *iter, get_block_t *get_block, dio_iodone_t *end_io,
			     dio_submit_t *submit_io, int flags)
{
	size_t count = iter->count;
	const struct file_operations *fops = fops_of(1);
	ssize_t ret;

	bdev->bd_disk = &disk;
	iocb->ki_filp->private_data = bdev;
	nr_invalidated = 0;
	ret = c.write ? fops->write_iter(iocb, iter) : fops->read_iter(iocb, iter);
	/* What was cut off for the end of the disk is there again. */
	if (iter->count + (ret > 0 ? ret : 0) != count && ret >= 0)
		wrong("left %zu of %zu bytes after %zd", iter->count, count, ret);
	return ret;
}

static void draw_raw_case(void)
{
	unsigned int i, nr = 0, unit;

	draw_case();
	c.raw = true;
	c.locking = false;
	c.skip_holes = false;
	c.has_bdev = true;
	c.has_submit_io = false;
	c.defer = false;
	c.nofault = false;
	c.xen = chance(3);	/* a bio_vec for each page: bios are full sooner */
	if (c.memory > KERNEL_BVEC)
		c.memory = USER_IOVEC;
	c.tagged = chance(8);
	c.read_only = chance(32);
	disk.live = true;
	unit = 1U << (c.lbits - SECTOR_SHIFT);
	c.second_disk = (c.pos + c.count) / SECTOR_SIZE / unit * unit + unit * (1 + pick(4));
	if (chance(4) && c.memory != KERNEL_BVEC)
		c.second_disk = (c.pos + pick(c.count + 1)) / SECTOR_SIZE / unit * unit;
	if (chance(64)) {
		c.second_disk = 0;
		disk.live = false;
	}
	c.disk_sectors = c.second_disk;
	c.i_size = (size_t)c.second_disk * SECTOR_SIZE;
	if (c.memory != KERNEL_BVEC)
		return;
	for (i = 0; i < c.nr_segs; i++)
		if (c.segs[i].len)
			c.segs[nr++] = c.segs[i];
	c.nr_segs = nr;
}

/* How many bytes of memory can be had, in whole blocks of each segment; and in how many pieces */
static size_t bytes_to_be_had(size_t want, unsigned int *pieces)
{
	size_t had = 0, k, unit = 1UL << c.lbits;
	unsigned int i;

	*pieces = 0;
	for (i = 0; i < c.nr_segs && had < want; i++) {
		size_t len = min_t(size_t, c.segs[i].len, want - had), good;
		int last = NEVER;

		for (k = 0; k < len; k += SECTOR_SIZE) {
			unsigned int at = c.segs[i].start + k;
			int page = page_at(at, !c.write);

			if (page == NEVER && c.memory != KERNEL_BVEC)
				break;
			if (!k || (at % PAGE_SIZE == 0 &&
				   (page != last + 1 || c.xen || page == (int)c.section)))
				++*pieces;
			last = page;
		}
		good = k / unit * unit;
		had += good;
		if (good < len)
			break;
	}
	return had;
}

/* What is said before anything is sent; 1: nothing */
static ssize_t refused(size_t *len)
{
	size_t bytes = (size_t)c.second_disk * SECTOR_SIZE, left, k;
	unsigned int i;

	if (c.write && c.read_only)
		return -EPERM;
	if (!c.count)
		return 0;
	if (c.pos >= bytes)
		return !disk.live ? -ENODEV : c.write ? -ENOSPC : 0;
	*len = min(c.count, bytes - c.pos);
	if (c.tagged && c.nowait)
		return -EAGAIN;
	if (c.tagged && c.write_back_error)
		return c.write_back_error;
	left = *len;
	for (i = 0, k = c.pos; i < c.nr_segs && left; i++) {
		size_t part = min_t(size_t, left, c.segs[i].len);

		k |= part;
		if (part && c.segs[i].start % SECTOR_SIZE)
			return -EINVAL;
		left -= part;
	}
	return k & ((1UL << c.lbits) - 1) ? -EINVAL : 1;
}

static void check_moved(size_t bytes)
{
	unsigned int i, offset, at, page;
	size_t k, done = 0;

	for (i = 0; i < c.nr_segs && done < bytes; i++) {
		for (k = 0; k < c.segs[i].len && done < bytes; k += SECTOR_SIZE) {
			u64 *word, sector = (c.pos + done) / SECTOR_SIZE;
			u64 expect = old_data(sector);

			at = c.segs[i].start + k;
			offset = at % PAGE_SIZE;
			page = c.memory == KERNEL_BVEC ? at / PAGE_SIZE : page_at(at, !c.write);
			word = (u64 *)(got.memory[page] + offset);
			if (c.write)
				expect = 0x3e30000000000000ULL |
					 (page * PAGE_SIZE + offset) / sizeof(u64);
			if (*word != expect || got.disk[sector] != expect)
				wrong("byte %zu: memory %jx, disk %jx, expected %jx", done,
				      (uintmax_t)*word, (uintmax_t)got.disk[sector],
				      (uintmax_t)expect);
			if (!c.write && !got.dirty[page] && c.memory != KERNEL_BVEC)
				wrong("page %u was read into, and is not dirty", page);
			done += SECTOR_SIZE;
		}
	}
}

static void check_raw_case(void)
{
	bool failed = false, again = c.nowait && !c.async && c.bio_again;
	unsigned int pieces, i, vecs = 0;
	size_t len = 0, sent = 0, had;
	ssize_t want = refused(&len);

	if (want <= 0) {
		EXPECT(got.ret, want);
		EXPECT(got.nr_bios, 0);
		EXPECT(got.ki_pos, c.pos);
		EXPECT(nr_invalidated, want == -EINVAL && c.write && c.cached);
		return;
	}
	for (i = 0; i < got.nr_bios; i++) {
		EXPECT(got.bios[i].sector, (c.pos + sent) / SECTOR_SIZE);
		sent += got.bios[i].bytes;
		vecs += got.bios[i].vecs;
		failed |= got.bios[i].failed;
		EXPECT(i && got.bios[i - 1].bytes < PAGE_SIZE && got.bios[i - 1].vecs == 1, 0);
	}
	had = bytes_to_be_had(len, &pieces);
	if (got.ret == -EAGAIN && !failed && !c.async && c.nowait) {
		EXPECT(got.nr_bios, 0);		/* too large not to wait */
		EXPECT(len > BIO_MAX_VECS * PAGE_SIZE / 2, true);
		return;
	}
	EXPECT(sent, had);
	/* What is pinned in one go is merged as far as it lies side by side. */
	if (c.memory != KERNEL_BVEC && got.nr_bios == 1 && had < BIO_MAX_VECS / 2 * PAGE_SIZE)
		EXPECT(vecs, pieces);
	want = failed ? again ? -EAGAIN : -EIO : had ? (ssize_t)had : -EFAULT;
	EXPECT(got.ret, want);
	EXPECT(got.ki_pos, c.pos + (want > 0 ? want : 0));
	EXPECT(got.queued, c.async && had);
	if (c.write && c.cached) {
		EXPECT(nr_invalidated, 1 + (want > 0 && !got.queued));
		EXPECT(invalidated_from, c.pos / PAGE_SIZE);
		EXPECT(invalidated_to, (c.pos + (nr_invalidated > 1 ? want : len) - 1) / PAGE_SIZE);
	} else {
		EXPECT(nr_invalidated, 0);
	}
	if (want > 0)
		check_moved(want);
}

static u64 number(const char *text)
{
	char *end;
	u64 n = strtoull(text, &end, 0);

	if (*end || end == text) {
		fprintf(stderr, "usage: raw_test [cases=N] [seed=S]\n");
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	u64 first = 1, moved = 0, queued = 0, several = 0;
	int arg;

	for (arg = 1; arg < argc; arg++) {
		if (!strncmp(argv[arg], "cases=", 6))
			nr_cases = number(argv[arg] + 6);
		else if (!strncmp(argv[arg], "seed=", 5))
			first = number(argv[arg] + 5);
		else
			number("");
	}
	steps_left = CASE_STEPS;
	check_loading();
	check_binding();
	check_opening();
	doing = "";
	EXPECT(load(0), 0);
	for (seed = first; seed < first + nr_cases; seed++) {
		steps_left = CASE_STEPS;
		source.state = seed * 0x2545f4914f6cdd1dULL;
		draw_raw_case();
		run_case();
		check_raw_case();
		moved += got.ret > 0;
		queued += got.queued;
		several += got.nr_bios > 1;
	}
	raw_exit_called();
	check_unloaded();
	printf("%ju requests: moved data %ju, queued %ju, several bios %ju\n", (uintmax_t)nr_cases,
	       (uintmax_t)moved, (uintmax_t)queued, (uintmax_t)several);
	return 0;
}
