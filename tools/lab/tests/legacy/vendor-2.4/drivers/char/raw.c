/* SPDX-License-Identifier: GPL-2.0 */

static void raw_open(int minor, kdev_t rdev)
{
	raw_devices[minor].can_do_vary = get_blkdev_varyio(rdev);
	if (is_mounted(rdev)) {
		raw_devices[minor].can_do_vary = 0;
	} else {
		sector_size = 512;
	}
}

static void rw_raw_dev(struct kiobuf *iobuf, int minor)
{
	iobuf->dovary = raw_devices[minor].can_do_vary;
}
