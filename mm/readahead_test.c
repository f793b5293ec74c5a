// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the readahead policy: the last part of mm/readahead_runs.c.
 *
 * The choice of an end is held against all ends that there are.
 */

#include <kunit/test.h>

/* Lengths of runs around what the choice turns at */
static const unsigned long lengths[] = {
	0, 1, 10, 11, 32, 33, 100, RA_LONG - 1, RA_LONG,
};

/* A file, and an open file of it */
struct reader {
	struct backing_dev_info bdi;
	struct super_block sb;
	struct inode inode;
	struct address_space mapping;
	struct file_ra_state ra;
	struct readahead_control ractl;
};

static struct reader reader;

static void open_file(pgoff_t index)
{
	memset(&reader, 0, sizeof(reader));
	xa_init(&reader.mapping.i_pages);
	reader.bdi.ra_pages = 32;
	reader.sb.s_bdi = &reader.bdi;
	reader.inode.i_sb = &reader.sb;
	reader.mapping.host = &reader.inode;
	reader.ra.ra_pages = 32;
	reader.ra.prev_pos = -1;
	reader.ractl.mapping = &reader.mapping;
	reader.ractl.ra = &reader.ra;
	reader.ractl._index = index;
}

/* What it costs to read up to the ends of the runs in @mask, the first of which is @first */
static unsigned long cost_of(const unsigned long *len, unsigned long need, unsigned long have,
			     unsigned int mask, unsigned long *first)
{
	unsigned long cost = 0, end, to;

	*first = ULONG_MAX;
	for (int i = 0; i < RA_RUNS; i++) {
		if ((mask & 1U << i) && (len[i] < need || len[i] == RA_LONG))
			return ULONG_MAX;
		to = ULONG_MAX;
		for (int k = 0; k < RA_RUNS && len[i] >= need; k++) {
			end = max(len[k], have);
			if (!(mask & 1U << k))
				continue;
			*first = min(*first, end);
			if (end < len[i])	/* if two are the same this is not the least */
				cost += RA_WAIT;
			else
				to = min(to, end);
		}
		if (len[i] < need || len[i] == RA_LONG)
			continue;
		if (to == ULONG_MAX)
			return to;		/* nobody reads all of it */
		cost += to - max(len[i], have);
	}
	return cost;
}

/* Of all ways to read these runs none costs less, or as much with an end before this one. */
static bool is_least(const unsigned long *len, unsigned long need, unsigned long have)
{
	unsigned long first, end, cost, least = ULONG_MAX, told, begin = ULONG_MAX;

	cost = ra_cost(len, need, have, &end);
	for (unsigned int mask = 1; mask < 1U << RA_RUNS; mask++) {
		told = cost_of(len, need, have, mask, &first);
		if (told < least || (told == least && first < begin))
			begin = first;
		least = min(least, told);
	}
	return least == ULONG_MAX ? !end && !cost : end == begin && cost == least;
}

