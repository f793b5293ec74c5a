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

/* Is @text nothing but a number of at most @max? */
static int is_number(const char *text, unsigned long max, unsigned long *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	*value = strtoul(text, &end, 10);
	return !*end && !errno && *value <= max;
}

/* The minor number of the raw device called @name. */
static int find_raw(const char *name)
{
	const char *base = strrchr(name, '/');
	unsigned long minor = 0;
	struct stat st;

	if (!stat(name, &st)) {
		if (is_raw(&st) && minor(st.st_rdev))
			return minor(st.st_rdev);
		if (base)
			die(EXIT_DEVICE, "%s is not a raw device", name);
	}
	base = base ? base + 1 : name;
	if (!strncmp(base, "raw", 3))
		base += 3;
	else if (base != name)
		base = "";
	if (!is_number(base, INT_MAX, &minor) || !minor)
		die(EXIT_DEVICE, "%s is not a raw device", name);
	return minor;
}

static void open_ctl(void)
{
	ctl = open(RAW_CTL, O_RDWR);
	if (ctl < 0)
		die(EXIT_DEVICE, "%s: %s (has the kernel a raw driver, CONFIG_RAW_DRIVER?)",
		    RAW_CTL, strerror(errno));
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

static void bind_to(int minor, unsigned long block_major, unsigned long block_minor)
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
	unsigned long block_major, block_minor;
	struct stat st;
	int minor;

	help_if_asked(argc, argv, usage);
	if (argc == 2 && !strcmp(argv[1], "-qa")) {
		open_ctl();
		query_all();
	} else if (argc == 3 && !strcmp(argv[1], "-q")) {
		minor = find_raw(argv[2]);
		open_ctl();
		query(minor);
	} else if (argc == 3 && argv[1][0] != '-') {
		minor = find_raw(argv[1]);
		if (stat(argv[2], &st))
			die(EXIT_DEVICE, "%s: %s", argv[2], strerror(errno));
		if (!S_ISBLK(st.st_mode))
			die(EXIT_DEVICE, "%s is not a block device", argv[2]);
		open_ctl();
		bind_to(minor, major(st.st_rdev), minor(st.st_rdev));
	} else if (argc == 4 && argv[1][0] != '-' && is_number(argv[2], ULONG_MAX, &block_major) &&
		   is_number(argv[3], ULONG_MAX, &block_minor)) {
		minor = find_raw(argv[1]);
		open_ctl();
		bind_to(minor, block_major, block_minor);
	} else {
		die(EXIT_USAGE, "%s", usage);
	}
	return 0;
}
