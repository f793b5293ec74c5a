// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the readahead policy: the last part of mm/readahead_runs.c.
 *
 * The policy meets a program that reads runs, page by page, in a cache that keeps what was read for
 * the last run and nothing else. What it makes of several streams in one cache is in the replay,
 * tools/testing/dio/ra_replay.c.
 */

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

/* Lengths up to this one are tried one by one. */
#define EACH_LENGTH	4096U
/* No page has this number. */
#define NO_PAGE		(~(pgoff_t)0)
/* A page far from where others are */
#define FAR		1000
/* Runs begin this far apart. */
#define APART		(SZ_8G >> PAGE_SHIFT)

/* A program, its open file, and what was read for it */
struct reader {
	struct address_space mapping;
	struct file_ra_state ra;
	u64 known;			/* of the inode */
	unsigned long max;
	pgoff_t place;
	unsigned int reads, pages;
	unsigned int largest;
	unsigned int first_full;	/* the read that was the first as large as max */
	unsigned int touched;		/* pages of the last run of faults, as marks would tell */
};

static void reader_init(struct reader *r, unsigned long max)
{
	memset(r, 0, sizeof(*r));
	xa_init(&r->mapping.i_pages);
	r->max = max;
	r->ra.prev_pos = -1;
}

static struct ra_view look(const struct reader *r)
{
	struct ra_view view;

	ra_load(&r->ra, &view);
	return view;
}

static void forget_counts(struct reader *r)
{
	r->reads = 0;
	r->pages = 0;
	r->largest = 0;
	r->first_full = 0;
}

/* The program needs @pages pages from @index on now: a miss, or a mark. */
static void ask_for(struct reader *r, pgoff_t index, unsigned long pages, bool missed)
{
	struct ra_view view = look(r);
	enum ra_runs_state before = view.state;
	struct ra_ask ask = {
		.mapping = &r->mapping,
		.known = &r->known,
		.index = index,
		.pages = pages,
		.max = r->max,
	};

	ra_recall(&view, &ask);
	if (missed)
		ra_plan_miss(&view, &ask);
	else if (!ra_plan_mark(&view, &ask, 0))
		return;
	ra_forget_guess(&view, &ask);
	ra_forget_request(&view, before);
	ra_store(&r->ra, &view);
	r->reads++;
	r->pages += r->ra.size;
	r->largest = max(r->largest, r->ra.size);
	if (!r->first_full && r->ra.size >= r->max)
		r->first_full = r->reads;
}

static void ask(struct reader *r, pgoff_t index, bool missed)
{
	ask_for(r, index, 1, missed);
}

/* Nobody has the file open any more; somebody opens it. */
static void reopen(struct reader *r)
{
	struct ra_view view = look(r);
	struct ra_ask ask = {
		.mapping = &r->mapping, .known = &r->known, .max = r->max, .closed = true,
		.touched = r->touched,
	};

	ra_learn_close(&view, &ask);
	memset(&r->ra, 0, sizeof(r->ra));
	r->ra.prev_pos = -1;
}

static pgoff_t next_place(struct reader *r)
{
	r->place += APART;
	return r->place;
}

/* Read @len pages from @start on, one by one. */
static void read_pages(struct reader *r, pgoff_t start, unsigned int len)
{
	pgoff_t index, end = start, mark = NO_PAGE;

	for (index = start; index < start + len; index++) {
		while (index == end || index == mark) {
			ask(r, index, index == end);
			end = r->ra.start + r->ra.size;
			mark = r->ra.async_size ? end - r->ra.async_size : NO_PAGE;
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
	unsigned int runs, agreed = 0;

	for (runs = 1; runs <= 4; runs++) {
		mean = ra_run_mean(mean, last, agreed, len);
		agreed = last == len ? agreed + 1 : 0;
		last = len;
		if (mean == len << RA_RUN_SHIFT)
			break;
	}
	return runs;
}

/* Two lengths: do they agree? */
static void runs_agree_within_an_eighth(struct kunit *test)
{
	static const struct {
		unsigned int a, b;
		bool agree;
	} pairs[] = {
		{ 1, 1, true }, { 1, 2, false }, { 7, 6, false }, { 8, 7, true }, { 16, 14, true },
		{ 16, 13, false }, { 80, 70, true }, { 80, 69, false }, { 800, 700, true },
		{ 800, 699, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		KUNIT_EXPECT_EQ(test, ra_runs_agree(pairs[i].a, pairs[i].b), pairs[i].agree);
		KUNIT_EXPECT_EQ(test, ra_runs_agree(pairs[i].b, pairs[i].a), pairs[i].agree);
	}
}

static void expected_is_the_nearest_page(struct kunit *test)
{
	unsigned int page = 1 << RA_RUN_SHIFT;

	KUNIT_EXPECT_EQ(test, ra_run_expected(0), 0UL);
	KUNIT_EXPECT_EQ(test, ra_run_expected(page / 2 - 1), 0UL);
	KUNIT_EXPECT_EQ(test, ra_run_expected(page / 2), 1UL);
	KUNIT_EXPECT_EQ(test, ra_run_expected(5 * page + page / 2 - 1), 5UL);
	KUNIT_EXPECT_EQ(test, ra_run_expected(5 * page + page / 2), 6UL);
	KUNIT_EXPECT_EQ(test, ra_run_mean(0, 5, 0, 6), 5 * page);
}

static void windows_open_and_double(struct kunit *test)
{
	static const struct {
		unsigned long size, max, opening, doubled;
	} sizes[] = {
		{ 1, 32, 4, 4 }, { 2, 32, 4, 4 }, { 3, 32, 8, 6 }, { 8, 32, 16, 16 },
		{ 9, 32, 32, 18 }, { 16, 32, 32, 32 }, { 17, 32, 32, 32 }, { 40, 32, 32, 32 },
		{ 4, 128, 16, 16 }, { 5, 128, 16, 20 }, { 7, 128, 16, 28 }, { 8, 128, 16, 16 },
		{ 32, 128, 64, 64 }, { 33, 128, 128, 66 }, { 64, 128, 128, 128 },
		{ 65, 128, 128, 128 }, { 1, 1, 1, 1 }, { 1, 2, 2, 2 }, { 1, 16, 2, 2 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_EXPECT_EQ(test, ra_opening(sizes[i].size, sizes[i].max), sizes[i].opening);
		KUNIT_EXPECT_EQ(test, ra_doubled(sizes[i].size, sizes[i].max), sizes[i].doubled);
	}
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
		next = ra_run_mean(mean, 100, 0, 200);
		KUNIT_ASSERT_GT(test, next, mean);
		KUNIT_ASSERT_LE(test, next, 100U << RA_RUN_SHIFT);
		KUNIT_ASSERT_LT(test, steps++, 12U);
	}
	for (steps = 0, mean = 1000 << RA_RUN_SHIFT; mean != 200 << RA_RUN_SHIFT; mean = next) {
		next = ra_run_mean(mean, 200, 0, 100);
		KUNIT_ASSERT_LT(test, next, mean);
		KUNIT_ASSERT_GE(test, next, 200U << RA_RUN_SHIFT);
		KUNIT_ASSERT_LT(test, steps++, 15U);
	}
}

static void mean_ignores_a_stray(struct kunit *test)
{
	unsigned int mean = 16 << RA_RUN_SHIFT;

	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, 16, 3, 1), mean);
	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, 1, 3, 16), mean);
	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, 16, 3, RA_RUN_MAX), mean);
	KUNIT_EXPECT_EQ(test, ra_run_mean(mean, RA_RUN_MAX, 3, 16), mean);
}

/* Two long runs between short ones: what one of them gains the short ones lose. */
static void mean_is_slow_to_leap(struct kunit *test)
{
	unsigned int page = 1 << RA_RUN_SHIFT;

	KUNIT_EXPECT_EQ(test, ra_run_mean(page, 4, 0, 4), 4 * page);
	KUNIT_EXPECT_EQ(test, ra_run_mean(page, 64, 0, 64), 4 * page);
	KUNIT_EXPECT_EQ(test, ra_run_mean(4 * page, 64, 1, 64), 64 * page);
	KUNIT_EXPECT_EQ(test, ra_run_mean(64 * page, 1, 0, 1), page);
}

static void mean_does_not_overflow(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int mean = 0, last = 0, len, i;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 100000; i++) {
		len = 1 + (prandom_u32_state(&rnd) >> prandom_u32_state(&rnd) % 32) % RA_RUN_MAX;
		mean = ra_run_mean(mean, last, len & 1, len);
		last = len;
		KUNIT_ASSERT_LE(test, mean, RA_RUN_MAX << RA_RUN_SHIFT);
		KUNIT_ASSERT_TRUE(test, !i || mean >= 1 << RA_RUN_SHIFT);
	}
}

/* Windows of a run whose length is known: the first is what the program waits for. */
static unsigned int windows_of(unsigned int len, unsigned int max)
{
	unsigned int size = min_t(unsigned int, max, RA_WAIT_PAGES), n = 0;

	for (; len; size = min(2 * size, max), n++)
		len -= min(len, size);
	return n;
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
			KUNIT_ASSERT_EQ(test, r.reads, 10 * windows_of(len, maxes[i]));
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
	ra_runs_advise(&r.ra, true);
	read_runs(&r, 16, 10);
	forget_counts(&r);
	read_runs(&r, 16, 1);
	KUNIT_EXPECT_EQ(test, r.reads, 5U);		/* 1, 4, 8, 16 and a second mark */
}

/* A page was in the cache, and had to go. */
static void put_shadow(struct kunit *test, struct address_space *mapping, pgoff_t index)
{
	KUNIT_ASSERT_PTR_EQ(test, xa_store(&mapping->i_pages, index, xa_mk_value(0), GFP_KERNEL),
			    (void *)NULL);
}

/* A stream of 200 pages. Then one is gone that was read. */
static void lose_a_page(struct kunit *test, struct reader *r)
{
	reader_init(r, 32);
	read_pages(r, next_place(r), 200);
	KUNIT_ASSERT_EQ(test, r->ra.size, 32U);
	put_shadow(test, &r->mapping, r->place + 200);
	ask(r, r->place + 200, true);
	KUNIT_ASSERT_EQ(test, look(r).state, RA_HELD);
}

static void held_stream_recovers(struct kunit *test)
{
	struct reader r;
	pgoff_t start;
	unsigned int i;

	lose_a_page(test, &r);
	start = r.place;
	KUNIT_EXPECT_EQ(test, r.ra.size, 16U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 15U);
	r.ra.prev_pos = (loff_t)(start + 210) << PAGE_SHIFT;
	put_shadow(test, &r.mapping, start + 210);
	ask(&r, start + 210, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 8U);
	/* And now they stay: a window is read when the one before begins to be used. */
	for (i = 0; i < 50 && look(&r).state == RA_HELD; i++) {
		start = r.ra.start + r.ra.size;
		ask(&r, start - r.ra.async_size, false);
		KUNIT_EXPECT_EQ(test, r.ra.start, start);
		KUNIT_EXPECT_EQ(test, r.ra.async_size, r.ra.size);
	}
	KUNIT_EXPECT_EQ(test, i, 17U);		/* 8 again, 9, 10, 11, ... 28, 30, 32 */
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
	/* Or all of one is used before the next was read. */
	put_shadow(test, &r.mapping, start + 20);
	r.ra.prev_pos = (loff_t)(start + 20) << PAGE_SHIFT;
	ask(&r, start + 20, true);
	KUNIT_ASSERT_EQ(test, r.ra.size, 16U);
	start = r.ra.start + r.ra.size;
	r.ra.prev_pos = (loff_t)start << PAGE_SHIFT;
	ask(&r, start, true);
	KUNIT_EXPECT_EQ(test, look(&r).state, RA_HELD);
	KUNIT_EXPECT_EQ(test, r.ra.start, start);
	KUNIT_EXPECT_EQ(test, r.ra.size, 18U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 17U);
	xa_destroy(&r.mapping.i_pages);
}

/* 7.3 ends windows where large folios end. What it cuts off is not lost for the next one. */
static void held_windows_may_be_cut(struct kunit *test)
{
	struct reader r;
	unsigned int i;

	lose_a_page(test, &r);
	for (i = 0; i < 50 && look(&r).state == RA_HELD; i++) {
		ask(&r, r.ra.start + r.ra.size - r.ra.async_size, false);
		r.ra.size = min(r.ra.size, 16U);
		r.ra.async_size = r.ra.size;
	}
	KUNIT_EXPECT_EQ(test, i, 9U);
	KUNIT_EXPECT_EQ(test, look(&r).state, RA_UNKNOWN);
	xa_destroy(&r.mapping.i_pages);
}

