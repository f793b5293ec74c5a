// SPDX-License-Identifier: GPL-2.0
/*
 * raw: bind raw character devices to block devices, and say what is bound
 *
 * Every form ends in one or more ioctls on /dev/raw/rawctl, and prints what the raw device is bound
 * to afterwards (major 0, minor 0: nothing). A raw device is named by its path, as rawN, or as N;
 * the node /dev/raw/rawN is made after a bind if the kernel did not make it.
 *
 * Exit status: 0 done; 2 wrong usage; 3 no such device, or this kernel has no raw driver; 4 the
 * driver refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/types.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "help.h"
#include "raw_ioctl.h"

enum { EXIT_USAGE = 2, EXIT_NO_DEVICE = 3, EXIT_REFUSED = 4 };

static const char usage[] =
	"usage: raw RAWDEV BLOCKDEV | raw RAWDEV MAJOR MINOR | raw -q RAWDEV | raw -qa";

static int wrong_usage(void)
{
	fprintf(stderr, "%s\n", usage);
	return EXIT_USAGE;
}

/* Is @text nothing but a number of at most @max? */
static int parse_number(const char *text, unsigned long max, unsigned long *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	*value = strtoul(text, &end, 10);
	return !*end && !errno && *value <= max;
}

/* The minor number of the raw device called @name, or 0. */
static int find_raw(const char *name)
{
	const char *base = strrchr(name, '/');
	unsigned long minor;
	struct stat st;

	if (!stat(name, &st)) {
		if (S_ISCHR(st.st_mode) && major(st.st_rdev) == RAW_MAJOR && minor(st.st_rdev))
			return minor(st.st_rdev);
		if (base)
			goto none;
	}

	base = base ? base + 1 : name;
	if (!strncmp(base, "raw", 3))
		base += 3;
	else if (base != name)
		goto none;
	if (parse_number(base, INT_MAX, &minor) && minor)
		return minor;
none:
	fprintf(stderr, "raw: %s is not a raw device\n", name);
	return 0;
}

static int open_ctl(void)
{
	int ctl = open(RAW_CTL, O_RDWR);

	if (ctl < 0 && (errno == ENOENT || errno == ENXIO || errno == ENODEV))
		fprintf(stderr, "raw: no %s: has the kernel a raw driver (CONFIG_RAW_DRIVER)?\n",
			RAW_CTL);
	else if (ctl < 0)
		fprintf(stderr, "raw: %s: %s\n", RAW_CTL, strerror(errno));
	return ctl;
}

static int refused(int minor, const char *what)
{
	fprintf(stderr, "raw: cannot %s " RAW_DIR "/raw%d: %s\n", what, minor, strerror(errno));
	return EXIT_REFUSED;
}

static void show(const struct raw_config_request *req)
{
	printf(RAW_DIR "/raw%d:  bound to major %llu, minor %llu\n", req->raw_minor,
	       (unsigned long long)req->block_major, (unsigned long long)req->block_minor);
}

static int query(int ctl, int minor)
{
	struct raw_config_request req = { .raw_minor = minor };

	if (ioctl(ctl, RAW_GETBIND, &req))
		return refused(minor, "query");
	show(&req);
	return 0;
}

/* Show all that are bound. The driver's first EINVAL tells how many minors there are. */
static int query_all(int ctl)
{
	struct raw_config_request req;
	int minor;

	for (minor = 1; ; minor++) {
		req = (struct raw_config_request) { .raw_minor = minor };
		if (ioctl(ctl, RAW_GETBIND, &req))
			break;
		if (req.block_major || req.block_minor)
			show(&req);
	}
	return errno == EINVAL ? 0 : refused(minor, "query");
}

static int make_node(int minor)
{
	char path[sizeof(RAW_DIR "/raw") + 3 * sizeof(minor)];
	struct stat st;

	snprintf(path, sizeof(path), RAW_DIR "/raw%d", minor);
	if (!stat(path, &st))
		return 0;
	if ((mkdir(RAW_DIR, 0755) && errno != EEXIST) ||
	    (mknod(path, S_IFCHR | 0600, makedev(RAW_MAJOR, minor)) && errno != EEXIST)) {
		fprintf(stderr, "raw: cannot make %s: %s\n", path, strerror(errno));
		return EXIT_NO_DEVICE;
	}
	return 0;
}

static int bind_to(int ctl, int minor, unsigned long block_major, unsigned long block_minor)
{
	struct raw_config_request req = {
		.raw_minor = minor,
		.block_major = block_major,
		.block_minor = block_minor,
	};
	int unbind = !block_major && !block_minor;
	int ret;

	if (ioctl(ctl, RAW_SETBIND, &req))
		return refused(minor, unbind ? "unbind" : "bind");
	ret = unbind ? 0 : make_node(minor);
	return ret ? ret : query(ctl, minor);
}

int main(int argc, char **argv)
{
	unsigned long block_major, block_minor;
	int ctl, minor, ask = argc > 1 && !strcmp(argv[1], "-q");
	struct stat st;

	help_if_asked(argc, argv, usage);
	if (argc == 2 && !strcmp(argv[1], "-qa")) {
		ctl = open_ctl();
		return ctl < 0 ? EXIT_NO_DEVICE : query_all(ctl);
	}
	if ((argc != 3 && argc != 4) || (ask ? argc != 3 : argv[1][0] == '-'))
		return wrong_usage();
	if (argc == 4 && (!parse_number(argv[2], ULONG_MAX, &block_major) ||
			  !parse_number(argv[3], ULONG_MAX, &block_minor)))
		return wrong_usage();

	minor = find_raw(ask ? argv[2] : argv[1]);
	if (!minor)
		return EXIT_NO_DEVICE;
	if (argc == 3 && !ask) {
		if (stat(argv[2], &st)) {
			fprintf(stderr, "raw: %s: %s\n", argv[2], strerror(errno));
			return EXIT_NO_DEVICE;
		}
		if (!S_ISBLK(st.st_mode)) {
			fprintf(stderr, "raw: %s is not a block device\n", argv[2]);
			return EXIT_NO_DEVICE;
		}
		block_major = major(st.st_rdev);
		block_minor = minor(st.st_rdev);
	}

	ctl = open_ctl();
	if (ctl < 0)
		return EXIT_NO_DEVICE;
	return ask ? query(ctl, minor) : bind_to(ctl, minor, block_major, block_minor);
}
