/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Raw devices: character devices whose reads and writes go straight to a block device.
 *
 * Numbers and layout are those of the interface that Linux had from 2.4 to 5.13, so that old
 * programs work unchanged.
 */
#ifndef _UAPI_LINUX_RAW_H
#define _UAPI_LINUX_RAW_H

#include <linux/types.h>

/*
 * Both take a struct raw_config_request, on /dev/raw/rawctl.
 *
 * RAW_SETBIND  binds raw_minor to the block device block_major:block_minor; 0:0 unbinds it
 * RAW_GETBIND  fills in what raw_minor is bound to; 0:0 when it is not
 */
#define RAW_SETBIND	_IO(0xac, 0)
#define RAW_GETBIND	_IO(0xac, 1)

/* 24 bytes; on i386, where an __u64 may lie at any multiple of 4, it is 20. */
struct raw_config_request {
	int	raw_minor;	/* N of /dev/raw/rawN, from 1 */
	__u64	block_major;
	__u64	block_minor;
};

#endif /* _UAPI_LINUX_RAW_H */