/* Where pages go as soon as they are read, what is read in vain is little. */
static void held_windows_stay_small(struct kunit *test)
{
	struct reader r;
	unsigned int i;
	pgoff_t start;

	reader_init(&r, 1024);
	start = next_place(&r);
	read_pages(&r, start, 3000);
	for (i = 0; i < 20; i++, start += 2) {
		put_shadow(test, &r.mapping, start + 3000);
		r.ra.prev_pos = (loff_t)(start + 3000) << PAGE_SHIFT;
		ask(&r, start + 3000, true);
		ask(&r, r.ra.start + r.ra.size - r.ra.async_size, false);
		KUNIT_EXPECT_EQ(test, look(&r).state, RA_HELD);
	}
	KUNIT_EXPECT_LE(test, r.ra.size, 2U);
	xa_destroy(&r.mapping.i_pages);
}

/* What another stream on the same open file leaves in prev_pos is no length of a run. */
static void foreign_position_is_not_learnt(struct kunit *test)
{
	struct reader r;
	unsigned int mean, i;

	reader_init(&r, 32);
	read_runs(&r, 16, 10);
	mean = look(&r).mean;
	for (i = 0; i < 10; i++) {
		read_pages(&r, next_place(&r), 16);
		r.ra.prev_pos = (loff_t)(i & 1 ? 12345 : r.place + 12345) << PAGE_SHIFT;
		if (i > 5)
			r.ra.prev_pos = (loff_t)(r.place + 12345) << PAGE_SHIFT;
	}
	KUNIT_EXPECT_EQ(test, look(&r).mean, mean);

	/* Two readers of such runs taking turns: every other length is a stray. */
	for (i = 0; i < 10; i++) {
		ask(&r, next_place(&r), true);
		r.ra.prev_pos = (loff_t)(r.place + (i & 1 ? 16 : 1)) << PAGE_SHIFT;
	}
	KUNIT_EXPECT_EQ(test, look(&r).mean, mean);
}

/* A run of more pages than its field can count is as long as can be counted. */
static void longest_run_fits(struct kunit *test)
{
	struct reader r;

	reader_init(&r, RA_RUN_MAX / 2);
	read_runs(&r, 4 * RA_RUN_MAX, 3);
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, look(&r).last, RA_RUN_MAX);
	KUNIT_EXPECT_EQ(test, look(&r).mean, RA_RUN_MAX << RA_RUN_SHIFT);
}

/* All of the state survives the packing, at its largest, too. */
static void state_is_packed(struct kunit *test)
{
	struct ra_view view = {
		.start = 50 * FAR, .size = 32, .async_size = 31, .prev_pos = 77, .state = RA_RUN,
		.run_start = 50 * FAR - RA_BEFORE_MAX, .mean = RA_RUN_MAX << RA_RUN_SHIFT,
		.last = RA_RUN_MAX, .agreed = RA_AGREED_MAX, .first = RA_FIRST_MAX,
		.longer = RA_LONGER_MAX,
	}, back;
	struct file_ra_state ra = { .prev_pos = 77 };

	ra_store(&ra, &view);
	ra_load(&ra, &back);
	KUNIT_EXPECT_EQ(test, back.start, view.start);
	KUNIT_EXPECT_EQ(test, back.size, view.size);
	KUNIT_EXPECT_EQ(test, back.async_size, view.async_size);
	KUNIT_EXPECT_EQ(test, back.prev_pos, view.prev_pos);
	KUNIT_EXPECT_EQ(test, back.state, view.state);
	KUNIT_EXPECT_EQ(test, back.advised, false);
	KUNIT_EXPECT_EQ(test, back.run_start, view.run_start);
	KUNIT_EXPECT_EQ(test, back.mean, view.mean);
	KUNIT_EXPECT_EQ(test, back.last, view.last);
	KUNIT_EXPECT_EQ(test, back.agreed, view.agreed);
	KUNIT_EXPECT_EQ(test, back.first, view.first);
	KUNIT_EXPECT_EQ(test, back.longer, view.longer);

	ra_runs_advise(&ra, true);
	ra_load(&ra, &back);
	KUNIT_EXPECT_EQ(test, back.advised, true);
	KUNIT_EXPECT_EQ(test, back.mean, view.mean);
	ra_store(&ra, &back);
	ra_runs_advise(&ra, false);
	ra_load(&ra, &back);
	KUNIT_EXPECT_EQ(test, back.advised, false);
	KUNIT_EXPECT_EQ(test, back.run_start, view.run_start);
}

/* A fault moves the window, and says nothing of it: what it left is no part of the run. */
static void foreign_window_is_noticed(struct kunit *test)
{
	unsigned int known = 0, fault;
	struct reader r;

	reader_init(&r, 32);
	read_runs(&r, 1, 10);
	KUNIT_EXPECT_EQ(test, look(&r).state, RA_RUN);
	for (fault = 0; fault < 1024; fault++) {
		ask(&r, next_place(&r), true);
		r.ra.prev_pos = (loff_t)(r.place + 1) << PAGE_SHIFT;
		r.ra.start = r.place + 16 + 16 * fault;
		r.ra.size = 32;
		known += look(&r).state == RA_RUN;
		/* Then something is read there. */
		r.ra.prev_pos = (loff_t)(r.ra.start + 8) << PAGE_SHIFT;
	}
	KUNIT_EXPECT_LE(test, known, 8U);
}

/* Whole records, each with one request: there is nothing to expect beyond the next request. */
static void single_requests_are_pages(struct kunit *test)
{
	unsigned int sizes[] = { 1, 20, 3, 20, 1, 16, 16, 1 }, i;
	struct reader r;

	reader_init(&r, 32);
	for (i = 0; i < 40; i++) {
		unsigned int pages = sizes[i % ARRAY_SIZE(sizes)];

		ask_for(&r, next_place(&r), pages, true);
		KUNIT_EXPECT_EQ(test, r.ra.size, pages);
		r.ra.prev_pos = (loff_t)(r.place + pages) << PAGE_SHIFT;
	}

	/* Two requests are more than one. */
	for (i = 0; i < 3; i++) {
		ask_for(&r, next_place(&r), 8, true);
		ask_for(&r, r.place + 8, 8, true);
		r.ra.prev_pos = (loff_t)(r.place + 16) << PAGE_SHIFT;
	}
	ask_for(&r, next_place(&r), 8, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 16U);
}

struct window {
	pgoff_t run_start;		/* or NO_RUN, or HELD_RUN */
	pgoff_t start;
	unsigned int size, async_size;
};

#define NO_RUN	NO_PAGE
#define HELD_RUN	(NO_PAGE - 1)

/* One question to the policy: the state before, what is asked, the window that comes of it */
struct plan {
	const char *name;
	struct window before, then;	/* then.size 0: nothing is read, and the state stays */
	unsigned int expect, agreed;
	pgoff_t prev;			/* the page that the program is at, or was */
	/* the question; the cache has @cached pages from @cache on */
	bool mark, streams, gone;
	unsigned int order;
	pgoff_t index, cache;
	unsigned long pages, cached;
};

#define PLAN_MAX	32

