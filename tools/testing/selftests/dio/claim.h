/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose disk is it: the disks below a block device, other paths to them, and a claim to all.
 *
 * O_EXCL on a disk keeps mounts, swap, dm, md, ZFS and btrfs away from it and its partitions, in
 * every mount namespace, and fails while one of them has it. But a LUN with two paths is two block
 * devices, and a claim to one leaves the other free. What both have in common is the WWID, from
 * page 0x83 of the disk's vital product data. It is in /sys; where that is not, as before Linux
 * 2.6, a disk is taken to have one path.
 */
#ifndef DIO_CLAIM_H
#define DIO_CLAIM_H

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "words.h"

#define DISKS_MOST	256

/* What a block device is made of, itself first; a partition counts as its disk. */
struct disks {
	unsigned int nr;
	struct {
		char name[64];		/* in /sys/block */
		char wwid[256];		/* empty: not known */
	} disk[DISKS_MOST];
};

/* The WWID of a SCSI or NVMe disk. */
static inline void read_wwid(const char *name, char wwid[256])
{
	static const char * const places[] = { "device/wwid", "wwid" };
	char path[PATH_MAX];
	unsigned int i;
	FILE *file;

	*wwid = 0;
	for (i = 0; i < 2 && !*wwid; i++) {
		snprintf(path, sizeof(path), "/sys/block/%s/%s", name, places[i]);
		file = fopen(path, "r");
		if (file && fscanf(file, "%255[^\n]", wwid) != 1)
			*wwid = 0;
		if (file)
			fclose(file);
	}
}

/* Add the disk that @link in /sys leads to, and all below it. */
static inline void add_disks(struct disks *d, const char *link)
{
	char dir[PATH_MAX], path[PATH_MAX + 20];
	const char *name;
	glob_t slaves;
	size_t i;

	if (!realpath(link, dir))
		return;
	snprintf(path, sizeof(path), "%s/partition", dir);
	if (!access(path, F_OK))
		*strrchr(dir, '/') = 0;
	name = strrchr(dir, '/') + 1;
	for (i = 0; i < d->nr; i++)
		if (!strcmp(d->disk[i].name, name))
			return;
	if (d->nr == DISKS_MOST)
		return;
	snprintf(d->disk[i].name, sizeof(d->disk[i].name), "%s", name);
	read_wwid(name, d->disk[i].wwid);
	d->nr++;

	snprintf(path, sizeof(path), "%s/slaves/*", dir);
	if (glob(path, 0, NULL, &slaves))
		return;
	for (i = 0; i < slaves.gl_pathc; i++)
		add_disks(d, slaves.gl_pathv[i]);
	globfree(&slaves);
}

/* Has the disk called @name, which is none of @d, the WWID of one of them? */
static inline int is_path_to(const struct disks *d, const char *name)
{
	unsigned int i, same = 0;
	char wwid[256];

	read_wwid(name, wwid);
	for (i = 0; i < d->nr; i++) {
		if (!strcmp(d->disk[i].name, name))
			return 0;
		same |= *wwid && !strcmp(d->disk[i].wwid, wwid);
	}
	return same;
}

/*
 * The next node that is another path to @dev, or to a disk below it; NULL at the end, after which
 * it begins anew. A disk without a number is a path that NVMe keeps to itself.
 */
static inline const char *next_path(dev_t dev)
{
	static struct disks below;
	static char node[300];
	static glob_t all;
	static size_t at;
	char link[64], *name;

	if (!at) {
		below.nr = 0;
		snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(dev), minor(dev));
		add_disks(&below, link);
		if (glob("/sys/block/*/dev", 0, NULL, &all))
			return NULL;
	}
	while (at < all.gl_pathc) {
		name = all.gl_pathv[at++] + strlen("/sys/block/");
		*strrchr(name, '/') = 0;
		snprintf(node, sizeof(node), "/dev/%s", name);
		if (is_path_to(&below, name))
			return node;
	}
	globfree(&all);
	at = 0;
	return NULL;
}

/* Claims the other paths, too, until exit; ends with @status, and says why, if somebody has one. */
static inline void claim_other_paths(dev_t dev, const char *name, int status)
{
	const char *path;

	while ((path = next_path(dev)))
		if (open(path, O_RDONLY | O_EXCL) < 0)
			die(status, "%s: %s, another path to that disk, %s%s", name, path,
			    errno == EBUSY ? "is in use" : "cannot be claimed: ",
			    errno == EBUSY ? "" : strerror(errno));
}

/* Open a block device for nobody else, on any path, or end in that way. */
static inline int claim(const char *name, int flags, int status)
{
	int fd = open(name, flags | O_EXCL);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(status, "%s: %s", name, errno != EBUSY ? strerror(errno) :
		    "in use (mounted, if only in another namespace, or held)");
	claim_other_paths(st.st_rdev, name, status);
	return fd;
}

/* Open a file or device to read it, or to write it, and then a block device is claimed. */
static inline int open_claimed(const char *name, int flags, int write, int status)
{
	struct stat st;

	if (write && !stat(name, &st) && S_ISBLK(st.st_mode))
		return claim(name, O_RDWR | flags, status);
	return must_open(name, (write ? O_RDWR : O_RDONLY) | flags, status);
}

#endif
