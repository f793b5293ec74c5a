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

#define MIB		1048576.0
#define FC_LOOP		202000000ULL	/* 212.5 MB/s, 2048 bytes of data in a frame of 2148 */
#define U320		320000000ULL
#define ARRAY_LINK	200000000ULL
#define READS		20000
#define DISKS		8

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
	__u64 seed = 1;
	double sum = 0;
	int i;

	for (i = 0; i < READS; i++) {
		int from = next_random(&seed) % k->cylinders;
		int to = next_random(&seed) % k->cylinders;

		sum += disk_seek(k, abs(from - to));
	}
	return sum / READS / 1e6;
}

/* Reads of @sectors that @disks do, @depth of them waiting for each, on links of @rate */
struct reads {
	unsigned int disks, depth, sectors;
	__u64 rate;
	bool random, inner;	/* inner: in sequence, on the inner tracks */
};

static struct disk *first_done(struct disk *d, unsigned int n)
{
	struct disk *first = d;
	unsigned int i;

	for (i = 1; i < n; i++)
		if (disk_next(&d[i]) < disk_next(first))
			first = &d[i];
	return first;
}

/* Nanoseconds from one read's end to the next one's, in the mean */
static double mean_ns(const struct disk_kind *k, const struct reads *r)
{
	unsigned int reads = r->random ? READS : READS / 10 * r->disks, i, n;
	static struct disk_request rq[DISKS][DISK_QUEUE];
	static struct disk d[DISKS];
	struct disk_link link = { .rate = r->rate };
	struct disk_request *done;
	struct disk *first;
	__u64 seed = 7;
	__u64 now = 0;

	for (i = 0; i < r->disks; i++) {
		disk_init(&d[i], k, &link);
		for (n = 0; n < r->depth; n++) {
			rq[i][n] = (struct disk_request) { .count = r->sectors };
			if (r->random)
				rq[i][n].sector = next_random(&seed) % (d[i].sectors - r->sectors);
			else if (r->inner)
				rq[i][n].sector = d[i].sectors - (reads + 1) * r->sectors;
			disk_submit(&d[i], &rq[i][n]);
		}
	}
	for (i = 0; i < reads; i++) {
		first = first_done(d, r->disks);
		now = disk_next(first);
		done = disk_take(first);
		if (r->random)
			done->sector = next_random(&seed) % (first->sectors - r->sectors);
		else
			done->sector += r->sectors;
		done->arrived = now;
		disk_submit(first, done);
	}
	return (double)now / reads;
}

/* The mean time of a random 4 KiB read with @depth of them waiting, in ms: 1000 / IOPS */
static double random_reads(const struct disk_kind *k, unsigned int depth, __u64 rate)
{
	return mean_ns(k, &(struct reads) { .disks = 1, .depth = depth, .sectors = 8,
					    .rate = rate, .random = true }) / 1e6;
}

/* MB/s (10^6) of 64 KiB reads in sequence, one at a time, by @n disks */
static double stream(const struct disk_kind *k, bool inner, unsigned int n)
{
	return 128e3 * DISK_SECTOR / mean_ns(k, &(struct reads) { .disks = n, .depth = 1,
		.sectors = 128, .rate = n > 1 ? FC_LOOP : U320, .inner = inner });
}

static void compare(const struct disk_kind *k, double slow, double fast)
{
	double one = random_reads(k, 1, FC_LOOP), half_turn = 30000.0 / k->rpm, deep;
	unsigned int depth;

	printf("%s\n  %-34s %9s %9s\n", k->name, "", "published", "model");
	row("mean seek", "ms  ", k->seek_average / 1e6, mean_seek(k), 1);
	row("longest seek", "ms  ", k->seek_full / 1e6, disk_seek(k, k->cylinders - 1) / 1e6, 1);
	row("random read of 4 KiB", "ms  ", (k->overhead + k->seek_average) / 1e6 + half_turn, one,
	    3);
	row("outer tracks", "MB/s", fast, stream(k, false, 1), 15);
	row("inner tracks", "MB/s", slow, stream(k, true, 1), 15);
	for (depth = 1; depth <= 64; depth *= 4) {
		deep = random_reads(k, depth, FC_LOOP);
		printf("  random reads, %2u waiting: %19.0f a second\n", depth, 1000 / deep);
		if (deep != random_reads(k, depth, FC_LOOP) || deep > one) {
			printf("  WRONG: slower with a queue, or not the same twice\n");
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
	    stream(&disk_fc_2002, false, DISKS) * 1e6 / MIB, 10);
	compare(&disk_u320_2004, 43, 78);
	compare_still(&disk_array);
	compare_still(&disk_nvme);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
