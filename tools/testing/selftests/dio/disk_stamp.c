// SPDX-License-Identifier: GPL-2.0
/*
 * Fill a disk or an image with stamps, so that disk_read verify sees wrong data.
 *
 *	disk_stamp disk=N [size=N] [write-file] FILE
 *	disk_stamp disk=N [size=N] write-device DEVICE
 *
 * Every 512-byte sector gets the disk's number and its own (see stamp.h). k, m and g are 2^10, 2^20
 * and 2^30. A FILE is size= (64m) long afterwards; one that is there already is written only with
 * the word write-file, and none is made under /dev, where a mistyped disk would become one. A block
 * device loses its content: it is written only with the word write-device, claimed by all its paths
 * (so one that is mounted or held is refused, see claim.h), and to its end unless size= says less.
 * What was written is on the disk when the program ends.
 *
 * A failure is one line on stderr. Exit status: 0 done; 2 usage, or a size that does not fit;
 * 3 cannot be opened, or is in use; 4 write error.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "claim.h"
#include "stamp.h"
#include "words.h"

#define CHUNK		1048576
#define FILE_SIZE	(64ULL << 20)
#define NOT_GIVEN	(~0ULL)

static struct {
	const char *name;
	unsigned long long disk;
	unsigned long long size;
	int write_device;
	int write_file;
} opt = { .disk = NOT_GIVEN };

static const char usage[] =
	"usage: disk_stamp disk=N [size=N] [write-file] FILE      (write-file: one that exists)\n"
	"       disk_stamp disk=N [size=N] write-device DEVICE   (its content is lost)\n"
	"  size= takes k, m, g (1024-based); 64m for a file, all of a device\n"
	"Exit: 0 done, 2 usage, 3 cannot be opened or in use, 4 write error.";

static const struct word words[] = {
	NUMBER("disk=", opt.disk), NUMBER("size=", opt.size),
	FLAG("write-device", opt.write_device), FLAG("write-file", opt.write_file),
	{ .name = NULL }
};

static int open_device(void)
{
	unsigned long long size;
	int fd;

	if (!opt.write_device)
		die(EXIT_USAGE, "%s is a block device; write-device allows to write it", opt.name);
	fd = claim(opt.name, O_WRONLY, EXIT_DEVICE);
	if (ioctl(fd, BLKGETSIZE64, &size))
		die(EXIT_DEVICE, "%s: size unknown: %s", opt.name, strerror(errno));
	if (!opt.size)
		opt.size = size;
	if (opt.size > size)
		die(EXIT_USAGE, "size=%llu: %s has %llu bytes", opt.size, opt.name, size);
	return fd;
}

static int open_file(int flags)
{
	int fd;

	if (opt.write_device)
		die(EXIT_USAGE, "%s is not a block device", opt.name);
	if (flags && is_under_dev(opt.name))
		die(EXIT_DEVICE, "%s: no such device, and no file is made under /dev", opt.name);
	if (!flags && !opt.write_file)
		die(EXIT_USAGE, "%s exists; write-file allows to write it", opt.name);
	if (!opt.size)
		opt.size = FILE_SIZE;
	fd = must_open(opt.name, O_WRONLY | flags, EXIT_DEVICE);
	if (ftruncate(fd, opt.size))
		die(EXIT_IO, "%s: %s", opt.name, strerror(errno));
	return fd;
}

static int open_target(void)
{
	struct stat st;

	if (stat(opt.name, &st)) {
		if (errno != ENOENT)
			die(EXIT_DEVICE, "%s: %s", opt.name, strerror(errno));
		return open_file(O_CREAT | O_EXCL);
	}
	if (S_ISBLK(st.st_mode))
		return open_device();
	if (!S_ISREG(st.st_mode))
		die(EXIT_DEVICE, "%s: neither a file nor a block device", opt.name);
	return open_file(0);
}

static void write_stamps(int fd)
{
	static char buf[CHUNK];
	unsigned long long pos = 0;
	size_t len, done;
	ssize_t n;

	while (pos < opt.size) {
		len = opt.size - pos < CHUNK ? opt.size - pos : CHUNK;
		fill_stamps(buf, len, opt.disk, pos);
		for (done = 0; done < len; done += n) {
			n = write(fd, buf + done, len - done);
			if (n <= 0)
				die(EXIT_IO, "%s: write error at offset %llu: %s", opt.name,
				    pos + done, n ? strerror(errno) : "no space");
		}
		pos += len;
	}
}

int main(int argc, char **argv)
{
	int fd;

	parse_words(argc, argv, usage, words, &opt.name, 1);
	if (!opt.name || opt.disk == NOT_GIVEN)
		die(EXIT_USAGE, "%s missing (-h for help)", opt.name ? "disk= is" : "FILE is");
	if (opt.size % STAMP_SECTOR)
		die(EXIT_USAGE, "size=%llu: not a multiple of %d", opt.size, STAMP_SECTOR);
	fd = open_target();
	write_stamps(fd);
	if (fsync(fd) || close(fd))
		die(EXIT_IO, "%s: %s", opt.name, strerror(errno));
	return 0;
}
