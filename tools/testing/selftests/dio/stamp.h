/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamp that fills a 512-byte sector, so that wrong data is seen and named.
 *
 * A sector is 64 little-endian 64-bit words: magic, disk number, sector number, and 61 words that
 * are counted up from a mix of both. Every byte follows from (disk, sector): a flipped byte, a
 * sector in the wrong place and a sector of another disk all differ from what must stand there.
 */
#ifndef DIO_STAMP_H
#define DIO_STAMP_H

#include <endian.h>
#include "words.h"

#define STAMP_SECTOR	512
#define STAMP_WORDS	(STAMP_SECTOR / 8)
#define STAMP_MAGIC	0x31706d617473696fULL	/* "oistamp1" in memory */

static inline void stamp_fill(void *buf, unsigned long long disk, unsigned long long sector)
{
	unsigned long long mix = disk * 0xd6e8feb86659fd93ULL ^ sector;
	unsigned long long *word = buf;
	unsigned int i;

	mix = (mix ^ mix >> 32) * 0x9e3779b97f4a7c15ULL;
	mix ^= mix >> 29;
	word[0] = htole64(STAMP_MAGIC);
	word[1] = htole64(disk);
	word[2] = htole64(sector);
	for (i = 3; i < STAMP_WORDS; i++)
		word[i] = htole64(mix + i * 0x9e3779b97f4a7c15ULL);
}

/* Is this the stamp of (disk, sector), to the last byte? */
static inline int stamp_ok(const void *buf, unsigned long long disk, unsigned long long sector)
{
	unsigned long long want[STAMP_WORDS];

	stamp_fill(want, disk, sector);
	return !memcmp(buf, want, STAMP_SECTOR);
}

static inline unsigned long long stamp_disk(const void *buf)
{
	return le64toh(((const unsigned long long *)buf)[1]);
}

/* Say in words what stands in a sector where (disk, sector) should. */
static inline void stamp_describe(char *text, size_t size, const void *buf, unsigned long long disk,
				  unsigned long long sector)
{
	const unsigned long long *word = buf;
	const unsigned char *byte = buf;
	unsigned char want[STAMP_SECTOR];
	unsigned int i = 0;

	if (le64toh(word[0]) == STAMP_MAGIC &&
	    stamp_ok(buf, le64toh(word[1]), le64toh(word[2]))) {
		snprintf(text, size, "the stamp of disk %llu sector %llu",
			 (unsigned long long)le64toh(word[1]),
			 (unsigned long long)le64toh(word[2]));
		return;
	}
	if (le64toh(word[0]) != STAMP_MAGIC && le64toh(word[1]) != disk) {
		snprintf(text, size, "no stamp (it begins %02x %02x %02x %02x)",
			 byte[0], byte[1], byte[2], byte[3]);
		return;
	}
	stamp_fill(want, disk, sector);
	while (i < STAMP_SECTOR - 1 && byte[i] == want[i])
		i++;
	snprintf(text, size, "a damaged stamp (byte %u is %02x, not %02x)", i, byte[i], want[i]);
}

/* The stamps of @disk for @len bytes at @pos */
static inline void fill_stamps(char *buf, size_t len, unsigned long long disk,
			       unsigned long long pos)
{
	size_t i;

	for (i = 0; i < len; i += STAMP_SECTOR)
		stamp_fill(buf + i, disk, (pos + i) / STAMP_SECTOR);
}

/* Ends, and names the first sector that is another, if they are not. */
static inline void check_stamps(const char *name, const void *buf, size_t len,
				unsigned long long disk, unsigned long long pos)
{
	unsigned long long sector = pos / STAMP_SECTOR;
	const char *at = buf, *end = at + len;
	char what[128];

	for (; at < end; at += STAMP_SECTOR, sector++) {
		if (stamp_ok(at, disk, sector))
			continue;
		stamp_describe(what, sizeof(what), at, disk, sector);
		die(EXIT_DATA, "%s: wrong data in sector %llu: %s, wanted disk %llu", name, sector,
		    what, disk);
	}
}

#endif
