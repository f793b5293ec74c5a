// SPDX-License-Identifier: GPL-2.0
// In 6.1 an open disk is no file. The block layer finds it in private_data, and in f_mode how it
// was opened; its file operations are had from an inode that stands for a block device.

// places: 2
@ops@
symbol disk, file;
@@
+/* Stands for a block device, and so is given the operations of those */
+static struct inode raw_blk_inode;
+
 static const struct file_operations *raw_ops(...)
 {
-	struct file *disk = file->private_data;
-
-	return disk->f_op;
+	return raw_blk_inode.i_fop;
 }

@get_ops depends on ops@
symbol raw_bindings;
@@
 raw_init(...)
 {
 	...
+	init_special_inode(&raw_blk_inode, S_IFBLK, 0);
 	raw_bindings = kvcalloc(...);
 	...
 }

@add_mode depends on get_ops@
typedef dev_t, fmode_t, u64;
symbol file, dev, diskseq, mode;
@@
+static fmode_t raw_mode(struct file *file)
+{
+	fmode_t mode = file->f_mode & (FMODE_READ | FMODE_WRITE);
+
+	/* Access mode 3 is for ioctls alone, and those may read and write. */
+	return FMODE_EXCL | (mode ?: FMODE_READ | FMODE_WRITE);
+}
+
 static int raw_open_disk(struct file *file, dev_t dev, u64 diskseq)
 { ... }

// places: 4
@open_disk depends on add_mode@
symbol disk, file, mode, dev, diskseq, raw_bindings;
@@
 raw_open_disk(...)
 {
-	blk_mode_t mode = 0;
-	struct file *disk;
+	struct block_device *disk = blkdev_get_by_dev(dev, raw_mode(file), &raw_bindings);
+
-	if (file->f_mode & FMODE_READ)
-		mode |= BLK_OPEN_READ;
-	if (file->f_mode & FMODE_WRITE)
-		mode |= BLK_OPEN_WRITE;
-	disk = bdev_file_open_by_dev(...);
 	if (IS_ERR(disk))
 		return PTR_ERR(disk);
-	if (file_bdev(disk)->bd_disk->diskseq != diskseq) {
-		bdev_fput(disk);
+	if (disk->bd_disk->diskseq != diskseq) {
+		blkdev_put(disk, raw_mode(file));
 		return -ENXIO;
 	}
 	file->private_data = disk;
-	file->f_mapping = disk->f_mapping;
-	file->f_mode |= disk->f_mode & FMODE_CAN_ODIRECT;
+	file->f_mapping = disk->bd_inode->i_mapping;
+	file->f_mode |= FMODE_EXCL;
 	return 0;
 }

// places: 2
@find_disk depends on open_disk@
symbol disk, dev, diskseq;
@@
 raw_find_disk(...)
 {
-	struct file *disk = bdev_file_open_by_dev(dev, BLK_OPEN_READ | BLK_OPEN_NDELAY, NULL, NULL);
+	struct block_device *disk = blkdev_get_by_dev(dev, FMODE_READ | FMODE_NDELAY, NULL);

 	if (IS_ERR(disk))
 		return PTR_ERR(disk);
-	*diskseq = file_bdev(disk)->bd_disk->diskseq;
-	bdev_fput(disk);
+	*diskseq = disk->bd_disk->diskseq;
+	blkdev_put(disk, FMODE_READ | FMODE_NDELAY);
 	return 0;
 }

@release depends on find_disk@
symbol file;
@@
-bdev_fput(file->private_data);
+blkdev_put(file->private_data, raw_mode(file));

// What ends in interrupt context must not go back to a cache of bios.
@bio_cache depends on release@
symbol iocb;
@@
-iocb->ki_flags &= ~IOCB_HIPRI;
+iocb->ki_flags &= ~(IOCB_HIPRI | IOCB_ALLOC_CACHE);

@splice depends on bio_cache@
symbol copy_splice_read, generic_file_splice_read;
@@
-copy_splice_read
+generic_file_splice_read

@devnode depends on splice@
typedef umode_t;
symbol dev, mode;
@@
 raw_devnode(
-	const
 	struct device *dev, umode_t *mode)
 { ... }