static const struct plan plans[] = {
	/* The start of a file */
	{ "start, one page", { NO_RUN, 0, 0, 0 }, .prev = NO_RUN, .pages = 1,
	  .then = { 0, 0, 4, 3 } },
	{ "start, four pages", { NO_RUN, 0, 0, 0 }, .prev = NO_RUN, .pages = 4,
	  .then = { 0, 0, 8, 4 } },
	{ "start, more than a window", { NO_RUN, 0, 0, 0 }, .prev = NO_RUN, .pages = 40,
	  .then = { 0, 0, 32, 16 } },
	{ "start, a window", { NO_RUN, 0, 0, 0 }, .prev = NO_RUN, .pages = 32,
	  .then = { 0, 0, 32, 16 } },
	{ "start, runs are known", { NO_RUN, 64, 16, 0 }, .expect = 20, .prev = FAR,
	  .pages = 1, .then = { 0, 0, 20, 19 } },
	{ "start, runs are long", { NO_RUN, 64, 16, 0 }, .expect = 100, .prev = FAR,
	  .pages = 1, .then = { 0, 0, 32, 31 } },
	{ "start, runs are short", { NO_RUN, 64, 16, 0 }, .expect = 2, .prev = FAR,
	  .pages = 1, .then = { 0, 0, 4, 3 } },

	/* The end of the last window: the rest of what is expected */
	{ "rest of a run", { 64, 64, 16, 0 }, .expect = 40, .prev = 80, .index = 80, .pages = 1,
	  .then = { 64, 80, 24, 0 } },
	{ "rest in two windows", { 64, 64, 16, 0 }, .expect = 80, .prev = 80, .index = 80,
	  .pages = 1, .then = { 64, 80, 32, 32 } },
	{ "rest of two windows", { 64, 64, 16, 0 }, .expect = 48, .prev = 80, .index = 80,
	  .pages = 1, .then = { 64, 80, 32, 0 } },
	{ "more wanted than the rest", { 64, 64, 16, 0 }, .expect = 20, .prev = 80, .index = 80,
	  .pages = 30, .then = { 64, 80, 30, 0 } },
	{ "more wanted than a window", { 64, 64, 16, 0 }, .expect = 20, .prev = 80, .index = 80,
	  .pages = 50, .then = { 64, 80, 32, 0 } },
	{ "a mark before the end", { 64, 64, 16, 8 }, .expect = 40, .prev = 72, .index = 72,
	  .pages = 1, .mark = true, .then = { 64, 80, 24, 0 } },
	{ "a mark, wanted to its end", { 64, 64, 16, 8 }, .expect = 17, .prev = 72, .index = 72,
	  .pages = 12, .mark = true, .then = { 64, 80, 4, 0 } },

	/* A run outlives the expectation */
	{ "as much again", { 64, 64, 8, 0 }, .expect = 8, .prev = 72, .index = 72, .pages = 1,
	  .then = { 64, 72, 8, 0 } },
	{ "as much as an opening", { 64, 64, 2, 0 }, .expect = 2, .prev = 66, .index = 66,
	  .pages = 1, .then = { 64, 66, 4, 0 } },
	{ "no less than before", { 64, 64, 15, 0 }, .expect = 8, .prev = 79, .index = 79,
	  .pages = 1, .then = { 64, 79, 15, 0 } },
	{ "a mark from twice as much on", { 64, 64, 16, 0 }, .expect = 8, .prev = 80, .index = 80,
	  .pages = 1, .then = { 64, 80, 16, 16 } },
	{ "a habit broken", { 64, 64, 15, 0 }, .expect = 8, .agreed = 5, .prev = 79, .index = 79,
	  .pages = 1, .then = { 64, 79, 20, 0 } },
	{ "a long habit, four times", { 64, 64, 4, 0 }, .expect = 4, .agreed = 50, .prev = 68,
	  .index = 68, .pages = 1, .then = { 64, 68, 16, 0 } },
	{ "doubled behind four times", { 64, 72, 8, 0 }, .expect = 4, .prev = 80, .index = 80,
	  .pages = 1, .then = { 64, 80, 16, 16 } },
	{ "as much again before that", { 64, 71, 8, 0 }, .expect = 4, .prev = 79, .index = 79,
	  .pages = 1, .then = { 64, 79, 8, 8 } },
	{ "doubled behind eight pages", { 64, 68, 4, 0 }, .expect = 1, .prev = 72, .index = 72,
	  .pages = 1, .then = { 64, 72, 8, 8 } },
	{ "as much again before eight", { 64, 67, 4, 0 }, .expect = 1, .prev = 71, .index = 71,
	  .pages = 1, .then = { 64, 71, 4, 4 } },
	{ "a stream behind eight times", { 64, 72, 8, 0 }, .expect = 2, .agreed = 100,
	  .prev = 80, .index = 80, .pages = 1, .then = { 64, 80, 32, 32 } },
	{ "none before that", { 64, 72, 7, 0 }, .expect = 2, .agreed = 7, .prev = 79, .index = 79,
	  .pages = 1, .then = { 64, 79, 28, 28 } },
	{ "a habit too long to be counted", { 64, 72, 5, 0 }, .expect = 2, .agreed = RA_AGREED_MAX,
	  .prev = 77, .index = 77, .pages = 1, .then = { 64, 77, 20, 20 } },
	{ "a full window is a stream", { 64, 64, 32, 0 }, .expect = 32, .prev = 96, .index = 96,
	  .pages = 1, .then = { 64, 96, 32, 32 } },

	/* Streams */
	{ "a mark", { NO_RUN, 64, 8, 8 }, .prev = 64, .index = 64, .pages = 1, .mark = true,
	  .then = { NO_RUN, 72, 16, 16 } },
	{ "a mark of a small window", { NO_RUN, 64, 1, 1 }, .prev = 64, .index = 64,
	  .pages = 1, .mark = true, .then = { NO_RUN, 65, 4, 4 } },
	{ "a mark of a grown window", { NO_RUN, 64, 48, 48 }, .prev = 64, .index = 64,
	  .pages = 1, .mark = true, .then = { NO_RUN, 112, 48, 48 } },
	{ "a mark at the end", { NO_RUN, 64, 8, 4 }, .prev = 72, .index = 72, .pages = 1,
	  .mark = true, .then = { NO_RUN, 72, 16, 16 } },
	{ "runs are known, this is none", { NO_RUN, 64, 8, 8 }, .expect = 20, .prev = 64,
	  .index = 64, .pages = 1, .mark = true, .then = { NO_RUN, 72, 16, 16 } },
	{ "the user knows better", { 64, 64, 8, 8 }, .expect = 100, .prev = 64, .index = 64,
	  .pages = 1, .mark = true, .streams = true, .then = { 64, 72, 16, 16 } },
	{ "the end, and its mark was met", { NO_RUN, 64, 4, 4 }, .prev = 68, .index = 68,
	  .pages = 1, .then = { NO_RUN, 68, 24, 16 } },
	{ "the end of a large window", { NO_RUN, 64, 16, 16 }, .prev = 80, .index = 80,
	  .pages = 1, .then = { NO_RUN, 80, 32, 16 } },
	{ "the end, without a mark", { NO_RUN, 64, 8, 0 }, .prev = 72, .index = 72, .pages = 1,
	  .then = { NO_RUN, 72, 4, 3 } },

	/* Held streams: a page is gone, and has left a shadow. */
	{ "a page is gone", { NO_RUN, 64, 16, 16 }, .prev = 70, .index = 70, .pages = 1,
	  .gone = true, .then = { HELD_RUN, 70, 8, 7 } },
	{ "the first that is gone", { NO_RUN, 64, 16, 16 }, .prev = 48, .index = 48,
	  .pages = 1, .gone = true, .then = { HELD_RUN, 48, 8, 7 } },
	{ "one before that is not", { NO_RUN, 64, 16, 16 }, .prev = 47, .index = 47,
	  .pages = 1, .gone = true, .then = { NO_RUN, 47, 4, 3 } },
	{ "never there: requests came in another order", { NO_RUN, 64, 16, 16 }, .prev = 56,
	  .index = 56, .pages = 1, .then = { NO_RUN, 56, 4, 3 } },
	{ "gone, and many wanted", { NO_RUN, 64, 16, 16 }, .prev = 70, .index = 70,
	  .pages = 12, .gone = true, .then = { HELD_RUN, 70, 12, 6 } },
	{ "the next page is gone", { NO_RUN, 64, 16, 16 }, .prev = 69, .index = 70,
	  .pages = 1, .gone = true, .then = { HELD_RUN, 70, 8, 7 } },
	{ "held less", { HELD_RUN, 64, 8, 0 }, .prev = 72, .index = 72, .pages = 1,
	  .then = { HELD_RUN, 72, 9, 8 } },
	{ "held to little", { HELD_RUN, 64, 3, 3 }, .prev = 64, .index = 64, .pages = 1,
	  .mark = true, .then = { HELD_RUN, 67, 6, 6 } },
	{ "held to little, almost no more", { HELD_RUN, 64, 7, 0 }, .prev = 71, .index = 71,
	  .pages = 1, .then = { HELD_RUN, 71, 8, 7 } },
	{ "held less, from a mark on", { HELD_RUN, 64, 16, 16 }, .prev = 64, .index = 64,
	  .pages = 1, .mark = true, .then = { HELD_RUN, 80, 18, 18 } },
	{ "no less, from the mark of a miss on", { HELD_RUN, 64, 16, 15 }, .prev = 65,
	  .index = 65, .pages = 1, .mark = true, .then = { HELD_RUN, 80, 16, 16 } },
	{ "held, and many wanted", { HELD_RUN, 64, 8, 0 }, .prev = 72, .index = 72,
	  .pages = 20, .then = { HELD_RUN, 72, 20, 10 } },
	{ "held almost to the last", { HELD_RUN, 64, 29, 0 }, .prev = 93, .index = 93,
	  .pages = 1, .then = { HELD_RUN, 93, 31, 30 } },
	{ "held no more", { HELD_RUN, 64, 30, 0 }, .prev = 94, .index = 94, .pages = 1,
	  .then = { NO_RUN, 94, 32, 31 } },
	{ "held no more, from a mark on", { HELD_RUN, 64, 30, 30 }, .prev = 64, .index = 64,
	  .pages = 1, .mark = true, .then = { NO_RUN, 94, 32, 32 } },
	{ "held, elsewhere in the stream", { HELD_RUN, 64, 16, 0 }, .prev = 200, .index = 200,
	  .pages = 1, .then = { HELD_RUN, 200, 18, 17 } },
	{ "held: marks of others do not count", { HELD_RUN, 64, 8, 0 }, .prev = 500,
	  .index = 500, .pages = 1, .cache = 500, .cached = 8, .mark = true },

	/* More is wanted than a window holds */
	{ "large, elsewhere", { NO_RUN, 64, 16, 16 }, .prev = 70, .index = FAR, .pages = 40,
	  .then = { FAR, FAR, 32, 16 } },
	{ "large, the next", { NO_RUN, 64, 16, 16 }, .prev = FAR - 1, .index = FAR,
	  .pages = 40, .then = { NO_RUN, FAR, 32, 16 } },
	{ "large, not the next", { NO_RUN, 64, 16, 16 }, .prev = FAR - 2, .index = FAR,
	  .pages = 33, .then = { FAR, FAR, 32, 16 } },
	{ "as large as a window", { NO_RUN, 64, 16, 16 }, .prev = 70, .index = FAR,
	  .pages = 32, .then = { FAR, FAR, 32, 0 } },

	/* Page by page, but not through the last window */
	{ "through pages of others", { NO_RUN, 64, 4, 4 }, .prev = FAR, .index = FAR,
	  .pages = 1, .then = { NO_RUN, FAR, 4, 3 } },
	{ "which count", { 64, 64, 4, 4 }, .expect = 8, .prev = FAR, .index = FAR, .pages = 1,
	  .cache = FAR - 5, .cached = 5, .then = { NO_RUN, FAR, 3, 0 } },
	{ "as far as a window", { 64, 64, 4, 4 }, .expect = 4, .prev = FAR, .index = FAR,
	  .pages = 1, .cache = FAR - 40, .cached = 40, .then = { NO_RUN, FAR, 32, 1 } },
	{ "and to more than is expected", { 64, 64, 4, 4 }, .expect = 8, .prev = FAR,
	  .index = FAR, .pages = 12, .cache = FAR - 5, .cached = 5,
	  .then = { NO_RUN, FAR, 12, 0 } },

	/* A new place */
	{ "a page", { NO_RUN, 64, 16, 16 }, .prev = 70, .index = FAR, .pages = 1,
	  .then = { FAR, FAR, 1, 0 } },
	{ "three pages", { NO_RUN, 64, 16, 16 }, .prev = 70, .index = FAR, .pages = 3,
	  .then = { FAR, FAR, 3, 0 } },
	{ "a run", { NO_RUN, 64, 16, 16 }, .expect = 20, .prev = FAR - 2, .index = FAR,
	  .pages = 1, .then = { FAR, FAR, 20, 0 } },
	{ "a run of a window", { NO_RUN, 64, 16, 16 }, .expect = 32, .prev = 5, .index = FAR,
	  .pages = 1, .then = { FAR, FAR, 32, 0 } },
	{ "a run of two windows", { NO_RUN, 64, 16, 16 }, .expect = 50, .prev = 5,
	  .index = FAR, .pages = 1, .then = { FAR, FAR, 32, 32 } },
	{ "the track of a stream", { NO_RUN, 64, 16, 16 }, .prev = 5, .index = FAR, .pages = 1,
	  .cache = FAR - 5, .cached = 5, .then = { NO_RUN, FAR, 6, 1 } },
	{ "the track of a run", { NO_RUN, 64, 16, 16 }, .expect = 6, .prev = 5, .index = FAR,
	  .pages = 1, .cache = FAR - 5, .cached = 5, .then = { FAR, FAR, 6, 0 } },
	{ "the track of a whole run", { NO_RUN, 64, 16, 16 }, .expect = 5, .prev = 5, .index = FAR,
	  .pages = 1, .cache = FAR - 5, .cached = 5, .then = { NO_RUN, FAR, 6, 1 } },
	{ "a page before", { NO_RUN, 64, 16, 16 }, .prev = 5, .index = FAR, .pages = 1,
	  .cache = FAR - 1, .cached = 1, .then = { FAR, FAR, 1, 0 } },
	{ "a track with a gap", { NO_RUN, 64, 16, 16 }, .prev = 5, .index = FAR, .pages = 1,
	  .cache = FAR - 9, .cached = 8, .then = { FAR, FAR, 1, 0 } },
	{ "a long track", { NO_RUN, 64, 16, 16 }, .prev = 5, .index = FAR, .pages = 1,
	  .cache = FAR - 60, .cached = 60, .then = { NO_RUN, FAR, 32, 1 } },
	{ "a turn of a stream", { NO_RUN, 64, 16, 16 }, .expect = 32, .prev = 5, .index = FAR,
	  .pages = 1, .cache = FAR - 40, .cached = 40, .then = { NO_RUN, FAR, 32, 1 } },
	{ "from the start of the file", { NO_RUN, 64, 16, 16 }, .prev = FAR, .index = 5,
	  .pages = 1, .cached = 5, .then = { NO_RUN, 5, 11, 1 } },
	{ "almost from there", { NO_RUN, 64, 16, 16 }, .prev = FAR, .index = 6, .pages = 1,
	  .cache = 1, .cached = 5, .then = { NO_RUN, 6, 6, 1 } },

	/* Marks of other streams, and of large folios */
	{ "the mark of another", { 64, 64, 16, 16 }, .prev = 500, .index = 500, .pages = 1,
	  .cache = 500, .cached = 8, .mark = true, .then = { NO_RUN, 508, 12, 12 } },
	{ "read on just far enough", { 64, 64, 16, 16 }, .prev = 500, .index = 500, .pages = 1,
	  .cache = 500, .cached = 32, .mark = true, .then = { NO_RUN, 532, 28, 28 } },
	{ "read on far enough", { 64, 64, 16, 16 }, .prev = 500, .index = 500, .pages = 1,
	  .cache = 500, .cached = 33, .mark = true },
	{ "no window of its own", { NO_RUN, 0, 0, 0 }, .prev = 0, .index = 0, .pages = 1,
	  .cached = 4, .mark = true, .then = { NO_RUN, 4, 8, 8 } },
	{ "a folio with the mark", { NO_RUN, 96, 16, 5 }, .prev = 104, .index = 104,
	  .pages = 1, .order = 3, .mark = true, .then = { NO_RUN, 112, 32, 32 } },
	{ "a folio without it", { NO_RUN, 96, 16, 5 }, .prev = 100, .index = 100,
	  .pages = 1, .order = 2, .mark = true, .cache = 100, .cached = 40 },
};

static void put_in_cache(struct kunit *test, struct address_space *mapping, pgoff_t index,
			 unsigned long pages)
{
	while (pages--)
		KUNIT_ASSERT_PTR_EQ(test, xa_store(&mapping->i_pages, index++, mapping, GFP_KERNEL),
				    (void *)NULL);
}

static pgoff_t run_of(const struct ra_view *view)
{
	if (view->state == RA_RUN)
		return view->run_start;
	return view->state == RA_HELD ? HELD_RUN : NO_RUN;
}

