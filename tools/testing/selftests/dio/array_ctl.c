// SPDX-License-Identifier: GPL-2.0
/*
 * What a host does to a LUN besides I/O: resets, and persistent reservations.
 *
 *	array_ctl reset DEVICE
 *	array_ctl register|reserve|clear KEY DEVICE
 *
 * reserve takes the LUN for who registered KEY: others may read, not write (write exclusive).
 * Exit status: 0 done, 1 refused, 2 usage.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/pr.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>

/* The C library's header is older. */
#ifndef SG_SCSI_RESET_NO_ESCALATE
#define SG_SCSI_RESET_NO_ESCALATE	0x100
#endif

#define PROGRAM		"array_ctl"
#include "words.h"

static const char usage[] =
	"usage: array_ctl reset DEVICE\n"
	"       array_ctl register|reserve|clear KEY DEVICE";

static int reset(int fd)
{
	int what = SG_SCSI_RESET_DEVICE | SG_SCSI_RESET_NO_ESCALATE;

	return ioctl(fd, SG_SCSI_RESET, &what);
}

static int reservation(int fd, const char *how, unsigned long long key)
{
	struct pr_registration reg = { .new_key = key };
	struct pr_reservation res = { .key = key, .type = PR_WRITE_EXCLUSIVE };
	struct pr_clear clear = { .key = key };

	if (!strcmp(how, "register"))
		return ioctl(fd, IOC_PR_REGISTER, &reg);
	if (!strcmp(how, "reserve"))
		return ioctl(fd, IOC_PR_RESERVE, &res);
	if (!strcmp(how, "clear"))
		return ioctl(fd, IOC_PR_CLEAR, &clear);
	die(EXIT_USAGE, "%s", usage);
}

int main(int argc, char **argv)
{
	const char *name = argv[argc - 1];
	int fd, ret, is_reset;

	help_if_asked(argc, argv, usage);
	is_reset = argc == 3 && !strcmp(argv[1], "reset");
	if (argc != 4 && !is_reset)
		die(EXIT_USAGE, "%s", usage);
	fd = open(name, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		die(1, "%s: %s", name, strerror(errno));
	if (is_reset)
		ret = reset(fd);
	else
		ret = reservation(fd, argv[1], parse_number(argv[2], argv[2]));
	if (ret < 0)
		die(1, "%s: %s: %s", name, argv[1], strerror(errno));
	if (ret > 0)
		die(1, "%s: %s: SCSI status %#x", name, argv[1], ret);
	return 0;
}
