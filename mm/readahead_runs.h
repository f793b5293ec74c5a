/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far to read ahead
 *
 * Copyright (C) 2002, Linus Torvalds
 */
#ifndef _MM_READAHEAD_RUNS_H
#define _MM_READAHEAD_RUNS_H

#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/pagemap.h>

/**
 * DOC: Runs and windows
 *
 * The reads of a file are runs: stretches of consecutive pages, each ended by a jump. What is read
 * for one run is a row of windows, each of which begins where the one before it ends:
 *
 *	run_start     start of the last window    start + size
 *	|             |                           |
 *	|== window ===|========= window ====#=====|
 *	|~~~~ what the program has read ~~>       ^ async_size pages from the end: a mark
 *
 * Nothing is noted while the program finds its pages in the cache. The policy is asked at a miss
 * (the program needs a page that is not there) and at a mark (it has arrived at a page that says:
 * read on). A miss at a new place ends the run before. Where that ended is in prev_pos, which the
 * read path keeps anyway, and where it began is in run_start: so its length costs nothing.
 *
 * From the lengths comes the length to expect, ra_run_mean(). A new run is given that much at once,
 * without a mark if one window holds it. Until two runs have ended there is nothing to expect, and
 * windows open small and double, as they do for every run whose beginning was not seen.
 *
 * A run that outlives the expectation is given as much again, up to four times the expectation,
 * then windows that double: ra_run_next(). A long row of runs of one length is a strong habit, and
 * a run that breaks it a strong sign: then windows grow faster, by no more than four pages for each
 * run of that row, so that a wrong guess costs no more than those runs did.
 *
 * Streams that share one open file see each other's prev_pos. A run is learnt only if prev_pos lies
 * within what was read for it, and one stray length alone changes nothing. As ever, such streams
 * are told apart by their marks and by the pages that each has left in the cache.
 *
 * A stream that misses a page which was read for it is short of memory: more was read than the
 * cache could keep until it was used. It is held: windows of half the size, without marks, which
 * grow by an eighth each until they have their full size again.
 *
 * All of this is arithmetic on struct file_ra_state, without locks: threads that share an open file
 * may mix up each other's windows, but no value makes them read more than a window allows.
 */

/* Instead of the first page of a run: not known */
#define RA_NO_RUN	(~(pgoff_t)0)
/* ... and the stream's windows are kept short, as the cache does not hold them */
#define RA_HELD_RUN	(RA_NO_RUN - 1)

/* run_mean counts in 1/16 pages */
#define RA_RUN_SHIFT	4
/* What fits run_last and run_agreed */
#define RA_RUN_MAX	((1U << 20) - 1)
#define RA_AGREED_MAX	((1U << 12) - 1)

/**
 * struct ra_ask - what the policy is asked, and what it found out on the way
 * @mapping: the pages in the cache
 * @index: the page that is missing or marked
 * @pages: how many pages from @index on the program wants now; at least 1
 * @max: the longest window, in pages; at least 1
 * @streams: the user said that runs are long: expect nothing
 * @expect: how long a run is expected to be, in pages; 0 if there is nothing to go by
 * @ended: length of the run that was found to have ended, in pages; 0 if none was
 * @spent: how many pages were read for it
 */
struct ra_ask {
	struct address_space *mapping;
	pgoff_t index;
	unsigned long pages;
	unsigned long max;
	bool streams;
	unsigned long expect;
	unsigned long ended;
	unsigned long spent;
};

/**
 * ra_runs_agree() - are two runs of about one length?
 * @a: length of a run in pages
 * @b: length of another
 *
 * Return: true if they differ by no more than an eighth of the longer.
 */
static inline bool ra_runs_agree(unsigned int a, unsigned int b)
{
	return max(a, b) - min(a, b) <= max(a, b) / 8;
}

/**
 * ra_run_mean() - the length to expect, after one more run
 * @mean: the length expected before, in 1/16 pages; 0 if there was none
 * @last: length of the run before, in pages; 0 if there was none
 * @len: length of the run that ended, in pages; 1 to RA_RUN_MAX
 *
 * Two runs in a row that agree are believed: the longer of them is expected, exactly. So a
 * constant length is reached with its second run, from any mean, with nothing to round. If two runs
 * disagree, but both are longer or both shorter than expected, the mean goes half way to the nearer
 * one, rounded towards it: it gets there, and does not stop short. Between them it stays.
 *
 * Return: the length to expect, in 1/16 pages; 0 if @len is the first.
 */