static void try_plan(struct kunit *test, const struct plan *p)
{
	const struct window *then = p->then.size ? &p->then : &p->before;
	struct ra_view ra = {
		.run_start = p->before.run_start, .start = p->before.start,
		.size = p->before.size, .async_size = p->before.async_size,
		.mean = p->expect << RA_RUN_SHIFT, .agreed = p->agreed,
		.advised = p->streams, .prev_pos = (u64)p->prev << PAGE_SHIFT,
		.held = p->before.size,
	};
	struct address_space mapping;
	struct ra_ask ask = {
		.mapping = &mapping, .index = p->index, .pages = p->pages, .max = PLAN_MAX,
	};
	bool read = true;

	if (p->before.run_start == HELD_RUN)
		ra.state = RA_HELD;
	else if (p->before.run_start != NO_RUN)
		ra.state = RA_RUN;
	memset(&mapping, 0, sizeof(mapping));
	xa_init(&mapping.i_pages);
	put_in_cache(test, &mapping, p->cache, p->cached);
	if (p->gone)
		put_shadow(test, &mapping, p->index);
	if (p->mark)
		read = ra_plan_mark(&ra, &ask, p->order);
	else
		ra_plan_miss(&ra, &ask);
	xa_destroy(&mapping.i_pages);

	KUNIT_EXPECT_EQ_MSG(test, read, p->then.size > 0, "%s", p->name);
	KUNIT_EXPECT_EQ_MSG(test, run_of(&ra), then->run_start, "%s", p->name);
	KUNIT_EXPECT_EQ_MSG(test, ra.start, then->start, "%s", p->name);
	KUNIT_EXPECT_EQ_MSG(test, ra.size, then->size, "%s", p->name);
	KUNIT_EXPECT_EQ_MSG(test, ra.async_size, then->async_size, "%s", p->name);
}

static void each_situation_has_its_window(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plans); i++)
		try_plan(test, &plans[i]);
}

/* What is learnt from a run of @len pages that ended, the last before it having had @last */
static void learn(struct ra_view *ra, struct ra_ask *ask, unsigned int last, unsigned int len)
{
	*ra = (struct ra_view){
		.state = RA_RUN, .run_start = 100, .start = 100 + len, .size = 8, .last = last,
		.prev_pos = (loff_t)(100 + len) << PAGE_SHIFT, .agreed = 7,
	};
	*ask = (struct ra_ask){ .index = 2 * FAR, .pages = 1, .max = PLAN_MAX };
	ra_run_learn(ra, ask);
}

static void runs_are_learnt(struct kunit *test)
{
	struct ra_view ra;
	struct ra_ask ask;

	learn(&ra, &ask, 20, 20);
	KUNIT_EXPECT_EQ(test, ask.ended, 20UL);
	KUNIT_EXPECT_EQ(test, ask.spent, 28UL);
	KUNIT_EXPECT_EQ(test, ask.expect, 20UL);
	KUNIT_EXPECT_EQ(test, ra.last, 20U);
	KUNIT_EXPECT_EQ(test, ra.agreed, 8U);

	/* Almost as long is no habit. */
	learn(&ra, &ask, 20, 21);
	KUNIT_EXPECT_EQ(test, ask.expect, 20UL);
	KUNIT_EXPECT_EQ(test, ra.agreed, 0U);

	/* A run longer than four windows is a stream: how long does not matter. */
	learn(&ra, &ask, 20, 500);
	KUNIT_EXPECT_EQ(test, ask.ended, 500UL);
	KUNIT_EXPECT_EQ(test, ra.last, 4U * PLAN_MAX);

	/* A byte of a page is all of it. */
	learn(&ra, &ask, 20, 20);
	ra.prev_pos -= PAGE_SIZE - 1;
	ra.run_start = 100;
	ra_run_learn(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ask.ended, 20UL);

	/* Nothing was read, or it was not read for this run. */
	learn(&ra, &ask, 20, 0);
	KUNIT_EXPECT_EQ(test, ask.ended, 0UL);
	learn(&ra, &ask, 20, 20);
	ask.ended = 0;
	ra.prev_pos = (loff_t)(100 + 28) << PAGE_SHIFT;
	ra_run_learn(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ask.ended, 28UL);
	ask.ended = 0;
	ra.prev_pos++;
	ra_run_learn(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ask.ended, 0UL);
}

/* ext4_readdir() leaves the start of the last page in prev_pos: a run of 16 pages is no 15. */
static void last_page_of_a_directory_counts(struct kunit *test)
{
	struct ra_view ra;
	struct ra_ask ask;

	learn(&ra, &ask, 20, 20);
	ra.prev_pos -= PAGE_SIZE;
	ask.directory = true;
	ra_run_learn(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ask.ended, 20UL);
}

/* Runs of 64, 64, 1, 1: those that outlive the expectation are streams, and read as such. */
static void bimodal_runs_are_streams(struct kunit *test)
{
	struct reader r;
	unsigned int i;

	reader_init(&r, 32);
	for (i = 0; i < 10; i++) {
		read_runs(&r, 64, 2);
		read_runs(&r, 1, 2);
	}
	KUNIT_EXPECT_EQ(test, look(&r).longer, RA_LONGER_MAX);
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 1U);
	r.ra.prev_pos = (loff_t)(r.place + 1) << PAGE_SHIFT;
	ask(&r, r.place + 1, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 4U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 3U);

	/* Runs that are a little longer say that they are not. */
	read_runs(&r, 1, 4);
	read_runs(&r, 6, 1);
	read_runs(&r, 1, 2);
	KUNIT_EXPECT_EQ(test, look(&r).longer, 0U);
}

/* In a file of 1000 pages of which @cached are there: the window where a run of 4 is expected */
static unsigned int window_in_file(unsigned long cached, pgoff_t from, unsigned long max)
{
	struct ra_view ra = {
		.mean = 4 << RA_RUN_SHIFT, .prev_pos = (u64)from << PAGE_SHIFT,
	};
	struct address_space mapping = { .nrpages = cached };
	struct ra_ask ask = {
		.mapping = &mapping, .index = 500, .pages = 1, .max = max, .file = 1000,
	};

	xa_init(&mapping.i_pages);
	ra_plan_miss(&ra, &ask);
	return ask.first + ra.size;
}

/* The more of a file is in the cache, the more of what is read beyond a run is used later. */
static void warm_files_are_read_further(struct kunit *test)
{
	struct ra_view ra = { .mean = 4 << RA_RUN_SHIFT };
	struct address_space mapping = { .nrpages = 500 };
	struct ra_ask ask = {
		.mapping = &mapping, .index = 500, .pages = 1, .max = 32, .file = 1000,
	};

	KUNIT_EXPECT_EQ(test, window_in_file(0, 900, 32), 4U);
	KUNIT_EXPECT_EQ(test, window_in_file(124, 900, 32), 4U);
	KUNIT_EXPECT_EQ(test, window_in_file(125, 900, 32), 8U);
	KUNIT_EXPECT_EQ(test, window_in_file(300, 900, 32), 17U);
	KUNIT_EXPECT_EQ(test, window_in_file(500, 900, 32), 32U);
	KUNIT_EXPECT_EQ(test, window_in_file(5000, 900, 32), 32U);
	KUNIT_EXPECT_EQ(test, window_in_file(500, 900, 128), 99U);
	/* A scan does not come back. */
	KUNIT_EXPECT_EQ(test, window_in_file(500, 468, 32), 4U);
	KUNIT_EXPECT_EQ(test, window_in_file(500, 467, 32), 32U);

	/* Nobody waits for what is beyond the run, and it is the run's all the same. */
	xa_init(&mapping.i_pages);
	ra_plan_miss(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ask.first, 4UL);
	KUNIT_EXPECT_EQ(test, ra.run_start, (pgoff_t)500);
	KUNIT_EXPECT_EQ(test, ra.start, (pgoff_t)504);
	KUNIT_EXPECT_EQ(test, ra.size, 28U);
	KUNIT_EXPECT_EQ(test, ra.async_size, 0U);
}

