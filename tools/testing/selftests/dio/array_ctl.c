// SPDX-License-Identifier: GPL-2.0
/*
 * What a host does to a LUN besides I/O: resets, and persistent reservations.
 *
 *	array_ctl reset device|target|bus|host DEVICE
 *	array_ctl register|reserve|release|clear KEY DEVICE
 *
 * reserve takes the LUN for who registered KEY: others may read, not write (write exclusive).
 * Exit status: 0 done, 1 refused, 2 usage.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/pr.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>

/* The C library's header is older than these. */
#ifndef SG_SCSI_RESET_TARGET
#define SG_SCSI_RESET_TARGET		4
#define SG_SCSI_RESET_NO_ESCALATE	0x100
#endif

#define PROGRAM		"array_ctl"
#include "words.h"

static const char usage[] =
	"usage: array_ctl reset device|target|bus|host DEVICE\n"
	"       array_ctl register|reserve|release|clear KEY DEVICE";

static int reset(int fd, const char *what)
{
	static const struct { const char *name; int number; } levels[] = {
		{ "device", SG_SCSI_RESET_DEVICE }, { "bus", SG_SCSI_RESET_BUS },
		{ "host", SG_SCSI_RESET_HOST }, { "target", SG_SCSI_RESET_TARGET },
	};
	unsigned int i;
	int level;

	for (i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		level = levels[i].number | SG_SCSI_RESET_NO_ESCALATE;
		if (!strcmp(what, levels[i].name))
			return ioctl(fd, SG_SCSI_RESET, &level);
	}
	die(EXIT_USAGE, "%s", usage);
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
	if (!strcmp(how, "release"))
		return ioctl(fd, IOC_PR_RELEASE, &res);
	if (!strcmp(how, "clear"))
		return ioctl(fd, IOC_PR_CLEAR, &clear);
	die(EXIT_USAGE, "%s", usage);
}

int main(int argc, char **argv)
{
	int fd, ret;

	help_if_asked(argc, argv, usage);
	if (argc != 4)
		die(EXIT_USAGE, "%s", usage);
	fd = open(argv[3], O_RDWR | O_NONBLOCK);
	if (fd < 0)
		die(1, "%s: %s", argv[3], strerror(errno));
	if (!strcmp(argv[1], "reset"))
		ret = reset(fd, argv[2]);
	else
		ret = reservation(fd, argv[1], parse_number(argv[2], argv[2]));
	if (ret < 0)
		die(1, "%s: %s: %s", argv[3], argv[1], strerror(errno));
	if (ret > 0)
		die(1, "%s: %s: SCSI status %#x", argv[3], argv[1], ret);
	return 0;
}
