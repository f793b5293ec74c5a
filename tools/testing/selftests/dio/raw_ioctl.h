/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctls of /dev/raw/rawctl, which installed headers may lack */
#ifndef DIO_RAW_IOCTL_H
#define DIO_RAW_IOCTL_H

#include <fcntl.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include "claim.h"
#include "../../../../include/uapi/linux/raw.h"

#define RAW_MAJOR	162
#define RAW_DIR		"/dev/raw"
#define RAW_CTL		RAW_DIR "/rawctl"

/* The block device that raw device @minor is bound to; 0 if to none, or if that is not known. */
static inline dev_t raw_bound_to(int minor)
{
	struct raw_config_request req = { .raw_minor = minor };
	int ctl = open(RAW_CTL, O_RDONLY);
	dev_t dev = 0;

	if (ctl < 0)
		return 0;
	if (!ioctl(ctl, RAW_GETBIND, &req))
		dev = makedev(req.block_major, req.block_minor);
	close(ctl);
	return dev;
}

static inline int is_raw(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == RAW_MAJOR;
}

/* An open raw device is a claim to its disk, which must be @disk; here come its other paths. */
static inline void raw_claim(int fd, const char *raw, const char *disk)
{
	struct stat st, blk;

	if (fstat(fd, &st) || stat(disk, &blk))
		die(1, "%s, %s: %s", raw, disk, strerror(errno));
	if (!is_raw(&st))
		die(1, "%s is not a raw device", raw);
	if (!S_ISBLK(blk.st_mode) || raw_bound_to(minor(st.st_rdev)) != blk.st_rdev)
		die(1, "%s does not lead to %s", raw, disk);
	claim_other_paths(blk.st_rdev, disk, 1);
}

#endif