/* There is nothing beyond the end of a file, and somebody who gets there is at the window's end. */
static void nothing_is_read_behind_the_end(struct kunit *test)
{
	const struct {
		pgoff_t index, first, start;
		unsigned int size;
	} cases[] = {
		{ 960, 4, 964, 28 }, { 990, 4, 994, 6 }, { 995, 4, 999, 1 }, { 996, 0, 996, 4 },
		{ 998, 0, 998, 4 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ra_view ra = { .mean = 4 << RA_RUN_SHIFT };
		struct address_space mapping = { .nrpages = 600 };
		struct ra_ask ask = {
			.mapping = &mapping, .index = cases[i].index, .pages = 1, .max = 32,
			.file = 1000,
		};

		xa_init(&mapping.i_pages);
		ra_plan_miss(&ra, &ask);
		KUNIT_EXPECT_EQ(test, ask.first, cases[i].first);
		KUNIT_EXPECT_EQ(test, ra.start, cases[i].start);
		KUNIT_EXPECT_EQ(test, ra.size, cases[i].size);
	}
}

/* Another reader of the open file may be about to read the window: one of no page would be all. */
static void a_window_keeps_a_page(struct kunit *test)
{
	const struct {
		const char *name;
		pgoff_t run_start, start;
		unsigned int size;
		pgoff_t pages;
		bool waits, some;
		struct { pgoff_t start; unsigned int size, async_size; } then;
	} cases[] = {
		{ "within", 0, 10, 8, 18, false, true, { 10, 8, 4 } },
		{ "cut", 0, 10, 8, 17, false, true, { 10, 7, 0 } },
		{ "one is left", 0, 10, 8, 11, false, true, { 10, 1, 0 } },
		{ "none is left", 0, 10, 8, 10, false, false, { 9, 1, 0 } },
		{ "none, cut off", 0, 10, 8, 5, false, false, { 9, 1, 0 } },
		{ "none, and someone waits", 0, 10, 8, 10, true, true, { 10, 1, 0 } },
		{ "none of a run that begins there", 10, 10, 8, 10, false, false, { 10, 1, 0 } },
		{ "an empty file", 3, 0, 8, 0, false, false, { 0, 1, 0 } },
		{ "a window of no page", 0, 10, 0, 9, false, false, { 9, 1, 0 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ra_view ra = {
			.run_start = cases[i].run_start, .start = cases[i].start,
			.size = cases[i].size, .async_size = 4,
		};

		KUNIT_EXPECT_EQ_MSG(test, ra_end_with_file(&ra, cases[i].pages, cases[i].waits),
				    cases[i].some, "%s", cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, ra.start, cases[i].then.start, "%s", cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, ra.size, cases[i].then.size, "%s", cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, ra.async_size, cases[i].then.async_size, "%s",
				    cases[i].name);
	}
}

/* Where folios have 4 pages a window of 6 has 8, and one that begins within one ends with one. */
static void a_window_ends_with_a_folio(struct kunit *test)
{
	const struct { pgoff_t start; unsigned int size; unsigned long pages, then; } cases[] = {
		{ 8, 6, 1, 6 }, { 8, 6, 4, 8 }, { 8, 8, 4, 8 }, { 10, 1, 4, 2 }, { 10, 3, 4, 6 },
		{ 0, 1, 16, 16 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ra_view ra = { .start = cases[i].start, .size = cases[i].size };

		ra_end_with_folio(&ra, cases[i].pages);
		KUNIT_EXPECT_EQ(test, ra.start, cases[i].start);
		KUNIT_EXPECT_EQ(test, ra.size, cases[i].then);
	}
}

/* A run of a habit is read in one folio if it fits, but its mark is a folio's. */
static void runs_have_large_folios(struct kunit *test)
{
	static struct folio single;
	const struct {
		const char *name;
		pgoff_t start;
		unsigned int size, async_size, agreed;
		unsigned long touched;
		struct folio *marked;
		unsigned int order;
	} cases[] = {
		{ "a run", 32, 16, 0, 1, 0, NULL, 4 },
		{ "one that is no power of two", 32, 31, 0, 1, 0, NULL, 4 },
		{ "one that begins anywhere", 37, 16, 0, 1, 0, NULL, 4 },
		{ "one page", 32, 1, 0, 1, 0, NULL, 0 },
		{ "no habit", 32, 16, 0, 0, 0, NULL, 0 },
		{ "the mark is on the first folio", 3, 64, 64, 1, 0, NULL, 6 },
		{ "it is on a later one", 64, 64, 48, 1, 0, NULL, 4 },
		{ "where no large one begins", 15, 64, 48, 1, 0, NULL, 0 },
		{ "where a smaller one does", 8, 64, 48, 1, 0, NULL, 3 },
		{ "on the last page", 64, 64, 1, 1, 0, NULL, 0 },
		{ "the pages of the run before had to tell", 32, 16, 0, 1, 16, NULL, 0 },
		{ "behind a mark", 64, 64, 0, 1, 0, &single, RA_ORDER_STEP },
		{ "and little is left", 64, 2, 0, 1, 0, &single, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ra_view ra = {
			.state = RA_RUN, .start = cases[i].start, .size = cases[i].size,
			.async_size = cases[i].async_size, .agreed = cases[i].agreed,
		};
		const struct ra_ask ask = { .touched = cases[i].touched };

		KUNIT_EXPECT_EQ_MSG(test, ra_run_order(&ra, &ask, cases[i].marked), cases[i].order,
				    "%s", cases[i].name);
	}
}

/*
 * Pages of runs of faults have marks of their own; what is read behind them has not. It can be read
 * only as what the open file's window says, and there another run's is while that is waited for.
 */
static void faults_have_small_folios(struct kunit *test)
{
	const struct { unsigned int agreed; unsigned long first; bool waits; unsigned int order; }
	cases[] = {
		{ 0, 0, false, 0 }, { 1, 0, false, 0 }, { 0, 16, false, 4 }, { 0, 16, true, 0 },
	};
	static struct address_space mapping;
	unsigned int i;

	xa_init(&mapping.i_pages);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ra_view ra = {
			.state = RA_FAULTS, .start = 37, .size = 31, .agreed = cases[i].agreed,
		};
		const struct ra_ask ask = {
			.mapping = &mapping, .first = cases[i].first, .waits = cases[i].waits,
		};

		KUNIT_EXPECT_EQ(test, ra_run_order(&ra, &ask, NULL), cases[i].order);
	}
}

/* How much of a large folio was used nobody knows: the next run is to tell, the habit is over. */
static void a_large_folio_ends_a_habit(struct kunit *test)
{
	unsigned int hidden;

	for (hidden = 0; hidden < 2; hidden++) {
		struct ra_view ra = {
			.state = RA_RUN, .run_start = 32, .start = 32, .size = 16,
			.mean = 16 << RA_RUN_SHIFT, .last = 16, .agreed = 5,
		};
		struct ra_ask ask = { .touched = 16, .hidden = hidden, .max = 32, .expect = 16 };

		ra_run_learn(&ra, &ask);
		KUNIT_EXPECT_EQ(test, ask.ended, 16UL);
		KUNIT_EXPECT_EQ(test, ra.mean, 16U << RA_RUN_SHIFT);
		KUNIT_EXPECT_EQ(test, ra.agreed, hidden ? 0U : 6U);
	}
}

/* Where a page of what would be read had to go memory is short. */
static void short_memory_is_not_filled(struct kunit *test)
{
	const struct { pgoff_t shadow; unsigned long pages; } cases[] = {
		{ 499, 32 }, { 500, 4 }, { 510, 4 }, { 531, 4 }, { 532, 32 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ra_view ra = { .mean = 4 << RA_RUN_SHIFT };
		struct address_space mapping = { .nrpages = 500 };
		struct ra_ask ask = {
			.mapping = &mapping, .index = 500, .pages = 1, .max = 32, .file = 1000,
		};

		xa_init(&mapping.i_pages);
		put_shadow(test, &mapping, cases[i].shadow);
		ra_plan_miss(&ra, &ask);
		KUNIT_EXPECT_EQ(test, ask.first + ra.size, cases[i].pages);
		xa_destroy(&mapping.i_pages);
	}
}

/* Where the program looked at pages elsewhere since, those that were used say how long it was. */
static void used_pages_tell_the_end(struct kunit *test)
{
	const struct { loff_t prev; unsigned long used; unsigned int last; } cases[] = {
		{ 0, 9, 9 }, { FAR, 9, 9 }, { FAR, 16, 16 }, { FAR, 0, 0 }, { 107, 9, 7 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ra_view ra = {
			.state = RA_RUN, .run_start = 100, .start = 104, .size = 12,
			.prev_pos = cases[i].prev << PAGE_SHIFT,
		};
		struct ra_ask ask = { .max = 32, .index = 2 * FAR, .touched = cases[i].used };

		ra_run_learn(&ra, &ask);
		KUNIT_EXPECT_EQ(test, ra.last, cases[i].last);
		KUNIT_EXPECT_EQ(test, ask.ended, cases[i].last + 0UL);
	}
}

/* A fault on a missing page */
static struct ra_ask fault(struct reader *r, pgoff_t index)
{
	struct ra_view view = look(r);
	struct ra_ask ask = {
		.mapping = &r->mapping, .known = &r->known, .index = index, .pages = 1,
		.max = r->max, .touched = r->touched,
	};

	ra_recall(&view, &ask);
	ra_plan_fault(&view, &ask);
	ra_forget_guess(&view, &ask);
	ra_store(&r->ra, &view);
	r->reads++;
	r->pages += r->ra.size;
	r->largest = max(r->largest, r->ra.size);
	return ask;
}

/* @n runs of @len pages by faults. Who touches pages does not tell the policy: their marks do. */
static void fault_runs(struct reader *r, unsigned int len, unsigned int n)
{
	pgoff_t index, end, mark;

	while (n--) {
		end = next_place(r);
		mark = NO_PAGE;
		for (index = r->place; index < r->place + len; index++) {
			if (index == end)
				fault(r, index);
			else if (index == mark)
				ask(r, index, false);
			end = r->ra.start + r->ra.size;
			mark = r->ra.async_size ? end - r->ra.async_size : NO_PAGE;
		}
		r->touched = len;
	}
}

/* Of a mapping nothing is known: a window as before. Then runs are read, and no page too many. */
static void runs_of_faults_are_learnt(struct kunit *test)
{
	unsigned int len;
	struct reader r;

	for (len = 1; len <= 32; len++) {
		reader_init(&r, 32);
		fault_runs(&r, len, 1);
		KUNIT_EXPECT_EQ(test, r.largest, 32U);
		fault_runs(&r, len, 5);
		forget_counts(&r);
		fault_runs(&r, len, 10);
		KUNIT_EXPECT_EQ(test, r.reads, 10U);
		KUNIT_EXPECT_EQ(test, r.pages, 10 * len);
	}
}

/* The tenth random fault, and each one after it, reads its page. */
static void random_faults_read_pages(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	fault_runs(&r, 1, 9);
	forget_counts(&r);
	fault_runs(&r, 1, 1000);
	KUNIT_EXPECT_EQ(test, r.pages, 1000U);
}

/* A run that was shorter than the habit tells that it was, and the next one how long runs are. */
static void shorter_faults_are_noticed(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	fault_runs(&r, 16, 6);
	KUNIT_EXPECT_GE(test, look(&r).agreed, (unsigned int)RA_HABIT);
	fault_runs(&r, 2, 1);
	fault_runs(&r, 2, 1);
	KUNIT_EXPECT_EQ(test, look(&r).agreed, 0U);
	KUNIT_EXPECT_EQ(test, look(&r).last, 16U);
	fault_runs(&r, 2, 6);
	forget_counts(&r);
	fault_runs(&r, 2, 10);
	KUNIT_EXPECT_EQ(test, r.pages, 20U);
}

static bool is_looked_at(struct reader *r)
{
	struct ra_view view = look(r);

	return view.state == RA_FAULTS && ra_is_looked_at(&view);
}

/* @n runs of faults of 12 to 23 pages, no two after each other alike; how many were looked at? */
static unsigned int scattered_runs(struct reader *r, unsigned int n)
{
	unsigned int looked = 0;

	while (n--) {
		fault_runs(r, 12 + 5 * n % 12, 1);
		looked += is_looked_at(r);
	}
	return looked;
}

/* Few runs have marks where lengths scatter, all of them again once lengths agree. */
static void scattered_faults_have_few_marks(struct kunit *test)
{
	unsigned int last;
	struct reader r;

	reader_init(&r, 32);
	KUNIT_EXPECT_EQ(test, scattered_runs(&r, RA_DIFFERED), (unsigned int)RA_DIFFERED);
	scattered_runs(&r, RA_LOOK);
	KUNIT_EXPECT_EQ(test, scattered_runs(&r, 20 * RA_LOOK), 20U);
	for (last = 0; last < RA_LOOK && look(&r).first != RA_DIFFERED + 1; last++)
		fault_runs(&r, 13 + last, 1);
	KUNIT_EXPECT_FALSE(test, is_looked_at(&r));
	last = look(&r).last;
	fault_runs(&r, 30, 1);
	fault_runs(&r, 31, 1);
	KUNIT_EXPECT_EQ(test, look(&r).last, last);
	fault_runs(&r, 16, 3 * RA_LOOK);
	KUNIT_EXPECT_EQ(test, look(&r).first, 0U);
	KUNIT_EXPECT_EQ(test, scattered_runs(&r, RA_DIFFERED), (unsigned int)RA_DIFFERED);

	/* What a read has asked for is no count. */
	reader_init(&r, 1024);
	ask_for(&r, 4096, 512, true);
	KUNIT_EXPECT_EQ(test, look(&r).first, 9U);
	r.ra.start++;
	KUNIT_EXPECT_EQ(test, look(&r).first, 0U);
	reader_init(&r, 32);

	/* A mark of a short run costs little. */
	fault_runs(&r, 2, 10 * RA_LOOK);
	last = 100;
	while (last--) {
		fault_runs(&r, 1 + last % 2, 1);
		KUNIT_EXPECT_TRUE(test, is_looked_at(&r));
	}
}

/*
 * What is known of runs of faults outlasts a stream that goes on elsewhere, at a mark or behind its
 * pages. What a read asked for does not outlast its run.
 */
static void streams_do_not_change_the_count(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	scattered_runs(&r, RA_DIFFERED + 2);
	KUNIT_EXPECT_EQ(test, look(&r).first, RA_DIFFERED + 1U);
	put_in_cache(test, &r.mapping, 10, 10);
	ask(&r, 12, false);
	KUNIT_EXPECT_EQ(test, look(&r).state, RA_UNKNOWN);
	KUNIT_EXPECT_EQ(test, look(&r).start, 20UL);
	KUNIT_EXPECT_EQ(test, look(&r).first, RA_DIFFERED + 1U);

	/* Nor does what asks for more than a window, behind pages that were found in the cache. */
	r.ra.prev_pos = 2048UL << PAGE_SHIFT;
	ask_for(&r, 2048, 1024, true);
	KUNIT_EXPECT_EQ(test, look(&r).state, RA_UNKNOWN);
	KUNIT_EXPECT_EQ(test, look(&r).first, RA_DIFFERED + 1U);

	ask_for(&r, 4096, 16, true);
	KUNIT_EXPECT_EQ(test, look(&r).state, RA_RUN);
	KUNIT_EXPECT_EQ(test, look(&r).first, 4U);
	ask(&r, 12, false);
	KUNIT_EXPECT_EQ(test, look(&r).state, RA_UNKNOWN);
	KUNIT_EXPECT_EQ(test, look(&r).first, 0U);
	xa_destroy(&r.mapping.i_pages);
}

/* A run of faults where lengths scatter round @mean pages, and @cached pages of 1000 are there */
static struct ra_view warm_faults(unsigned int mean, unsigned long cached, pgoff_t index,
				  unsigned long room, struct ra_ask *ask)
{
	struct address_space mapping = { .nrpages = cached };
	struct ra_view ra = { .mean = mean << RA_RUN_SHIFT, .last = mean };

	*ask = (struct ra_ask){
		.mapping = &mapping, .index = index, .pages = 1, .max = 32, .file = 1000,
		.room = room,
	};
	xa_init(&mapping.i_pages);
	ra_plan_fault(&ra, ask);
	ask->mapping = NULL;
	return ra;
}

/* Mapped files that come to be in memory are read further, too, behind what is waited for. */
static void warm_faults_are_read_further(struct kunit *test)
{
	const struct {
		unsigned int mean;
		unsigned long cached;
		pgoff_t index;
		unsigned long room, first;
		unsigned int size;
	} cases[] = {
		{ 2, 0, 500, 1000, 0, 4 }, { 2, 124, 500, 1000, 0, 4 },
		{ 2, 125, 500, 875, 4, 4 }, { 2, 500, 500, 500, 4, 31 },
		{ 2, 999, 500, 1, 4, 32 }, { 2, 1001, 500, 0, 4, 32 },
		/* Memory has no room for the rest. */
		{ 2, 125, 500, 874, 0, 4 }, { 2, 999, 500, 0, 0, 4 },
		/* The file has an end. */
		{ 2, 500, 990, 500, 4, 6 }, { 2, 500, 996, 500, 0, 4 },
		/* The rest of the run is still to come. */
		{ 33, 500, 500, 500, 0, min_t(unsigned int, 32, RA_WAIT_PAGES) },
	};
	struct ra_view ra;
	struct ra_ask ask;
	unsigned int i, marked;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ra = warm_faults(cases[i].mean, cases[i].cached, cases[i].index, cases[i].room,
				 &ask);
		KUNIT_EXPECT_EQ(test, ask.first, cases[i].first);
		KUNIT_EXPECT_EQ(test, ra.start, cases[i].index + cases[i].first);
		KUNIT_EXPECT_EQ(test, ra.size, cases[i].size);
		KUNIT_EXPECT_EQ(test, ra.run_start, cases[i].index);
		marked = ask.first ? 1 : ra.size;
		KUNIT_EXPECT_EQ(test, ra_marks_end(&ra, &ask), ra.start + marked);
	}
}

/* What had to go is not read by itself: memory was short. */
static void evicted_pages_are_not_warm(struct kunit *test)
{
	const struct { pgoff_t shadow; unsigned long first; } cases[] = {
		{ 500, 0 }, { 534, 0 }, { 535, 4 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct address_space mapping = { .nrpages = 500 };
		struct ra_view ra = { .mean = 2 << RA_RUN_SHIFT, .last = 2 };
		struct ra_ask ask = {
			.mapping = &mapping, .index = 500, .pages = 1, .max = 32, .file = 1000,
			.room = 500,
		};

		xa_init(&mapping.i_pages);
		put_shadow(test, &mapping, cases[i].shadow);
		ra_plan_fault(&ra, &ask);
		KUNIT_EXPECT_EQ(test, ask.first, cases[i].first);
		xa_destroy(&mapping.i_pages);
	}
}

/* A habit is read exactly, and so is a run in one window of so many pages that they have marks. */
static void habits_are_not_warm(struct kunit *test)
{
	const struct { unsigned int mean, agreed; unsigned long max, first; } cases[] = {
		{ 4, 1, 32, 0 }, { 4, 0, 32, 8 }, { RA_SEEN_PAGES / 2, 0, 1024, 0 },
		{ RA_SEEN_PAGES / 2 - 1, 0, 1024, RA_SEEN_PAGES - 2 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct address_space mapping = { .nrpages = 500 };
		struct ra_view ra = {
			.mean = cases[i].mean << RA_RUN_SHIFT, .last = cases[i].mean,
			.agreed = cases[i].agreed,
		};
		struct ra_ask ask = {
			.mapping = &mapping, .index = 500, .pages = 1, .max = cases[i].max,
			.file = 1000, .room = 500,
		};

		if (cases[i].first > RA_WAIT_PAGES)
			continue;
		xa_init(&mapping.i_pages);
		ra_plan_fault(&ra, &ask);
		KUNIT_EXPECT_EQ(test, ask.first, cases[i].first);
	}
}

/* Where blocks are larger than pages what is read by itself would begin within one. */
static void large_blocks_are_not_warm(struct kunit *test)
{
	static struct inode inode;
	struct address_space mapping = { .host = &inode, .nrpages = 500 };
	struct ra_ask ask = { .mapping = &mapping, .file = 1000 };

	inode.i_blkbits = PAGE_SHIFT;
	KUNIT_EXPECT_EQ(test, ra_warmth(&ask, 501), 500UL);
	inode.i_blkbits = PAGE_SHIFT + 1;
	KUNIT_EXPECT_EQ(test, ra_warmth(&ask, 501), 0UL);
}

/* A mark of the run is not one of a stream, though more was read behind the run since. */
static void marks_of_warm_faults_are_noted(struct kunit *test)
{
	const struct { pgoff_t index; bool noted; } cases[] = {
		{ 499, false }, { 500, true }, { 503, true }, { 504, true }, { 534, true },
		{ 535, false },
	};
	static struct folio single;
	struct address_space mapping = { };
	struct ra_ask ask;
	struct ra_view ra = warm_faults(2, 500, 500, 500, &ask);
	unsigned int i;

	xa_init(&mapping.i_pages);
	ask.mapping = &mapping;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ask.index = cases[i].index;
		KUNIT_EXPECT_EQ(test, ra_noted(&ra, &ask, &single, false), cases[i].noted);
	}
}

/* Faults that go backwards from there go back from the run. */
static void warm_faults_go_back(struct kunit *test)
{
	struct address_space mapping = { };
	struct ra_ask ask;
	struct ra_view ra = warm_faults(2, 500, 500, 500, &ask);

	xa_init(&mapping.i_pages);
	ask = (struct ra_ask){
		.mapping = &mapping, .index = 499, .pages = 1, .max = 32, .file = 1000,
	};
	ra_plan_fault(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ra.start, (pgoff_t)468);
	KUNIT_EXPECT_EQ(test, ra.size, 32U);
}

/* What outlives the expectation gets a tile, then four times what it had; that is a stream then. */
static void long_faults_are_streams(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	fault_runs(&r, 1, 10);
	forget_counts(&r);
	fault_runs(&r, 1024, 1);
	KUNIT_EXPECT_LE(test, r.reads, 2U + 1024 / 32);
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 32U);

	reader_init(&r, 256);
	fault_runs(&r, 1, 10);
	forget_counts(&r);
	fault_runs(&r, 33, 1);
	KUNIT_EXPECT_EQ(test, r.pages, 33U);
	fault_runs(&r, 1, 10);
	forget_counts(&r);
	fault_runs(&r, 34, 1);
	KUNIT_EXPECT_EQ(test, r.pages, 33U + 4 * 33);
}

static void faults_go_back(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	fault_runs(&r, 1, 10);
	fault(&r, r.place - 1);
	KUNIT_EXPECT_EQ(test, r.ra.start, r.place - 32);
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
	/* Nor before the start of the file */
	r.ra.start = 7;
	fault(&r, 6);
	KUNIT_EXPECT_EQ(test, r.ra.start, 0UL);
	KUNIT_EXPECT_EQ(test, r.ra.size, 7U);
}

/* Is a tile read of which @here pages are there, where runs of @mean pages are expected? */
static bool dense_of(struct kunit *test, unsigned long here, unsigned int mean,
		     unsigned long cached, struct ra_ask *ask)
{
	struct address_space mapping = { .nrpages = cached };
	struct ra_view ra = { .mean = mean << RA_RUN_SHIFT };

	ask->mapping = &mapping;
	ask->index = 480;
	ask->pages = 1;
	ask->file = 3200;
	xa_init(&mapping.i_pages);
	put_in_cache(test, &mapping, 481, here);
	ra_look_around(&ra, ask);
	xa_destroy(&mapping.i_pages);
	return ask->dense;
}

/* The same with runs of two pages, where @cached pages are there of 3200, and @room is free */
static bool dense_around(struct kunit *test, unsigned long here, unsigned long cached,
			 unsigned long room)
{
	struct ra_ask ask = { .max = 32, .room = room };

	return dense_of(test, here, 2, cached, &ask);
}

/* The same with runs of @mean pages and windows of @max; there is room, and little is there */
static bool dense_runs(struct kunit *test, unsigned long here, unsigned int mean, unsigned long max)
{
	struct ra_ask ask = { .max = max, .room = 3200 };

	return dense_of(test, here, mean, 0, &ask);
}

static void faults_look_around(struct kunit *test)
{
	unsigned long two = RA_DENSE * 2, some = 3200 / RA_SOME, much = 3200 / RA_MUCH;

	KUNIT_EXPECT_FALSE(test, dense_around(test, two - 1, some - 1, 3200));
	KUNIT_EXPECT_TRUE(test, dense_around(test, two, some - 1, 3200));
	/* It comes to be in memory. */
	KUNIT_EXPECT_FALSE(test, dense_around(test, 1, some, 3200));
	KUNIT_EXPECT_TRUE(test, dense_around(test, 2, some, 3200));
	KUNIT_EXPECT_FALSE(test, dense_around(test, 0, much - 1, 3200));
	KUNIT_EXPECT_TRUE(test, dense_around(test, 0, much, 3200 - much));
	KUNIT_EXPECT_TRUE(test, dense_around(test, 0, 4000, 0));
	/* There is no room for the rest of it: a quarter is there wherever one looks. */
	KUNIT_EXPECT_FALSE(test, dense_around(test, 11, 800, 2399));
	KUNIT_EXPECT_FALSE(test, dense_around(test, two - 1, 0, 3199));
	KUNIT_EXPECT_TRUE(test, dense_around(test, two, 0, 3199));
	KUNIT_EXPECT_FALSE(test, dense_around(test, two + 3, 100, 3099));
	KUNIT_EXPECT_TRUE(test, dense_around(test, two + 4, 100, 3099));
	/* Long runs, and small windows: two are enough that are half of what is looked at. */
	KUNIT_EXPECT_FALSE(test, dense_runs(test, RA_DENSE - 1, 1, 32));
	KUNIT_EXPECT_TRUE(test, dense_runs(test, RA_DENSE, 1, 32));
	KUNIT_EXPECT_FALSE(test, dense_runs(test, 15, 8, 32));
	KUNIT_EXPECT_TRUE(test, dense_runs(test, 16, 8, 32));
	KUNIT_EXPECT_FALSE(test, dense_runs(test, 1, 1, 4));
	KUNIT_EXPECT_TRUE(test, dense_runs(test, 2, 1, 4));
}

/* Where enough pages are there all of them are read, unless memory is short. */
static void dense_faults_read_a_tile(struct kunit *test)
{
	struct ra_view ra = { .mean = 1 << RA_RUN_SHIFT };
	struct address_space mapping;
	struct ra_ask ask = {
		.mapping = &mapping, .index = 500, .pages = 1, .max = 100, .dense = true,
	};

	memset(&mapping, 0, sizeof(mapping));
	xa_init(&mapping.i_pages);
	ra_plan_fault(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ra.start, 480UL);
	KUNIT_EXPECT_EQ(test, ra.size, 32U);
	put_shadow(test, &mapping, 500);
	ra = (struct ra_view){ .mean = 1 << RA_RUN_SHIFT };
	ra_plan_fault(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ra.start, 500UL);
	KUNIT_EXPECT_EQ(test, ra.size, 1U);
	xa_destroy(&mapping.i_pages);
}

static void habit_does_not_wrap(struct kunit *test)
{
	struct ra_view ra;
	struct ra_ask ask;
	unsigned int i;

	learn(&ra, &ask, 20, 20);
	ra.agreed = RA_AGREED_MAX - 1;
	for (i = 0; i < 3; i++) {
		ra_run_learn(&ra, &ask);
		KUNIT_EXPECT_EQ(test, ra.agreed, RA_AGREED_MAX);
	}
}

/* Runs of @len pages, each on an open file of its own */
static void open_runs(struct reader *r, unsigned int len, unsigned int n)
{
	while (n--) {
		read_runs(r, len, 1);
		reopen(r);
	}
}

/* The same from the start of the file on: all of it is read. */
static void open_and_read(struct reader *r, unsigned int len, unsigned int n)
{
	while (n--) {
		read_pages(r, 0, len);
		reopen(r);
	}
}

/* The first page of a file is needed, of which others have read @len pages from the start each. */
static void open_after(struct reader *r, unsigned long max, unsigned int len, unsigned int n)
{
	reader_init(r, max);
	open_and_read(r, len, n);
	ask(r, 0, true);
}

/* What is known to others: mean, last length, how many agreed before it */
static void expect_known(struct kunit *test, const struct reader *r, unsigned int mean,
			 unsigned int last, unsigned int agreed)
{
	union ra_packed known = { .word = r->known };

	KUNIT_EXPECT_EQ(test, known.mean + 0U, mean << RA_RUN_SHIFT);
	KUNIT_EXPECT_EQ(test, known.last + 0U, last);
	KUNIT_EXPECT_EQ(test, known.agreed + 0U, agreed);
}

/* The first two opens, of which nothing is known, are as ever; then it takes a row of lengths. */
static void opens_learn_runs(struct kunit *test)
{
	unsigned int lens[] = { 2, 4, 15, 16, 32, 64 }, i, known, fresh;
	struct reader r;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		reader_init(&r, 32);
		open_runs(&r, lens[i], 1);
		fresh = r.reads;
		expect_known(test, &r, 0, lens[i], 0);
		open_runs(&r, lens[i], 1);
		KUNIT_EXPECT_EQ(test, r.reads, 2 * fresh);
		expect_known(test, &r, lens[i], lens[i], 1);
		open_runs(&r, lens[i], 20);
		known = windows_of(lens[i], 32);
		forget_counts(&r);
		open_runs(&r, lens[i], 10);
		KUNIT_EXPECT_EQ(test, r.reads, 10 * known);
		KUNIT_EXPECT_EQ(test, r.pages, 10 * lens[i]);
		expect_known(test, &r, lens[i], lens[i], RA_AGREED_MAX);
	}
}

/* Only what is worth to know is kept, and of a file that somebody read. */
static void opens_keep_lengths_only(struct kunit *test)
{
	union ra_packed known;
	struct reader r;

	reader_init(&r, 32);
	reopen(&r);
	KUNIT_EXPECT_EQ(test, r.known, 0ULL);
	open_runs(&r, 16, 3);
	known.word = r.known;
	KUNIT_EXPECT_EQ(test, known.state + 0U, 0U);
	KUNIT_EXPECT_EQ(test, known.before + 0U, 0U);
	KUNIT_EXPECT_EQ(test, known.first + 0U, 0U);
	KUNIT_EXPECT_EQ(test, known.check + 0U, 0U);
	/* Nothing was read, or a run that is not known from its beginning */
	reopen(&r);
	KUNIT_EXPECT_EQ(test, r.known, known.word);
	ask(&r, next_place(&r), true);
	r.ra.prev_pos = (loff_t)FAR << PAGE_SHIFT;
	reopen(&r);
	KUNIT_EXPECT_EQ(test, r.known, known.word);
	/* Nor does the open file keep what it has from others. */
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, look(&r).mean, 0U);
	KUNIT_EXPECT_EQ(test, look(&r).last, 0U);
	KUNIT_EXPECT_EQ(test, look(&r).agreed, 0U);
	/* What the user says is for this open file. */
	reopen(&r);
	ra_runs_advise(&r.ra, true);
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 1U);
}

/* Of larger pages there are fewer in it. */
static unsigned int first_window(unsigned int pages)
{
	return min_t(unsigned int, pages, RA_WAIT_PAGES);
}

/* A guess is four times what would be read without it, or four pages for each run of a row. */
static void guesses_are_bounded(struct kunit *test)
{
	unsigned int len = first_window(30), n, size;
	struct reader r;

	for (n = 2; n < 20; n++) {
		reader_init(&r, 32);
		open_runs(&r, len, n);
		size = min(4 * n, len);
		ask(&r, next_place(&r), true);
		KUNIT_EXPECT_EQ(test, r.ra.size, size);
		KUNIT_EXPECT_EQ(test, r.ra.async_size, size < len ? size - 1 : 0);
		/* At the mark behind the first page the rest is read. */
		if (size < len) {
			ask(&r, r.place + 1, false);
			KUNIT_EXPECT_EQ(test, r.ra.size, len - size);
			KUNIT_EXPECT_EQ(test, r.ra.async_size, 0U);
		}
		reopen(&r);
		ask(&r, 0, true);
		size = min(max(4 * n, 16U), len);
		KUNIT_EXPECT_EQ(test, r.ra.size, size);
		KUNIT_EXPECT_EQ(test, r.ra.async_size, size < len ? size - 1 : 0);
	}
}

/* Two windows at once are no more than that, either. */
static void two_windows_are_bounded(struct kunit *test)
{
	struct reader r;

	if (first_window(32) < 32)
		return;
	reader_init(&r, 32);
	open_runs(&r, 64, 23);
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 31U);
	reopen(&r);
	open_runs(&r, 64, 1);
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 32U);
	/* A request of all of it has no page behind it. */
	reader_init(&r, 32);
	open_runs(&r, 64, 2);
	ask_for(&r, next_place(&r), 32, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 32U);
}

