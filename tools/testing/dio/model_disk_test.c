// SPDX-License-Identifier: GPL-2.0
/*
 * The disk model against what the makers and the field say of such disks.
 *
 *	model_disk_test
 *
 * Prints, for each kind of disk, the model's figure beside the published one: a mean seek, the
 * longest, a random 4 KiB read (overhead, mean seek, half a revolution), a stream on the outer and
 * on the inner tracks (published is the media rate, which has no switches of tracks in it), and
 * what eight disks on a 2 Gbit/s loop give (the report of 2002: 182.17 MB/s, "nocopy"), and what a
 * queue is worth. A figure that is further off than the table allows, a queue that does not help,
 * or two runs that differ, is an error. Where nothing turns a read takes its command and its time
 * on the link, all that wait do so at once, and the link is the limit. Exit: 0 fine, 1 not.
 */
#define _GNU_SOURCE
#include "../selftests/dio/words.h"
#include "../selftests/dio/load.h"
#include "../selftests/dio/model_disk.h"

#define FC_LOOP		202000000ULL	/* 212.5 MB/s, 2048 bytes of data in a frame of 2148 */
#define U320		320000000ULL
#define ARRAY_LINK	200000000ULL
#define READS		20000
#define DISKS		8
#define RANDOM		DISK_NEVER

static unsigned int failed;

static void row(const char *what, const char *unit, double published, double model, double percent)
{
	double off = (model / published - 1) * 100;
	bool bad = off > percent || off < -percent;

	printf("  %-34s %9.2f %9.2f %s %+6.1f %%%s\n", what, published, model, unit, off,
	       bad ? "  WRONG" : "");
	failed += bad;
}

static double mean_seek(const struct disk_kind *k)
{
	__u64 seed = 1, from, to;
	double sum = 0;
	int i;

	for (i = 0; i < READS; i++) {
		from = next_random(&seed) % k->sectors;
		to = next_random(&seed) % k->sectors;
		sum += disk_seek(k, from > to ? from - to : to - from);
	}
	return sum / READS / 1e6;
}

/*
 * Nanoseconds from one read's end to the next one's, in the mean. On a link of @rate @depth reads
 * of @sectors wait for each of @disks: in sequence from @first on, or RANDOM
 */
static double mean_ns(const struct disk_kind *k, __u64 rate, unsigned int disks, unsigned int depth,
		      unsigned int sectors, __u64 first)
{
	static struct disk_request rq[DISKS][DISK_QUEUE];
	struct disk_link link = { .rate = rate };
	struct disk_request *done = NULL;
	static struct disk d[DISKS];
	unsigned int i, n, at = 0;
	__u64 seed = 7, now = 0;

	for (i = 0; i < disks; i++) {
		disk_init(&d[i], k, &link);
		for (n = 0; n < depth; n++) {
			rq[i][n] = (struct disk_request) { .sector = first, .count = sectors };
			if (first == RANDOM)
				rq[i][n].sector = next_random(&seed) % (k->sectors - sectors);
			disk_submit(&d[i], &rq[i][n]);
		}
	}
	for (n = 0; n < READS; n++) {
		for (i = 0; i < disks; i++)
			if (disk_next(&d[i]) < disk_next(&d[at]))
				at = i;
		now = disk_next(&d[at]);
		done = disk_take(&d[at]);
		done->sector += sectors;
		if (first == RANDOM)
			done->sector = next_random(&seed) % (k->sectors - sectors);
		done->arrived = now;
		disk_submit(&d[at], done);
	}
	return (double)now / READS;
}

/* The mean time of a random 4 KiB read with @depth of them waiting, in ms: 1000 / IOPS */
static double random_reads(const struct disk_kind *k, unsigned int depth, __u64 rate)
{
	return mean_ns(k, rate, 1, depth, 8, RANDOM) / 1e6;
}

/* MB/s (10^6) of 64 KiB reads in sequence, one at a time */
static double stream(const struct disk_kind *k, __u64 rate, unsigned int disks, __u64 first)
{
	return 128e3 * DISK_SECTOR / mean_ns(k, rate, disks, 1, 128, first);
}

static void compare(const struct disk_kind *k, double slow, double fast)
{
	double one = random_reads(k, 1, FC_LOOP), half_turn = k->turn / 2e6, deep;
	unsigned int depth;

	printf("%s\n  %-34s %9s %9s\n", k->name, "", "published", "model");
	row("mean seek", "ms  ", k->seek_average / 1e6, mean_seek(k), 1);
	row("longest seek", "ms  ", k->seek_full / 1e6, disk_seek(k, k->sectors - 1) / 1e6, 1);
	row("random read of 4 KiB", "ms  ", (k->overhead + k->seek_average) / 1e6 + half_turn, one,
	    3);
	row("outer tracks", "MB/s", fast, stream(k, U320, 1, 0), 15);
	row("inner tracks", "MB/s", slow, stream(k, U320, 1, k->sectors - 128 * (READS + 1)), 15);
	for (depth = 1; depth <= 64; depth *= 4) {
		deep = random_reads(k, depth, FC_LOOP);
		printf("  random reads, %2u waiting: %19.0f a second\n", depth, 1000 / deep);
		if (deep != random_reads(k, depth, FC_LOOP) || (depth > 1 && deep > 0.9 * one)) {
			printf("  WRONG: a queue does not help, or not the same twice\n");
			failed++;
		}
		one = deep;
	}
}

/* A link carries an array's 4 KiB in 20.48 us, or 48,828 of them a second. */
static void compare_still(const struct disk_kind *k)
{
	double link = 4096 / (ARRAY_LINK / 1e6), one = k->overhead / 1e3 + link;

	printf("%s\n  %-34s %9s %9s\n", k->name, "", "expected", "model");
	row("random read of 4 KiB", "us  ", one, random_reads(k, 1, ARRAY_LINK) * 1e3, 1);
	row("4 waiting", "us  ", one / 4 > link ? one / 4 : link,
	    random_reads(k, 4, ARRAY_LINK) * 1e3, 1);
	row("64 waiting", "us  ", link, random_reads(k, 64, ARRAY_LINK) * 1e3, 1);
}

int main(void)
{
	compare(&disk_fc_2002, 51, 69);
	row("eight on a loop (field report)", "MiB/s", 182.17,
	    stream(&disk_fc_2002, FC_LOOP, DISKS, 0) * 1e6 / 1048576, 10);
	compare(&disk_u320_2004, 43, 78);
	compare_still(&disk_array);
	compare_still(&disk_nvme);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
