// SPDX-License-Identifier: GPL-2.0
/*
 * raw: bind raw character devices to block devices, and say what is bound
 *
 * Every form ends in one or more ioctls on /dev/raw/rawctl, and prints what the raw device is bound
 * to afterwards (major 0, minor 0: nothing). A raw device is named by its path, as rawN, or as N.
 *
 * Exit status: 0 done; 2 wrong usage; 3 no such device, or this kernel has no raw driver; 4 the
 * driver refused.
 */
#include <fcntl.h>
#include <unistd.h>
#include <linux/types.h>

#include "words.h"
#include "raw_ioctl.h"

enum { EXIT_REFUSED = 4 };

static const char usage[] =
	"usage: raw RAWDEV BLOCKDEV | raw RAWDEV MAJOR MINOR | raw -q RAWDEV | raw -qa";

static int ctl;

/* The minor number of the raw device called @name. */
static int find_raw(const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	int exists, prefix = strncmp(base, "raw", 3) ? 0 : 3;
	unsigned long long minor = 0;
	struct stat st;

	exists = !stat(name, &st);
	if (exists && is_raw(&st) && minor(st.st_rdev))
		return minor(st.st_rdev);
	if (!slash || (!exists && prefix))
		minor = parse_number(name, base + prefix);
	if (!minor || minor > INT_MAX)
		die(EXIT_DEVICE, "%s is not a raw device", name);
	return minor;
}

static void __noreturn refused(int minor, const char *what)
{
	die(EXIT_REFUSED, "cannot %s " RAW_DIR "/raw%d: %s", what, minor, strerror(errno));
}

static void show(const struct raw_config_request *req)
{
	printf(RAW_DIR "/raw%d:  bound to major %llu, minor %llu\n", req->raw_minor,
	       (unsigned long long)req->block_major, (unsigned long long)req->block_minor);
}

static void query(int minor)
{
	struct raw_config_request req = { .raw_minor = minor };

	if (ioctl(ctl, RAW_GETBIND, &req))
		refused(minor, "query");
	show(&req);
}

/* Show all that are bound. The driver's first EINVAL tells how many minors there are. */
static void query_all(void)
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
	if (errno != EINVAL)
		refused(minor, "query");
}

static void bind_to(int minor, __u64 block_major, __u64 block_minor)
{
	struct raw_config_request req = {
		.raw_minor = minor, .block_major = block_major, .block_minor = block_minor,
	};

	if (ioctl(ctl, RAW_SETBIND, &req))
		refused(minor, block_major || block_minor ? "bind" : "unbind");
	query(minor);
}

int main(int argc, char **argv)
{
	int all = argc == 2 && !strcmp(argv[1], "-qa"), one = argc == 3 && !strcmp(argv[1], "-q");
	struct stat st;

	help_if_asked(argc, argv, usage);
	if (!all && !one && (argc < 3 || argc > 4 || *argv[1] == '-'))
		die(EXIT_USAGE, "%s", usage);
	ctl = open(RAW_CTL, O_RDWR);
	if (ctl < 0)
		die(EXIT_DEVICE, "%s: %s (has the kernel a raw driver, CONFIG_RAW_DRIVER?)",
		    RAW_CTL, strerror(errno));
	if (all) {
		query_all();
	} else if (one) {
		query(find_raw(argv[2]));
	} else if (argc == 3) {
		if (stat(argv[2], &st))
			die(EXIT_DEVICE, "%s: %s", argv[2], strerror(errno));
		if (!S_ISBLK(st.st_mode))
			die(EXIT_DEVICE, "%s is not a block device", argv[2]);
		bind_to(find_raw(argv[1]), major(st.st_rdev), minor(st.st_rdev));
	} else {
		bind_to(find_raw(argv[1]), parse_number(argv[2], argv[2]),
			parse_number(argv[3], argv[3]));
	}
	return 0;
}