/* Of windows of 4 MiB the program waits for no more than of its own. */
static void guesses_are_not_waited_for(struct kunit *test)
{
	unsigned int fresh;
	struct reader r;

	open_after(&r, 1024, 2000, 40);
	KUNIT_EXPECT_EQ(test, r.ra.size, first_window(1024));
	reader_init(&r, 1024);
	ask_for(&r, 0, 200, true);
	fresh = r.ra.size;
	reader_init(&r, 1024);
	open_and_read(&r, 2000, 40);
	ask_for(&r, 0, 200, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, fresh);
}

/* What others have read singly costs a stream nothing from the start of the file; else a little. */
static void short_guesses_do_not_hold_streams(struct kunit *test)
{
	unsigned int maxes[] = { 32, 128, 1024 }, lens[] = { 1, 2, 7, 16 }, n[] = { 2, 5, 40 };
	unsigned int i, k, m, fresh, elsewhere;
	struct reader r;

	for (i = 0; i < ARRAY_SIZE(maxes); i++) {
		reader_init(&r, maxes[i]);
		read_pages(&r, 0, 4000);
		fresh = r.first_full;
		reader_init(&r, maxes[i]);
		read_pages(&r, FAR, 4000);
		elsewhere = r.first_full;
		for (k = 0; k < ARRAY_SIZE(lens) && lens[k] <= RA_WAIT_PAGES; k++)
			for (m = 0; m < ARRAY_SIZE(n); m++) {
				reader_init(&r, maxes[i]);
				open_runs(&r, lens[k], n[m]);
				forget_counts(&r);
				read_pages(&r, 0, 4000);
				KUNIT_EXPECT_LE(test, r.first_full, fresh);
				reader_init(&r, maxes[i]);
				open_runs(&r, lens[k], n[m]);
				forget_counts(&r);
				read_pages(&r, FAR, 4000);
				KUNIT_EXPECT_LE(test, r.first_full, elsewhere + 4);
				KUNIT_EXPECT_NE(test, r.first_full, 0U);
			}
	}
}