static inline unsigned int ra_run_mean(unsigned int mean, unsigned int last, unsigned int len)
{
	unsigned int near = min(last, len) << RA_RUN_SHIFT;
	unsigned int far = max(last, len) << RA_RUN_SHIFT;

	if (!last)
		return 0;
	if (!mean)
		return near;
	if (ra_runs_agree(last, len))
		return far;
	if (mean < near)
		return mean + DIV_ROUND_UP(near - mean, 2);
	if (mean > far)
		return mean - DIV_ROUND_UP(mean - far, 2);
	return mean;
}

/**
 * ra_run_expected() - the length to expect, in whole pages
 * @mean: the same in 1/16 pages
 *
 * Return: @mean rounded to the nearest page; 0 if it is 0.
 */
static inline unsigned long ra_run_expected(unsigned int mean)
{
	return (mean + (1U << (RA_RUN_SHIFT - 1))) >> RA_RUN_SHIFT;
}

/**
 * ra_opening() - the window that opens a stream of which nothing is known
 * @pages: how many pages the program wants now
 * @max: the longest window, in pages
 *
 * Return: four times @pages if that is little beside @max, twice if it is not much, else @max.
 */
static inline unsigned long ra_opening(unsigned long pages, unsigned long max)
{
	unsigned long size = roundup_pow_of_two(min(pages, max));

	if (size <= max / 32)
		return 4 * size;
	if (size <= max / 4)
		return 2 * size;
	return max;
}

/**
 * ra_doubled() - the window that follows one of a stream
 * @size: the window before, in pages
 * @max: the longest window, in pages
 *
 * Return: twice @size, four times if that is little beside @max; no more than @max.
 */
static inline unsigned long ra_doubled(unsigned long size, unsigned long max)
{
	if (size < max / 16)
		return 4 * size;
	if (size <= max / 2)
		return 2 * size;
	return max;
}

/**
 * ra_run_next() - how much to read next for a run, in pages
 * @ra: the open file's state; its window is the last one of the run
 * @ask: where the run has arrived
 * @done: how many pages were read for the run so far
 *
 * Return: what is missing to the expectation; beyond that, as the DOC comment above says.
 */
static inline unsigned long ra_run_next(const struct file_ra_state *ra, const struct ra_ask *ask,
					unsigned long done)
{
	unsigned long expect = ask->expect, size, bold;

	if (done < expect)
		return min(expect - done, ask->max);

	if (done < 4 * expect)
		size = max(expect, ra_opening(ask->pages, ask->max));
	else
		size = 2UL * ra->size;
	bold = done < 8 * expect ? 4UL * ra->size : ask->max;
	size = max3(size, min(bold, 4UL * ra->run_agreed), ra->size + 0UL);
	return min(size, ask->max);
}

static inline void ra_expect(const struct file_ra_state *ra, struct ra_ask *ask)
{
	ask->expect = ask->streams ? 0 : ra_run_expected(ra->run_mean);
}

/* The run before has ended, if prev_pos lies in what was read for it. */
static inline void ra_run_learn(struct file_ra_state *ra, struct ra_ask *ask)
{
	pgoff_t end = ((u64)ra->prev_pos + PAGE_SIZE - 1) >> PAGE_SHIFT;
	unsigned int len;

	if (end <= ra->run_start || end > ra->start + ra->size)
		return;
	ask->ended = end - ra->run_start;
	ask->spent = ra->start + ra->size - ra->run_start;

	len = min3(ask->ended, 4 * ask->max, RA_RUN_MAX + 0UL);
	ra->run_mean = ra_run_mean(ra->run_mean, ra->run_last, len);
	if (len != ra->run_last)
		ra->run_agreed = 0;
	else if (ra->run_agreed < RA_AGREED_MAX)
		ra->run_agreed++;
	ra->run_last = len;
	ra_expect(ra, ask);
}

