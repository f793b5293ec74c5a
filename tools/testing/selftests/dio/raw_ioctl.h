/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ioctls of /dev/raw/rawctl, also where the installed headers do not have them.
 */
#ifndef DIO_RAW_IOCTL_H
#define DIO_RAW_IOCTL_H

#include <fcntl.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#define RAW_MAJOR	162
#define RAW_DIR		"/dev/raw"
#define RAW_CTL		RAW_DIR "/rawctl"

#ifdef __has_include
#if __has_include("linux/raw.h")
#include <linux/raw.h>
#endif
#endif

#ifndef RAW_SETBIND
#define RAW_SETBIND	_IO(0xac, 0)
#define RAW_GETBIND	_IO(0xac, 1)

struct raw_config_request {
	int raw_minor;
	unsigned long long block_major;
	unsigned long long block_minor;
};
#endif

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

#endif