/* A file that is read from end to end has its mark in each window, however often that was seen. */
static void streams_of_opens_do_not_stop(struct kunit *test)
{
	struct reader r;
	pgoff_t index;
	unsigned int i;

	reader_init(&r, 32);
	open_and_read(&r, 1000, 10);
	expect_known(test, &r, 4 * 32, 4 * 32, 9);
	ask(&r, 0, true);
	for (i = 0; i < 20; i++) {
		KUNIT_ASSERT_GT(test, r.ra.async_size, 0U);
		index = r.ra.start + r.ra.size - r.ra.async_size;
		r.ra.prev_pos = (loff_t)index << PAGE_SHIFT;
		ask(&r, index, false);
	}
	KUNIT_EXPECT_EQ(test, r.ra.size, 32U);
}

/* What was read last, and how much of it lies behind the mark */
static void expect_window(struct kunit *test, const struct reader *r, unsigned int size,
			  unsigned int async_size)
{
	KUNIT_EXPECT_EQ(test, r->ra.size, size);
	KUNIT_EXPECT_EQ(test, r->ra.async_size, async_size);
}

/* A file of 20 pages takes a read, once that is known. */
static void whole_files_are_known(struct kunit *test)
{
	struct reader r;

	open_after(&r, 32, 20, 8);
	KUNIT_EXPECT_EQ(test, r.ra.size, first_window(20));
	/* A first page that is read singly, and no more, says nothing. */
	open_after(&r, 32, 1, 20);
	expect_window(test, &r, 4, 3);
}

/* The first 10 pages of a longer file take a read, and who reads on does not begin anew. */
static void heads_are_known(struct kunit *test)
{
	struct reader r;

	if (first_window(30) < 30)
		return;
	open_after(&r, 32, 10, 2);
	expect_window(test, &r, 10, 0);
	ask(&r, 10, true);
	KUNIT_EXPECT_EQ(test, r.ra.start, (pgoff_t)10);
	expect_window(test, &r, 20, 19);
	/* Nor does it wait for more than others would. */
	open_after(&r, 1024, 40, 12);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 0U);
	ask(&r, 40, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, first_window(160));
	/* Of the program's own runs those from the start of the file are no more than others. */
	reader_init(&r, 32);
	read_runs(&r, 10, 3);
	ask(&r, 0, true);
	expect_window(test, &r, 10, 9);
}

/*
 * Opens that read 10 or 11 pages: what is behind the first window is a part of the largest, and no
 * longer than a run.
 */
static void lengths_that_differ_are_a_part(struct kunit *test)
{
	const struct {
		unsigned int max, size;
	} windows[] = { { 32, 7 }, { 64, 8 }, { 128, 11 }, { 1024, 11 } };
	struct reader r;
	unsigned int i, k;

	if (first_window(30) < 30)
		return;
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		reader_init(&r, windows[i].max);
		for (k = 0; k < 8; k++)
			open_runs(&r, 10 + k % 2, 1);
		ask(&r, next_place(&r), true);
		expect_window(test, &r, 4, 3);
		ask(&r, r.place + 1, false);
		expect_window(test, &r, windows[i].size, 0);
	}
}

/* In a file that comes to be in memory nobody waits for more than the guess, and more is read. */
static void warm_files_end_no_guess(struct kunit *test)
{
	union ra_packed known = { .mean = 10 << RA_RUN_SHIFT, .last = 10 };
	struct address_space mapping = { .nrpages = 500 };
	u64 word = known.word;
	struct ra_view ra = { };
	struct ra_ask ask = {
		.mapping = &mapping, .known = &word, .index = 500, .pages = 1, .max = 32,
		.file = 1000,
	};

	xa_init(&mapping.i_pages);
	ra_recall(&ra, &ask);
	ra_plan_miss(&ra, &ask);
	KUNIT_EXPECT_EQ(test, ask.first, 4UL);
	KUNIT_EXPECT_EQ(test, ra.run_start, (pgoff_t)500);
	KUNIT_EXPECT_EQ(test, ra.start, (pgoff_t)504);
	KUNIT_EXPECT_EQ(test, ra.size, 28U);
	KUNIT_EXPECT_EQ(test, ra.async_size, 0U);
}

/* One's own runs count: the first one ends what others have said, two are known as ever. */
static void own_runs_overrule_guesses(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	open_runs(&r, 24, 40);
	read_runs(&r, 1, 1);
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 1U);
	KUNIT_EXPECT_EQ(test, look(&r).mean, 0U);

	/* If it is what they have said they are believed. */
	reader_init(&r, 32);
	open_runs(&r, 24, 2);
	read_runs(&r, 23, 1);
	ask(&r, next_place(&r), true);
	KUNIT_EXPECT_EQ(test, r.ra.size, first_window(24));

	/* Of many runs of one open file the last ones are known to the next. */
	reader_init(&r, 32);
	open_runs(&r, 24, 40);
	read_runs(&r, 8, 5);
	reopen(&r);
	expect_known(test, &r, 8, 8, 4);
	/* One that was told nothing and has ended one run leaves what is known. */
	read_runs(&r, 3, 1);
	ask(&r, next_place(&r), true);
	r.ra.prev_pos = (loff_t)FAR << PAGE_SHIFT;
	reopen(&r);
	expect_known(test, &r, 8, 8, 4);
}

/*
 * Somebody reads single pages, each on an open file of its own, and somebody else as much of the
 * file as can be, as often: what is read in vain for one is bounded by what the other one reads.
 */
