// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the readahead policy, mm/readahead_runs.h.
 *
 * The policy meets a program that reads runs, page by page, in a cache that keeps what was read for
 * the last run and nothing else. What it makes of several streams in one cache is in the replay,
 * tools/testing/dio/ra_replay.c.
 */

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/pagemap.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "readahead_runs.h"

/* Lengths up to this one are tried one by one. */
#define EACH_LENGTH	4096U
/* Runs begin this far apart. */
#define APART		(SZ_8G >> PAGE_SHIFT)

/* A program, its open file, and what was read for it */
struct reader {
	struct address_space mapping;
	struct file_ra_state ra;
	unsigned long max;
	bool streams;
	pgoff_t place;
	unsigned int reads, pages;
	unsigned int largest;
	unsigned int first_full;	/* the read that was the first as large as max */
};

static void reader_init(struct reader *r, unsigned long max)
{
	memset(r, 0, sizeof(*r));
	xa_init(&r->mapping.i_pages);
	r->max = max;
	r->ra.prev_pos = -1;
	r->ra.run_start = RA_NO_RUN;
}

static void forget_counts(struct reader *r)
{
	r->reads = 0;
	r->pages = 0;
	r->largest = 0;
	r->first_full = 0;
}

/* The program needs @index now: a miss, or a mark. */
static void ask(struct reader *r, pgoff_t index, bool missed)
{
	struct ra_ask ask = {
		.mapping = &r->mapping,
		.index = index,
		.pages = 1,
		.max = r->max,
		.streams = r->streams,
	};

	if (missed)
		ra_plan_miss(&r->ra, &ask);
	else if (!ra_plan_mark(&r->ra, &ask, 0))
		return;
	r->reads++;
	r->pages += r->ra.size;
	r->largest = max(r->largest, r->ra.size);
	if (!r->first_full && r->ra.size >= r->max)
		r->first_full = r->reads;
}

static pgoff_t next_place(struct reader *r)
{
	r->place += APART;
	return r->place;
}

/* Read @len pages from @start on, one by one. */
static void read_pages(struct reader *r, pgoff_t start, unsigned int len)
{
	pgoff_t index, end = start, mark = RA_NO_RUN;

	for (index = start; index < start + len; index++) {
		while (index == end || index == mark) {
			ask(r, index, index == end);
			end = r->ra.start + r->ra.size;
			mark = r->ra.async_size ? end - r->ra.async_size : RA_NO_RUN;
		}
		r->ra.prev_pos = (loff_t)(index + 1) << PAGE_SHIFT;
	}
}

static void read_runs(struct reader *r, unsigned int len, unsigned int n)
{
	while (n--)
		read_pages(r, next_place(r), len);
}

/* How many runs of @len until the mean is that, from a mean and a last run; 5 if not within 4 */
static unsigned int runs_to(unsigned int len, unsigned int mean, unsigned int last)
{
	unsigned int runs;

	for (runs = 1; runs <= 4; runs++) {
		mean = ra_run_mean(mean, last, len);
		last = len;
		if (mean == len << RA_RUN_SHIFT)
			break;
	}
	return runs;
}

/* The fault of 2004: integer halves left the average one short of the runs for ever. */
static void mean_reaches_constant(struct kunit *test)
{
	unsigned int from[] = { 1, 2, 3, 31, 32, 33, 1000, EACH_LENGTH, RA_RUN_MAX };
	unsigned int len, i, k;

	for (len = 1; len <= RA_RUN_MAX; len += len < EACH_LENGTH ? 1 : len / 3) {
		KUNIT_ASSERT_LE(test, runs_to(len, 0, 0), 2U);
		for (i = 0; i < ARRAY_SIZE(from); i++)
			for (k = 0; k < ARRAY_SIZE(from); k++)
				KUNIT_ASSERT_LE(test,
						runs_to(len, from[i] << RA_RUN_SHIFT, from[k]), 4U);
	}
	KUNIT_EXPECT_LE(test, runs_to(RA_RUN_MAX, 1 << RA_RUN_SHIFT, 1), 4U);
}

/* Runs of two lengths, both longer than the mean, or shorter: it arrives at the nearer one. */
static void mean_does_not_stop_short(struct kunit *test)
{
	unsigned int mean, next, steps;

	for (steps = 0, mean = 1 << RA_RUN_SHIFT; mean != 100 << RA_RUN_SHIFT; mean = next) {
		next = ra_run_mean(mean, 100, 200);
		KUNIT_ASSERT_GT(test, next, mean);
		KUNIT_ASSERT_LE(test, next, 100U << RA_RUN_SHIFT);
		KUNIT_ASSERT_LT(test, steps++, 12U);
	}
	for (steps = 0, mean = 1000 << RA_RUN_SHIFT; mean != 200 << RA_RUN_SHIFT; mean = next) {
		next = ra_run_mean(mean, 200, 100);
		KUNIT_ASSERT_LT(test, next, mean);
		KUNIT_ASSERT_GE(test, next, 200U << RA_RUN_SHIFT);
		KUNIT_ASSERT_LT(test, steps++, 15U);
	}
}

