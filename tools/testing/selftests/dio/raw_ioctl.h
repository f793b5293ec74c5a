/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctls of /dev/raw/rawctl, which installed headers may lack */
#ifndef DIO_RAW_IOCTL_H
#define DIO_RAW_IOCTL_H

#include <fcntl.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
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

#endif