static void greedy_opens_spoil_little(struct kunit *test)
{
	unsigned int burst, i, spent;
	struct reader r;

	/* In turns: at most four pages for one */
	reader_init(&r, 32);
	open_runs(&r, 1, 2);
	for (i = 0; i < 50; i++) {
		open_runs(&r, 1000, 1);
		forget_counts(&r);
		open_runs(&r, 1, 1);
		KUNIT_EXPECT_LE(test, r.pages, 4U);
	}
	/* And the other one is not read for singly. */
	forget_counts(&r);
	open_runs(&r, 1000, 1);
	KUNIT_EXPECT_LE(test, r.reads, 1000U / 32 + 12);

	for (burst = 2; burst < 64; burst++) {
		reader_init(&r, 32);
		open_runs(&r, 1, 10);
		open_runs(&r, 64, burst);
		forget_counts(&r);
		open_runs(&r, 1, 1);
		spent = r.pages;
		KUNIT_EXPECT_LE(test, spent, 4 * burst);
		open_runs(&r, 1, 2);
		KUNIT_EXPECT_LE(test, r.pages, spent + 2 * 4);
		forget_counts(&r);
		open_runs(&r, 1, 10);
		KUNIT_EXPECT_EQ(test, r.pages, 10U);
	}
}

/* A track in the cache is followed as without a guess, or further if runs are longer. */
static void guesses_follow_tracks(struct kunit *test)
{
	struct reader r;

	reader_init(&r, 32);
	open_runs(&r, 30, 2);
	put_in_cache(test, &r.mapping, FAR - 5, 5);
	ask(&r, FAR, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, first_window(24));
	reopen(&r);
	r.ra.prev_pos = (loff_t)FAR << PAGE_SHIFT;
	ask(&r, FAR, true);
	KUNIT_EXPECT_EQ(test, r.ra.size, 4U);
	KUNIT_EXPECT_EQ(test, r.ra.async_size, 3U);
	xa_destroy(&r.mapping.i_pages);
}

/* Faults, too: the last one to unmap the file closes it. */
static void opens_learn_faults(struct kunit *test)
{
	unsigned int i;
	struct reader r;

	reader_init(&r, 32);
	for (i = 0; i < 5; i++) {
		fault_runs(&r, 4, 1);
		reopen(&r);
	}
	expect_known(test, &r, 4, 4, 4);
	fault(&r, next_place(&r));
	KUNIT_EXPECT_EQ(test, r.ra.size, 4U);
	/* All of its pages have a mark: a run that was shorter is known to have been. */
	r.touched = 2;
	reopen(&r);
	expect_known(test, &r, 4, 2, 0);
}

/*
 * Pages, and shadows, of folios: those from @first, not 0, to @last, in pieces that a folio may
 * have; xa_store_range() would make one entry of them.
 */
static void put_folios(struct kunit *test, struct xarray *xa, pgoff_t first, pgoff_t last,
		       void *entry)
{
	pgoff_t next;

	for (; first <= last; first = next) {
		next = first + min(1UL << __ffs(first), rounddown_pow_of_two(last + 1 - first));
		KUNIT_ASSERT_PTR_EQ(test, xa_store_range(xa, first, next - 1, entry, GFP_KERNEL),
				    (void *)NULL);
	}
}

/*
 * The walk to a page that is missing may begin within a large folio. It took the pages beyond for
 * others: readahead of several streams left one out, and saw one page where a stream had left many.
 */
static void misses_are_found_from_within_folios(struct kunit *test)
{
	struct address_space mapping = { };
	struct xarray *xa = &mapping.i_pages;
	pgoff_t i, found, next = 300, prev = 0;
	const void *entry;

	if (!IS_ENABLED(CONFIG_XARRAY_MULTI)) {
		kunit_skip(test, "no large folios");
		return;
	}
	xa_init(xa);
	put_folios(test, xa, 1, 3, test);
	put_folios(test, xa, 8, 19, test);
	put_folios(test, xa, 32, 39, xa_mk_value(0));
	put_folios(test, xa, 40, 47, test);
	/* The last slots of a node of 64, and the first ones of the next */
	put_folios(test, xa, 56, 63, test);
	put_folios(test, xa, 66, 79, test);
	/* One of more than 64 pages is an entry of the node above. */
	put_folios(test, xa, 128, 255, test);
	put_folios(test, xa, 256, 260, test);
	for (i = 1; i < 300; i++) {
		entry = xa_load(xa, i);
		if (!entry || xa_is_value(entry))
			prev = i;
		rcu_read_lock();
		found = page_cache_prev_miss(&mapping, i, 300);
		rcu_read_unlock();
		KUNIT_EXPECT_EQ(test, found, prev);
	}
	for (i = 299; i; i--) {
		entry = xa_load(xa, i);
		if (!entry || xa_is_value(entry))
			next = i;
		rcu_read_lock();
		found = page_cache_next_miss(&mapping, i, 300);
		rcu_read_unlock();
		KUNIT_EXPECT_EQ(test, found, next);
	}
	xa_destroy(xa);
}

/* Pages around a fault are counted, those of folios that begin before or end later, too. */
static void pages_of_folios_are_counted(struct kunit *test)
{
	struct address_space mapping = { };
	const struct ra_ask ask = { .mapping = &mapping };
	struct xarray *xa = &mapping.i_pages;
	const void *entry;
	pgoff_t from, i;

	if (!IS_ENABLED(CONFIG_XARRAY_MULTI)) {
		kunit_skip(test, "no large folios");
		return;
	}
	xa_init(xa);
	put_folios(test, xa, 1, 3, test);
	put_folios(test, xa, 8, 19, test);
	put_folios(test, xa, 32, 39, xa_mk_value(0));
	put_folios(test, xa, 40, 63, test);
	put_folios(test, xa, 128, 255, test);
	for (from = 0; from < 270; from++) {
		unsigned long there = 0;

		for (i = from; i < from + RA_TILE; i++) {
			entry = xa_load(xa, i);
			there += entry && !xa_is_value(entry);
		}
		KUNIT_EXPECT_EQ(test, ra_cached(&ask, from, RA_TILE), there);
	}
	xa_destroy(xa);
}

/* No state, however spoilt by racing threads, gives a window that is empty or too long. */
static void any_state_gives_a_sane_window(struct kunit *test)
{
	struct rnd_state rnd;
	struct ra_view view;
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
		ask.known = &r.known;
		if (dice >> 21 & 1)
			r.known = (u64)prandom_u32_state(&rnd) << 32 | prandom_u32_state(&rnd);
		ask.file = prandom_u32_state(&rnd) >> dice / 8 % 32;
		r.mapping.nrpages = prandom_u32_state(&rnd) >> dice / 16 % 32;
		ask.max = 1 + (prandom_u32_state(&rnd) >> dice % 32) % SZ_1M;
		ask.pages = 1 + (prandom_u32_state(&rnd) >> dice / 32 % 32) % SZ_1M;
		ask.index = dice >> 11 & 1 ? r.ra.start + r.ra.size : prandom_u32_state(&rnd);
		r.ra.prev_pos = dice >> 12 & 1 ? (loff_t)ask.index << PAGE_SHIFT :
						 (loff_t)(prandom_u32_state(&rnd) + (u64)dice);
		if (dice >> 13 & 1)
			r.ra.size = prandom_u32_state(&rnd) % ask.max;
		if (dice >> 14 & 1)
			r.ra.runs = (u64)prandom_u32_state(&rnd) << 32 | prandom_u32_state(&rnd);
		view = look(&r);
		if (dice >> 15 & 1)
			view.state = dice >> 18 & 3;
		if (dice >> 22 & 1)
			view.last = 0;
		ra_recall(&view, &ask);
		size = view.size;
		read = true;
		ask.touched = prandom_u32_state(&rnd) >> dice % 32;
		ask.dense = dice >> 20 & 1;
		if (dice >> 19 & 1)
			ra_plan_fault(&view, &ask);
		else if (dice >> 17 & 1)
			ra_plan_miss(&view, &ask);
		else
			read = ra_plan_mark(&view, &ask, 0);
		ra_forget_guess(&view, &ask);
		ra_store(&r.ra, &view);
		if (!read)
			continue;
		KUNIT_ASSERT_LE(test, ask.ended, ask.spent);
		KUNIT_ASSERT_GE(test, r.ra.size, 1U);
		KUNIT_ASSERT_LE(test, r.ra.size, max3(size + 0UL, ask.max, 1UL));
		KUNIT_ASSERT_LE(test, r.ra.async_size, r.ra.size);
		KUNIT_ASSERT_LT(test, look(&r).mean, (RA_RUN_MAX + 1) << RA_RUN_SHIFT);
	}
}

static struct kunit_case readahead_cases[] = {
	KUNIT_CASE(runs_agree_within_an_eighth),
	KUNIT_CASE(expected_is_the_nearest_page),
	KUNIT_CASE(windows_open_and_double),
	KUNIT_CASE(mean_reaches_constant),
	KUNIT_CASE(mean_does_not_stop_short),
	KUNIT_CASE(mean_ignores_a_stray),
	KUNIT_CASE(mean_is_slow_to_leap),
	KUNIT_CASE(mean_does_not_overflow),
	KUNIT_CASE(constant_runs_are_read_at_once),
	KUNIT_CASE(one_long_run_does_not_lengthen_the_next),
	KUNIT_CASE(random_pages_are_read_singly),
	KUNIT_CASE(sequential_after_random),
	KUNIT_CASE(unknown_streams_double),
	KUNIT_CASE(held_stream_recovers),
	KUNIT_CASE(held_windows_may_be_cut),
	KUNIT_CASE(held_windows_stay_small),
	KUNIT_CASE(foreign_position_is_not_learnt),
	KUNIT_CASE(longest_run_fits),
	KUNIT_CASE(state_is_packed),
	KUNIT_CASE(foreign_window_is_noticed),
	KUNIT_CASE(single_requests_are_pages),
	KUNIT_CASE(each_situation_has_its_window),
	KUNIT_CASE(runs_are_learnt),
	KUNIT_CASE(last_page_of_a_directory_counts),
	KUNIT_CASE(bimodal_runs_are_streams),
	KUNIT_CASE(warm_files_are_read_further),
	KUNIT_CASE(nothing_is_read_behind_the_end),
	KUNIT_CASE(a_window_keeps_a_page),
	KUNIT_CASE(a_window_ends_with_a_folio),
	KUNIT_CASE(runs_have_large_folios),
	KUNIT_CASE(faults_have_small_folios),
	KUNIT_CASE(a_large_folio_ends_a_habit),
	KUNIT_CASE(short_memory_is_not_filled),
	KUNIT_CASE(used_pages_tell_the_end),
	KUNIT_CASE(runs_of_faults_are_learnt),
	KUNIT_CASE(random_faults_read_pages),
	KUNIT_CASE(shorter_faults_are_noticed),
	KUNIT_CASE(scattered_faults_have_few_marks),
	KUNIT_CASE(streams_do_not_change_the_count),
	KUNIT_CASE(warm_faults_are_read_further),
	KUNIT_CASE(evicted_pages_are_not_warm),
	KUNIT_CASE(habits_are_not_warm),
	KUNIT_CASE(large_blocks_are_not_warm),
	KUNIT_CASE(marks_of_warm_faults_are_noted),
	KUNIT_CASE(warm_faults_go_back),
	KUNIT_CASE(long_faults_are_streams),
	KUNIT_CASE(faults_go_back),
	KUNIT_CASE(faults_look_around),
	KUNIT_CASE(dense_faults_read_a_tile),
	KUNIT_CASE(habit_does_not_wrap),
	KUNIT_CASE(opens_learn_runs),
	KUNIT_CASE(opens_keep_lengths_only),
	KUNIT_CASE(guesses_are_bounded),
	KUNIT_CASE(two_windows_are_bounded),
	KUNIT_CASE(guesses_are_not_waited_for),
	KUNIT_CASE(short_guesses_do_not_hold_streams),
	KUNIT_CASE(streams_of_opens_do_not_stop),
	KUNIT_CASE(whole_files_are_known),
	KUNIT_CASE(heads_are_known),
	KUNIT_CASE(lengths_that_differ_are_a_part),
	KUNIT_CASE(warm_files_end_no_guess),
	KUNIT_CASE(own_runs_overrule_guesses),
	KUNIT_CASE(greedy_opens_spoil_little),
	KUNIT_CASE(guesses_follow_tracks),
	KUNIT_CASE(opens_learn_faults),
	KUNIT_CASE(misses_are_found_from_within_folios),
	KUNIT_CASE(pages_of_folios_are_counted),
	KUNIT_CASE(any_state_gives_a_sane_window),
	{}
};

static struct kunit_suite readahead_suite = {
	.name = "readahead",
	.test_cases = readahead_cases,
};

kunit_test_suite(readahead_suite);