static void mean_ignores_a_stray(struct kunit *test)
{
	unsigned int mean = 16 << RA_RUN_SHIFT;

	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, 16, 1), mean);
	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, 1, 16), mean);
	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, 16, RA_RUN_MAX), mean);
	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, RA_RUN_MAX, 16), mean);
}

static void mean_does_not_overflow(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int mean = 0, last = 0, len, i;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 100000; i++) {
		len = 1 + (prandom_u32_state(&rnd) >> prandom_u32_state(&rnd) % 32) % RA_RUN_MAX;
		mean = ra_run_mean(mean, last, len);
		last = len;
		KUNIT_ASSERT_LE(test, mean, RA_RUN_MAX << RA_RUN_SHIFT);
		KUNIT_ASSERT_TRUE(test, !i || mean >= 1 << RA_RUN_SHIFT);
	}
}

/* One read for a run that fits a window, and no page too many: once 16 KiB reads cost 20. */
static void constant_runs_are_read_at_once(struct kunit *test)
{
	unsigned int maxes[] = { 32, 128, 1024 }, len, i;
	struct reader r;

	for (i = 0; i < ARRAY_SIZE(maxes); i++) {
		for (len = 1; len <= 2 * maxes[i]; len++) {
			reader_init(&r, maxes[i]);
			read_runs(&r, 7, 3);
			read_runs(&r, len, 4);
			forget_counts(&r);
			read_runs(&r, len, 10);
			KUNIT_ASSERT_EQ(test, r.pages, 10 * len);
			KUNIT_ASSERT_EQ(test, r.reads, 10 * DIV_ROUND_UP(len, maxes[i]));
		}
	}
}

/* The window must come from the mean, not from what the last window was. */
static void one_long_run_does_not_lengthen_the_next(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 128);
	read_runs(&r, 16, 10);
	read_runs(&r, 1000, 1);
	forget_counts(&r);
	read_runs(&r, 16, 1);
	KUNIT_EXPECT_EQ(test, r.pages, 16U);
}

/* Single pages are read singly: no lazily opened second window. */
static void random_pages_are_read_singly(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	read_runs(&r, 1, 1000);
	KUNIT_EXPECT_EQ(test, r.reads, 1000U);
	KUNIT_EXPECT_EQ(test, r.pages, 1000U);
}

/* A file that turned from random to sequential used to crawl, a page at a time. */
static void sequential_after_random(struct kunit *test)
{
	unsigned int maxes[] = { 32, 128, 1024 }, i;
	struct reader r;

	for (i = 0; i < ARRAY_SIZE(maxes); i++) {
		reader_init(&r, maxes[i]);
		read_runs(&r, 1, 500);
		forget_counts(&r);
		read_runs(&r, 10 * maxes[i], 1);
		KUNIT_EXPECT_LE(test, r.first_full, 4U);
		KUNIT_EXPECT_NE(test, r.first_full, 0U);
	}
}

/* With nothing to go by, and where the user says so, windows double from a small one. */
static void unknown_streams_double(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	read_pages(&r, 0, 1000);
	KUNIT_EXPECT_EQ(test, r.first_full, 4U);	/* 4, 8, 16, 32 */
	KUNIT_EXPECT_EQ(test, r.largest, 32U);

	reader_init(&r, 32);
	r.streams = true;
	read_runs(&r, 16, 10);
	forget_counts(&r);
	read_runs(&r, 16, 1);
	KUNIT_EXPECT_EQ(test, r.reads, 5U);		/* 1, 4, 8, 16 and a second mark */
}

static void held_stream_recovers(struct kunit *test)
{
	struct reader r;
	pgoff_t start;
	unsigned int i;

	reader_init(&r, 32);
	start = next_place(&r);
	read_pages(&r, start, 200);
	/* Now a page is gone that was read already. */
	KUNIT_ASSERT_EQ(test, r.ra.size, 32U);
	ask(&r, start + 200, true);
	KUNIT_EXPECT_EQ(test, r.ra.run_start, RA_HELD_RUN);
	KUNIT_EXPECT_EQ(test, r.ra.size, 16U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 0U);
	r.ra.prev_pos = (loff_t)(start + 210) << PAGE_SHIFT;
	ask(&r, start + 210, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 8U);
	/* And now they stay. */
	for (i = 0; i < 20 && r.ra.run_start == RA_HELD_RUN; i++) {
		start = r.ra.start + r.ra.size;
		r.ra.prev_pos = (loff_t)start << PAGE_SHIFT;
		ask(&r, start, true);
	}
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
	KUNIT_EXPECT_NE(test, r.ra.async_size, 0U);
}