static void ra_cost_is_least(struct kunit *test)
{
	static const unsigned long needs[] = { 0, 1, 32, 64, RA_LONG };
	static const unsigned long haves[] = { 0, 1, 40, 2000 };
	unsigned int n = ARRAY_SIZE(lengths), i, k, h, wrong = 0;
	unsigned long len[RA_RUNS];

	for (i = 0; i < n * n * n * n; i++) {
		len[0] = lengths[i % n];
		len[1] = lengths[i / n % n];
		len[2] = lengths[i / n / n % n];
		len[3] = lengths[i / n / n / n];
		for (k = 0; k < ARRAY_SIZE(needs); k++)
			for (h = 0; h < ARRAY_SIZE(haves); h++)
				wrong += !is_least(len, needs[k], haves[h]);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

static void ra_state_is_kept(struct kunit *test)
{
	static const long before[] = { 0, 1, -1, 31, -31, 4095, -4095 };
	struct ra_view view = { .len = { 0, 1, RA_LONG, 77 }, .state = RA_FAULTS }, got;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		open_file(0);
		view.origin = 10000 - before[i];
		ra_set_window(&reader.ra, &view, 10000, 10064, 32, 0);
		KUNIT_EXPECT_TRUE(test, ra_load(&reader.ractl, &got));
		KUNIT_EXPECT_EQ(test, got.origin, view.origin);
		KUNIT_EXPECT_EQ(test, got.state + 0U, RA_FAULTS + 0U);
		KUNIT_EXPECT_EQ(test, memcmp(got.len, view.len, sizeof(got.len)), 0);
	}
	/* A stream's begin goes with it; what cannot be kept is not known. */
	view.origin = 10000 - 4096;
	ra_store(&reader.ra, &view, 10000);
	ra_load(&reader.ractl, &got);
	KUNIT_EXPECT_EQ(test, got.origin, 10000UL - RA_LONG);
	KUNIT_EXPECT_EQ(test, got.state + 0U, RA_FAULTS + 0U);
	view.origin = 10000 + 4096;
	ra_store(&reader.ra, &view, 10000);
	ra_load(&reader.ractl, &got);
	KUNIT_EXPECT_EQ(test, got.state + 0U, RA_UNKNOWN + 0U);
	KUNIT_EXPECT_EQ(test, got.len[3], 77UL);
}

static void ra_says_nothing(struct kunit *test)
{
	struct ra_view view;

	open_file(0);
	KUNIT_EXPECT_TRUE(test, ra_load(&reader.ractl, &view));
	reader.ra.ra_pages = 64;	/* POSIX_FADV_SEQUENTIAL */
	KUNIT_EXPECT_FALSE(test, ra_load(&reader.ractl, &view));
	/* Windows are another's from now on: no run is under way in them. */
	reader.ra.runs = RA_READS;
	KUNIT_EXPECT_FALSE(test, ra_runs_miss(&reader.ractl, 1, 64));
	KUNIT_EXPECT_EQ(test, reader.ra.runs, 0ULL);
	reader.ra.ra_pages = 32;
	sysctl_readahead_runs = 0;
	KUNIT_EXPECT_FALSE(test, ra_load(&reader.ractl, &view));
	sysctl_readahead_runs = 1;
}

/* What is learnt of a run from @origin on, read in [100, 120), if the last read ended so */
static unsigned long learnt(enum ra_state state, loff_t prev_pos, pgoff_t origin)
{
	struct ra_view view = { .len = { 7, 6, 5, 4 }, .state = state, .origin = origin };

	open_file(1000);
	reader.ra.prev_pos = prev_pos;
	ra_set_window(&reader.ra, &view, 100, 120, 20, 0);
	ra_load(&reader.ractl, &view);
	ra_learn(&reader.ractl, &view);
	return view.len[0] << 16 | view.len[1];
}

static void ra_lengths(struct kunit *test)
{
	/* Nothing of what is not known, 0 of a single request */
	KUNIT_EXPECT_EQ(test, learnt(RA_UNKNOWN, 110 * PAGE_SIZE, 101), 7UL << 16 | 6);
	KUNIT_EXPECT_EQ(test, learnt(RA_SINGLE, 110 * PAGE_SIZE, 101), 7UL);
	/* Where the last read ended, also within a page */
	KUNIT_EXPECT_EQ(test, learnt(RA_READS, 110 * PAGE_SIZE, 101), 9UL << 16 | 7);
	KUNIT_EXPECT_EQ(test, learnt(RA_READS, 109 * PAGE_SIZE + 1, 101), 9UL << 16 | 7);
	KUNIT_EXPECT_EQ(test, learnt(RA_READS, 101 * PAGE_SIZE, 101), 7UL);
	KUNIT_EXPECT_EQ(test, learnt(RA_READS, 120 * PAGE_SIZE, 90), 30UL << 16 | 7);
	/* If that is elsewhere pages tell; there are none. */
	KUNIT_EXPECT_EQ(test, learnt(RA_READS, 5 * PAGE_SIZE, 101), 7UL);
	KUNIT_EXPECT_EQ(test, learnt(RA_READS, 121 * PAGE_SIZE, 101), 7UL);
}

/* Where a run of @pages from page 100 on ends, if @cached of 1000 pages are there */
static pgoff_t warm_end(unsigned long pages, unsigned long cached, pgoff_t prev_end)
{
	struct ra_view view = { .prev_end = prev_end };

	open_file(100);
	reader.inode.i_size = 1000 * PAGE_SIZE;
	reader.mapping.nrpages = cached;
	return ra_warm_end(&reader.ractl, &view, 100 + pages, 32);
}

static void ra_warm(struct kunit *test)
{
	if (PAGE_SIZE != SZ_4K)
		kunit_skip(test, "these figures are of pages of 4 KiB");
	/* 4 (1 - f) = 32 f at a ninth of the file */
	KUNIT_EXPECT_EQ(test, warm_end(4, 111, 500), 104UL);
	KUNIT_EXPECT_EQ(test, warm_end(4, 112, 500), 132UL);
	KUNIT_EXPECT_EQ(test, warm_end(31, 492, 500), 131UL);
	KUNIT_EXPECT_EQ(test, warm_end(31, 493, 500), 132UL);
	KUNIT_EXPECT_EQ(test, warm_end(4, 2000, 500), 132UL);
	/* What is as long as a window stays; a scan that leaves pages out does not come back. */
	KUNIT_EXPECT_EQ(test, warm_end(40, 1000, 500), 140UL);
	KUNIT_EXPECT_EQ(test, warm_end(4, 900, 90), 104UL);
	KUNIT_EXPECT_EQ(test, warm_end(4, 900, 68), 132UL);
}

static struct kunit_case ra_cases[] = {
	KUNIT_CASE(ra_cost_is_least),
	KUNIT_CASE(ra_state_is_kept),
	KUNIT_CASE(ra_says_nothing),
	KUNIT_CASE(ra_lengths),
	KUNIT_CASE(ra_warm),
	{}
};

static struct kunit_suite ra_suite = {
	.name = "readahead_runs",
	.test_cases = ra_cases,
};

kunit_test_suite(ra_suite);