/*
 * The window of a miss that opens a stream. If the program wants all of it the mark cannot come
 * right after that: it would be met at once, so the next window is read along with this one.
 */
static inline void ra_open(struct file_ra_state *ra, const struct ra_ask *ask, unsigned long size)
{
	ra->start = ask->index;
	ra->size = size;
	if (size > ask->pages)
		ra->async_size = size - ask->pages;
	else
		ra->async_size = size / 2;
}

/*
 * A run begins at a new place. If it is longer than a window the mark is on the first page, which
 * the program meets before it waits: two windows are read at once.
 */
static inline void ra_run_begin(struct file_ra_state *ra, struct ra_ask *ask)
{
	unsigned long want = max(ask->expect, ask->pages);

	ra->run_start = ask->index;
	ra->start = ask->index;
	ra->size = min(want, ask->max);
	ra->async_size = want > ask->max ? ra->size : 0;
}

/* The stream got here, and what it needs was in the cache but is not any more. */
static inline void ra_hold(struct file_ra_state *ra, const struct ra_ask *ask)
{
	ra->run_start = RA_HELD_RUN;
	ra->start = ask->index;
	ra->size = clamp(ra->size / 2UL, min(ask->pages, ask->max), ask->max);
	ra->async_size = 0;
}

/* A held stream has used all that was read for it: a little more this time. */
static inline void ra_hold_less(struct file_ra_state *ra, const struct ra_ask *ask)
{
	unsigned long size = max(ra->size + ra->size / 8 + 1UL, ask->pages);

	if (size >= ask->max) {
		ra->run_start = RA_NO_RUN;
		ra_open(ra, ask, ask->max);
		return;
	}
	ra->start = ask->index;
	ra->size = size;
	ra->async_size = 0;
}

/*
 * The next window of a run of which @done pages were read. There is a mark in it if more is to come
 * for sure: the expectation is not met, or the run has turned out to be a stream.
 */
static inline void ra_run_extend(struct file_ra_state *ra, const struct ra_ask *ask,
				 unsigned long done)
{
	unsigned long wanted = ask->index + ask->pages - ra->start;
	unsigned long size = ra_run_next(ra, ask, done);
	bool more;

	if ((long)wanted > 0)
		size = max(size, min(wanted, ask->max));
	more = done + size < ask->expect;

	if (done >= ask->expect)
		more = done >= 8 * ask->expect || size >= ask->max;
	ra->size = size;
	ra->async_size = more ? size : 0;
}

/* A stream about which no expectation says anything: double. */
static inline void ra_stream_extend(struct file_ra_state *ra, const struct ra_ask *ask, bool missed)
{
	unsigned long size = max(ra_doubled(ra->size, ask->max), ra->size + 0UL);
	unsigned long next = ra_doubled(size, ask->max);

	if (missed && !ra->async_size) {
		ra_open(ra, ask, ra_opening(ask->pages, ask->max));
	} else if (missed && size + next <= ask->max) {
		ra->size = size + next;
		ra->async_size = next;
	} else {
		ra->size = size;
		ra->async_size = missed ? size / 2 : size;
	}
}

/* The program has arrived at the end of the last window (@missed) or at its mark. */
static inline void ra_go_on(struct file_ra_state *ra, struct ra_ask *ask, bool missed)
{
	unsigned long done = ra->start + ra->size - ra->run_start;

	if (missed && ra->run_start == RA_HELD_RUN) {
		ra_hold_less(ra, ask);
		return;
	}
	ra->start += ra->size;
	ra->size = max(ra->size, 1U);
	/* A window grown by a large request is kept. */
	ask->max = max(ask->max, ra->size + 0UL);
	if (ask->expect && ra->run_start < RA_HELD_RUN)
		ra_run_extend(ra, ask, done);
	else
		ra_stream_extend(ra, ask, missed);
}

/* How many pages before @ask->index are in the cache, one after the other; no more than max. */
static inline unsigned long ra_history(const struct ra_ask *ask)
{
	pgoff_t miss;

	rcu_read_lock();
	/* One more than max: without a gap among them, 6.1 gives the last that it looked at. */
	miss = page_cache_prev_miss(ask->mapping, ask->index - 1, ask->max + 1);
	rcu_read_unlock();
	return ask->index - 1 - miss;
}