/* What another stream on the same open file leaves in prev_pos is no length of a run. */
static void foreign_position_is_not_learnt(struct kunit *test)
{
	struct reader r;
	unsigned int mean, i;

	reader_init(&r, 32);
	read_runs(&r, 16, 10);
	mean = r.ra.run_mean;
	for (i = 0; i < 10; i++) {
		read_pages(&r, next_place(&r), 16);
		r.ra.prev_pos = (loff_t)(i & 1 ? 12345 : r.place + 12345) << PAGE_SHIFT;
		if (i > 5)
			r.ra.prev_pos = (loff_t)(r.place + 12345) << PAGE_SHIFT;
	}
	KUNIT_EXPECT_EQ(test, r.ra.run_mean, mean);

	/* Two readers of such runs taking turns: every other length is a stray. */
	for (i = 0; i < 10; i++) {
		ask(&r, next_place(&r), true);
		r.ra.prev_pos = (loff_t)(r.place + (i & 1 ? 16 : 1)) << PAGE_SHIFT;
	}
	KUNIT_EXPECT_EQ(test, r.ra.run_mean, mean);
}

/* A run of more pages than its field can count is as long as can be counted. */
static void longest_run_fits(struct kunit *test)
{
	struct reader r;
	unsigned int i;

	reader_init(&r, RA_RUN_MAX);
	for (i = 0; i < 2; i++) {
		r.ra.run_start = 0;
		r.ra.start = 0;
		r.ra.size = RA_RUN_MAX + 2;
		r.ra.prev_pos = (loff_t)r.ra.size << PAGE_SHIFT;
		ask(&r, next_place(&r), true);
		KUNIT_EXPECT_EQ(test, 0U + r.ra.run_last, RA_RUN_MAX);
	}
	KUNIT_EXPECT_EQ(test, r.ra.run_mean, RA_RUN_MAX << RA_RUN_SHIFT);
}

/* No state, however spoilt by racing threads, gives a window that is empty or too long. */
static void any_state_gives_a_sane_window(struct kunit *test)
{
	struct rnd_state rnd;
	struct ra_ask ask;
	struct reader r;
	unsigned int i, size;
	bool read;

	prandom_seed_state(&rnd, 2);
	reader_init(&r, 1);
	for (i = 0; i < 200000; i++) {
		u32 dice = prandom_u32_state(&rnd);

		memset(&ask, 0, sizeof(ask));
		ask.mapping = &r.mapping;
		ask.max = 1 + (prandom_u32_state(&rnd) >> dice % 32) % RA_RUN_MAX;
		ask.pages = 1 + (prandom_u32_state(&rnd) >> dice / 32 % 32) % RA_RUN_MAX;
		ask.streams = dice >> 10 & 1;
		ask.index = dice >> 11 & 1 ? r.ra.start + r.ra.size : prandom_u32_state(&rnd);
		r.ra.prev_pos = dice >> 12 & 1 ? (loff_t)ask.index << PAGE_SHIFT :
						 (loff_t)(prandom_u32_state(&rnd) + (u64)dice);
		if (dice >> 13 & 1)
			r.ra.size = prandom_u32_state(&rnd) % ask.max;
		if (dice >> 14 & 1)
			r.ra.run_start = prandom_u32_state(&rnd) >> dice % 32;
		if (dice >> 15 & 1)
			r.ra.run_start = RA_NO_RUN - (dice >> 16 & 1);
		size = r.ra.size;
		read = true;
		if (dice >> 17 & 1)
			ra_plan_miss(&r.ra, &ask);
		else
			read = ra_plan_mark(&r.ra, &ask, 0);
		if (!read)
			continue;
		KUNIT_ASSERT_GE(test, r.ra.size, 1U);
		KUNIT_ASSERT_LE(test, r.ra.size, max3(size + 0UL, ask.max, 1UL));
		KUNIT_ASSERT_LE(test, r.ra.async_size, r.ra.size);
		KUNIT_ASSERT_LE(test, r.ra.run_mean, RA_RUN_MAX << RA_RUN_SHIFT);
	}
}

static struct kunit_case readahead_cases[] = {
	KUNIT_CASE(mean_reaches_constant),
	KUNIT_CASE(mean_does_not_stop_short),
	KUNIT_CASE(mean_ignores_a_stray),
	KUNIT_CASE(mean_does_not_overflow),
	KUNIT_CASE(constant_runs_are_read_at_once),
	KUNIT_CASE(one_long_run_does_not_lengthen_the_next),
	KUNIT_CASE(random_pages_are_read_singly),
	KUNIT_CASE(sequential_after_random),
	KUNIT_CASE(unknown_streams_double),
	KUNIT_CASE(held_stream_recovers),
	KUNIT_CASE(foreign_position_is_not_learnt),
	KUNIT_CASE(longest_run_fits),
	KUNIT_CASE(any_state_gives_a_sane_window),
	{}
};

static struct kunit_suite readahead_suite = {
	.name = "readahead",
	.test_cases = readahead_cases,
};

kunit_test_suite(readahead_suite);
