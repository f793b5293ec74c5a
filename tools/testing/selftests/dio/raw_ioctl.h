/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ioctls of /dev/raw/rawctl, also where the installed headers do not have them.
 */
#ifndef DIO_RAW_IOCTL_H
#define DIO_RAW_IOCTL_H

#include <linux/types.h>
#include <sys/ioctl.h>

#ifdef __has_include
#if __has_include("linux/raw.h")
#include <linux/raw.h>
#endif
#endif

#ifndef RAW_SETBIND
#define RAW_SETBIND	_IO(0xac, 0)
#define RAW_GETBIND	_IO(0xac, 1)

struct raw_config_request {
	int	raw_minor;
	__u64	block_major;
	__u64	block_minor;
};
#endif

#endif