/*
 * The program came here page by page, but not through the last window. Either what was read for it
 * is gone, or it found pages of others in the cache; those just before this one count as its own.
 */
static inline void ra_plan_adjacent(struct file_ra_state *ra, struct ra_ask *ask)
{
	unsigned long back = ra->start + ra->size - ask->index;

	if (ra->run_start == RA_HELD_RUN && back > 2UL * ra->size) {
		ra_hold_less(ra, ask);
	} else if (back && back <= 2UL * ra->size) {
		ra_hold(ra, ask);
	} else if (ask->expect) {
		ra->run_start = RA_NO_RUN;
		ra->start = ask->index;
		ra->size = min(ask->pages, ask->max);
		ra_run_extend(ra, ask, ra_history(ask));
	} else {
		ra->run_start = RA_NO_RUN;
		ra_open(ra, ask, ra_opening(ask->pages, ask->max));
	}
}

/*
 * The program came from elsewhere. More cached pages before this place than a run leaves are the
 * track of a stream, one of several on this open file: it gets as much as it has left, with the
 * mark on the last page. From the start of the file it is sure to be one.
 */
static inline void ra_plan_elsewhere(struct file_ra_state *ra, struct ra_ask *ask)
{
	unsigned long history = ra_history(ask);

	ra_run_learn(ra, ask);
	if (history <= max(ask->pages, ask->expect)) {
		ra_run_begin(ra, ask);
		return;
	}
	if (history >= ask->index)
		history *= 2;
	ra->run_start = RA_NO_RUN;
	ra->start = ask->index;
	ra->size = min(history + ask->pages, ask->max);
	ra->async_size = 1;
}

/**
 * ra_plan_miss() - what to read at a miss
 * @ra: the open file's state; start, size and async_size become the window to read
 * @ask: the miss
 */
static inline void ra_plan_miss(struct file_ra_state *ra, struct ra_ask *ask)
{
	pgoff_t seen = (u64)ra->prev_pos >> PAGE_SHIFT;

	ra_expect(ra, ask);
	if (!ask->index) {
		/* The start of a file: likely that all of it is read. */
		ra_run_learn(ra, ask);
		ra->run_start = 0;
		ra_open(ra, ask, clamp(ask->expect, ra_opening(ask->pages, ask->max), ask->max));
	} else if (ask->index == ra->start + ra->size) {
		ra_go_on(ra, ask, true);
	} else if (ask->pages > ask->max) {
		ra_run_learn(ra, ask);
		ra->run_start = ask->index - seen <= 1 ? RA_NO_RUN : ask->index;
		ra_open(ra, ask, ask->max);
	} else if (ask->index - seen <= 1) {
		ra_plan_adjacent(ra, ask);
	} else {
		ra_plan_elsewhere(ra, ask);
	}
}

/**
 * ra_plan_mark() - what to read at a mark
 * @ra: the open file's state; start, size and async_size become the window to read
 * @ask: the mark
 * @order: of the folio that carries the mark
 *
 * A mark that is not of the last window belongs to another stream on this open file. How much was
 * read ahead of it is seen in the cache, and doubled.
 *
 * Return: false if nothing is to be read.
 */
static inline bool ra_plan_mark(struct file_ra_state *ra, struct ra_ask *ask, unsigned int order)
{
	pgoff_t end = ra->start + ra->size;
	pgoff_t mark = round_down(end - ra->async_size, 1UL << order);
	pgoff_t miss;

	ra_expect(ra, ask);
	if (ra->size && (ask->index == mark || ask->index == end)) {
		ra_go_on(ra, ask, false);
		return true;
	}
	if (ra->run_start == RA_HELD_RUN)
		return false;

	rcu_read_lock();
	/* One more, as in ra_history() */
	miss = page_cache_next_miss(ask->mapping, ask->index + 1, ask->max + 1);
	rcu_read_unlock();
	if (!miss || miss - ask->index > ask->max)
		return false;
	ra->run_start = RA_NO_RUN;
	ra->start = miss;
	ra->size = ra_doubled(miss - ask->index + ask->pages, ask->max);
	ra->async_size = ra->size;
	return true;
}

#endif
