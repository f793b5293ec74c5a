// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far to read ahead: by the lengths of the runs that a file was read in
 */

/**
 * DOC: Runs and windows
 *
 * The reads of a file are runs: stretches of consecutive pages, each ended by a jump. What is read
 * for one run is a row of windows, each of which begins where the one before it ends::
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
 * without a mark if one window holds it. Of more than 256 KiB the first window is a part, and the
 * next ones are twice as long each: the program waits for the first one only. Until two runs have
 * ended there is nothing to expect, and windows open small and double, as they do for every run
 * whose beginning was not seen.
 *
 * A run that outlives the expectation is given as much again, with marks if it outlives that, too.
 * From four times the expectation on, and no less than eight pages, windows double: ra_run_next().
 * A long row of runs of one length is a strong habit, and a run that breaks it a strong sign: then
 * windows grow faster, to no more than four pages for each run of that row, so that a wrong guess
 * costs little beside those runs. A row that is too long to be counted may do with any window.
 *
 * Some runs are never expected, as the long ones among more short ones. Of the runs that were
 * longer than expected it is noted how many in a row were eight times as long. After three, what
 * outlives the expectation is a stream at once.
 *
 * If all of a file comes to be in memory, what is read beyond a run is used later, and to read
 * exactly is to wait more often. How much of it is there the cache knows, and with that grows what
 * is read beyond a run, ra_warming(): by itself, so that the program does not wait for it. Pages
 * that had to go have left shadows: where there are any memory is short, and nothing is read beyond
 * a run.
 *
 * A run that ended with its first request, such as a pread(2) of a whole record, says nothing of
 * what the next one needs beyond its request: it counts as one page.
 *
 * A program that looks at other pages between two runs, and finds them in the cache, as a database
 * does with its header and its index, leaves their place in prev_pos. If that does not lie in what
 * was read for the run, its pages tell: those that were used, one after the other, were the run.
 *
 * Runs of a habit, two or more of one length, are read in folios as large as fit. Such a folio does
 * not tell how much of it was used. If it would have to, all of it counts, but the habit is over,
 * and the pages of the next run are single.
 *
 * Streams that share one open file, and see each other's prev_pos, teach some lengths that are
 * none; one stray length alone changes nothing. As ever, such streams are told apart by their marks
 * and by the pages that each has left in the cache.
 *
 * A stream that misses a page which was read for it, and has left a shadow, is short of memory:
 * more was read than the cache could keep until it was used. It is held: windows of half the size,
 * which double up to a quarter of the largest, and then grow by a sixteenth each until they have
 * their full size again.
 *
 * Mapped files: a fault on a missing page is a request of one page. Who touches a page that is
 * mapped tells nobody, but a fault that maps what lies around it leaves pages with a mark out. So
 * the pages of a run of faults have a mark each, and those touched have lost theirs: where the next
 * run begins the marks tell how long the one before was. Once runs keep to one length its last page
 * alone has one; if that is still there at the next fault, the run was shorter, and marks tell all
 * again. Where lengths scatter one run of RA_LOOK has marks, and no other says anything. Where a
 * thread still waits for its first page nothing is learnt, and its run stays the one that is known.
 * A run that outlives the expectation is given four times what it had, at least 32 pages; faults
 * that go backwards a whole window. Where RA_DENSE pages (or runs) of 32 around a fault were missed
 * before, or all beside it is there, all 32 are read; fewer will do if a good part of the file is
 * there and memory has room for the rest. Where lengths scatter what is read by itself behind a run
 * grows with that part, as that of reads does. Of a disk that turns, where to read more costs
 * little beside getting there, mm/filemap.c reads as it ever did, until it gives up.
 *
 * Across opens: when the last reference to an open file goes, its run has ended, and the lengths
 * that it knows go to the inode, to be forgotten with that. As long as another open file has ended
 * no run of its own they are its guess. The first window is at most four times what it would be
 * without, or four pages for each of the last runs that had one length: what one reader makes
 * others read in vain is no more than what it has read itself, but that ra_warming() adds to such
 * a window in a file that comes to be in memory. If the last two runs had one length, and one
 * window holds that, a file is read so far from its start, and no further until the program is
 * there. A first run that is not as long as guessed, by more than an eighth, ends the guess; from
 * the start of the file what outlives it is a stream. Only of regular files: the inode of a block
 * device stays for as long as the device.
 *
 * What is known is kept in 64 bits of struct file_ra_state, loaded and stored as one word, or as
 * two on 32 bits, where a mix of two states is no worse than either. Faults rewrite start and size
 * without a word to the policy, so a few of these bits tell whether start is still the one that
 * was decided here: if not, where the run began is forgotten. There are no locks: threads that
 * share an open file may mix up each other's windows, and those that close one at a time what the
 * inode has, but no value makes them read more than a window allows.
 *
 * vm.readahead_runs (sysctl, 1) turns all of this off at 0: windows are then those of
 * mm/readahead.c, and nothing is learnt.
 */

#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sizes.h>
#include <linux/sysctl.h>
#include <linux/vmstat.h>
#include <linux/xarray.h>

#include "internal.h"
#include "readahead_runs.h"

#define CREATE_TRACE_POINTS
#include <trace/events/readahead_runs.h>

/* Bits of struct ra_packed */
#define RA_STATE_BITS	2
#define RA_BEFORE_BITS	14
#define RA_LENGTH_BITS	13
#define RA_RUN_SHIFT	2	/* the mean counts in 1/4 pages */
#define RA_AGREED_BITS	5
#define RA_FIRST_BITS	4
#define RA_LONGER_BITS	2
#define RA_CHECK_BITS	8

/* So many pages at the beginning of a run of faults have a mark each. */
#define RA_SEEN_PAGES	64U

/* Once so many runs of faults in a row were as long as the one before, one mark has to do. */
#define RA_HABIT	1

/*
 * Once so many have differed only one of RA_LOOK has marks, as each takes a fault, but if short
 * ones are expected. Lengths that come in turns of two or four are seen in these turns.
 */
#define RA_DIFFERED	8
#define RA_LOOK		5
#define RA_SHORT	8

/* Around a fault so many pages are looked at, and read if RA_DENSE runs of them are there. */
#define RA_TILE		32UL

/* In a file that memory has no room for, so many times as many of them as of the whole file */
#define RA_FAR_MORE	4

/* A file of fewer windows is read around faults, as mm/filemap.c does it until so many are lost. */
#define RA_SMALL	100

/* To read so much takes a disk that turns no longer than to get there. */
#define RA_SEEK_PAGES	(SZ_512K / PAGE_SIZE)

/* So many pages at most are looked at to see how much of a run was used. */
#define RA_USED_PAGES	256U

/* The windows of a held stream double up to such a part of the largest. */
#define RA_SOON		4

/*
 * Where opens of a file are told of lengths that differ, the windows that make up the expected
 * length are no shorter than such a part of the largest, or than that length.
 */
#define RA_SCATTERED	8

/* Behind a mark folios are of an order larger by so much, as a stream's are. */
#define RA_ORDER_STEP	2U

/* The first window of a run is no longer, for that is what the program waits for. */
#define RA_WAIT_PAGES	(SZ_256K / PAGE_SIZE)

/*
 * As many pages more are read in a file that comes to be in memory, for each page of it that is
 * there, of those that are not, and for each that is expected; three times that for short runs,
 * after which a stream's windows would grow by four. Nobody waits for them.
 */
#define RA_WARMING	8

#define RA_BEFORE_MAX	((1U << RA_BEFORE_BITS) - 1)
#define RA_RUN_MAX	((1U << RA_LENGTH_BITS) - 1)
#define RA_AGREED_MAX	((1U << RA_AGREED_BITS) - 1)
#define RA_FIRST_MAX	((1U << RA_FIRST_BITS) - 1)
#define RA_LONGER_MAX	((1U << RA_LONGER_BITS) - 1)

/**
 * enum ra_runs_state - what is known of the pages before the last window
 * @RA_UNKNOWN: nothing; also the state of a file that was just opened
 * @RA_RUN: where the run under way began
 * @RA_HELD: the cache does not hold the windows of a stream, so they are kept short
 * @RA_FAULTS: where the run under way began; it is one of faults, and its pages have marks
 */
enum ra_runs_state {
	RA_UNKNOWN,
	RA_RUN,
	RA_HELD,
	RA_FAULTS,
};

/* ->runs of struct file_ra_state; of ->i_ra_runs of struct inode mean, last, agreed and longer */
union ra_packed {
	u64 word;
	struct {
		u64 state : RA_STATE_BITS;
		u64 advised : 1;
		u64 before : RA_BEFORE_BITS;	/* pages of the run before the window, or held */
		u64 mean : RA_LENGTH_BITS + RA_RUN_SHIFT;
		u64 last : RA_LENGTH_BITS;
		u64 agreed : RA_AGREED_BITS;
		u64 first : RA_FIRST_BITS;
		u64 longer : RA_LONGER_BITS;
		u64 check : RA_CHECK_BITS;	/* of the start of the window */
	};
};

/* With 8 bytes more struct file still fills three cache lines; with 16 it would take a fourth. */
static_assert(sizeof(union ra_packed) == sizeof_field(struct file_ra_state, runs));
static_assert(sizeof(union ra_packed) == sizeof_field(struct inode, i_ra_runs));
static_assert(sizeof(union ra_packed) == 8);
static_assert(RA_DIFFERED + RA_LOOK <= RA_FIRST_MAX);

/**
 * struct ra_view - the state of an open file, unpacked
 * @start: first page of the last window
 * @size: its length in pages
 * @async_size: how many of them lie at and behind its mark; 0 if it has none
 * @prev_pos: end of the last read, in bytes
 * @state: what is known of the pages before
 * @advised: the user said that runs are long: expect nothing
 * @run_start: first page of the run, if @state is RA_RUN or RA_FAULTS
 * @held: how long a window may be, if @state is RA_HELD; 7.3 may end it where a large folio ends
 * @mean: expected length of a run, in 1/4 pages; 0 while too few have ended
 * @last: length of the run that ended last, in pages; 0 if none has
 * @agreed: how many runs in a row before it had the same length
 * @first: the run's first request was no longer than 2^@first pages; of one of faults how many
 *	before it have differed, up to RA_DIFFERED, and how many then had no marks
 * @longer: how many runs in a row, of those longer than expected, were very much longer
 */
struct ra_view {
	pgoff_t start;
	unsigned int size;
	unsigned int async_size;
	loff_t prev_pos;
	enum ra_runs_state state;
	bool advised;
	pgoff_t run_start;
	unsigned int held;
	unsigned int mean;
	unsigned int last;
	unsigned int agreed;
	unsigned int first;
	unsigned int longer;
};

/**
 * struct ra_ask - what the policy is asked, and what it found out on the way
 * @mapping: the pages in the cache
 * @known: what other open files have learnt
 * @index: the page that is missing or marked
 * @pages: how many pages from @index on the program wants now; at least 1
 * @max: the longest window, in pages; at least 1
 * @file: length of the file, in pages
 * @directory: a directory is read, from the pages of the device
 * @expect: how long a run is expected to be, in pages; 0 if there is nothing to go by
 * @first: how many pages from @index on are read before the window, for that is what is waited for
 * @ended: length of the run that was found to have ended, in pages; 0 if none was
 * @spent: how many pages were read for it
 * @touched: how many pages of a run were used, one after the other: of one of faults, or if
 *	prev_pos does not tell
 * @hidden: how far exactly is not known, as a large folio was used last
 * @waits: the first page of that run is not there yet
 * @room: how many pages may come in without anything else having to go that is in use
 * @dense: most pages around @index are in the cache, or come to be
 * @noted: the mark is not a stream's, but tells that its page was touched
 * @guess: what is known of runs is from other opens of the file; this one has ended none
 * @closed: nobody has the file open any more
 */
struct ra_ask {
	struct address_space *mapping;
	u64 *known;
	pgoff_t index;
	unsigned long pages;
	unsigned long max;
	unsigned long file;
	bool directory;
	unsigned long expect;
	unsigned long first;
	unsigned long ended;
	unsigned long spent;
	unsigned long touched;
	unsigned long room;
	bool hidden;
	bool waits;
	bool dense;
	bool noted;
	bool guess;
	bool closed;
};

static unsigned int ra_check(pgoff_t start)
{
	return hash_64(start, RA_CHECK_BITS);
}

/* Is it known where the run under way began? */
static bool ra_in_run(const struct ra_view *ra)
{
	return ra->state == RA_RUN || ra->state == RA_FAULTS;
}

static void ra_load(const struct file_ra_state *ra, struct ra_view *view)
{
	union ra_packed packed = { .word = READ_ONCE(ra->runs) };

	view->start = READ_ONCE(ra->start);
	view->size = READ_ONCE(ra->size);
	view->async_size = min(READ_ONCE(ra->async_size), view->size);
	view->prev_pos = READ_ONCE(ra->prev_pos);
	view->state = packed.check == ra_check(view->start) ? packed.state : RA_UNKNOWN;
	view->advised = packed.advised;
	view->run_start = view->start - packed.before;
	view->held = packed.before;
	view->mean = packed.mean;
	view->last = packed.last;
	view->agreed = packed.agreed;
	/* Of a run of reads that is forgotten the request says nothing any more. */
	view->first = packed.state == RA_FAULTS || packed.state == view->state ? packed.first : 0;
	view->longer = packed.longer;
}

/* Of a run that is longer than can be counted the last part is remembered. */
static void ra_store(struct file_ra_state *ra, const struct ra_view *view)
{
	union ra_packed packed = {
		.state = view->state,
		.advised = view->advised,
		.mean = view->mean,
		.last = view->last,
		.agreed = view->agreed,
		.first = view->first,
		.longer = view->longer,
		.check = ra_check(view->start),
	};

	if (ra_in_run(view))
		packed.before = min(view->start - view->run_start, (pgoff_t)RA_BEFORE_MAX);
	else if (view->state == RA_HELD)
		packed.before = min(view->held, RA_BEFORE_MAX);
	WRITE_ONCE(ra->start, view->start);
	WRITE_ONCE(ra->size, view->size);
	WRITE_ONCE(ra->async_size, view->async_size);
	WRITE_ONCE(ra->runs, packed.word);
}

/*
 * As long as an open file has ended no run of its own, what is known is what others have learnt of
 * the file before they closed it.
 */
static void ra_recall(struct ra_view *ra, struct ra_ask *ask)
{
	union ra_packed packed = { .word = READ_ONCE(*ask->known) };

	if (ra->last || ra->advised)
		return;
	ra->mean = packed.mean;
	ra->last = packed.last;
	ra->agreed = packed.agreed;
	ra->longer = packed.longer;
	ask->guess = packed.last;
}

static void ra_know_nothing(struct ra_view *ra)
{
	ra->mean = 0;
	ra->last = 0;
	ra->agreed = 0;
	ra->longer = 0;
}

/* How many runs of faults have differed stays known; what a run of reads has asked for does not. */
static void ra_forget_request(struct ra_view *ra, enum ra_runs_state before)
{
	if (before == RA_RUN && !ra_in_run(ra))
		ra->first = 0;
}

/* What others have learnt is not kept: it is theirs to change. */
static void ra_forget_guess(struct ra_view *ra, const struct ra_ask *ask)
{
	if (ask->guess)
		ra_know_nothing(ra);
}

/* Are two runs of about one length, no more than an eighth of the longer apart? */
static bool ra_runs_agree(unsigned int a, unsigned int b)
{
	return max(a, b) - min(a, b) <= max(a, b) / 8;
}

/**
 * ra_run_mean() - the length to expect, after one more run
 * @mean: the length expected before, in 1/4 pages; 0 if there was none
 * @last: length of the run before, in pages; 0 if there was none
 * @agreed: how many runs in a row before that one had the same length
 * @len: length of the run that ended, in pages; 1 to RA_RUN_MAX
 *
 * Two runs in a row that agree are believed: the longer of them is expected, exactly. So a
 * constant length is reached with its second run, with nothing to round. But to more than four
 * times the mean it takes three that agree, as what is read in vain for one short run is as much as
 * a long one gains. If two runs disagree, but both are longer or both shorter than expected, the
 * mean goes half way to the nearer one, rounded towards it: it gets there, and does not stop short.
 * Between them it stays.
 *
 * Return: the length to expect, in 1/4 pages; 0 if @len is the first.
 */
static unsigned int ra_run_mean(unsigned int mean, unsigned int last, unsigned int agreed,
				unsigned int len)
{
	unsigned int near = min(last, len) << RA_RUN_SHIFT;
	unsigned int far = max(last, len) << RA_RUN_SHIFT;

	if (!last)
		return 0;
	if (!mean)
		return near;
	if (ra_runs_agree(last, len))
		return agreed ? far : min(far, 4 * mean);
	if (mean < near)
		return mean + DIV_ROUND_UP(near - mean, 2);
	if (mean > far)
		return mean - DIV_ROUND_UP(mean - far, 2);
	return mean;
}

/* The length to expect, in whole pages: the nearest */
static unsigned long ra_run_expected(unsigned int mean)
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
static unsigned long ra_opening(unsigned long pages, unsigned long max)
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
static unsigned long ra_doubled(unsigned long size, unsigned long max)
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
static unsigned long ra_run_next(const struct ra_view *ra, const struct ra_ask *ask,
				 unsigned long done)
{
	unsigned long expect = ask->expect, size, bold;

	if (done < expect) {
		size = expect - done;
		if (ask->guess && !ra->agreed)
			size = max(size, min(expect, ask->max / RA_SCATTERED));
		return min3(size, ask->max, max(2UL * ra->size, RA_WAIT_PAGES));
	}

	/* Each fault waits, so windows grow faster than those of reads. */
	if (ra->state == RA_FAULTS)
		return min(ask->max, max(RA_TILE, 4 * done));
	if (done < max(4 * expect, 8UL))
		size = max(expect, ra_opening(ask->pages, ask->max));
	else
		size = ra_doubled(ra->size, ask->max);
	bold = done < 8 * expect ? 4UL * ra->size : ask->max;
	if (ra->agreed < RA_AGREED_MAX)
		bold = min(bold, 4UL * ra->agreed);
	size = max3(size, bold, ra->size + 0UL);
	return min(size, ask->max);
}

static void ra_expect(const struct ra_view *ra, struct ra_ask *ask)
{
	ask->expect = ra->advised ? 0 : ra_run_expected(ra->mean);
}

/* Where the last read has ended: of a directory prev_pos is the start of its last page. */
static pgoff_t ra_prev_end(const struct ra_view *ra, const struct ra_ask *ask)
{
	return ((u64)ra->prev_pos + (ask->directory ? PAGE_SIZE : PAGE_SIZE - 1)) >> PAGE_SHIFT;
}

/* Is a run that outlives the expectation a stream? Most of the last ones were, or were not. */
static void ra_learn_longer(struct ra_view *ra, const struct ra_ask *ask)
{
	if (!ask->expect || ask->ended <= ask->expect)
		return;
	if (ask->ended < 8 * ask->expect)
		ra->longer = 0;
	else if (ra->longer < RA_LONGER_MAX)
		ra->longer++;
}

/* Does the run begin at the start of the file, and only other opens said how long it would be? */
static bool ra_is_guessed_head(const struct ra_view *ra, const struct ra_ask *ask)
{
	return ra_in_run(ra) && ask->guess && !ra->run_start;
}

/*
 * Is a run that outlives the expectation a stream at once? From the start of a file, where only
 * other opens said how long it would be, it goes on to the end.
 */
static bool ra_lasts(const struct ra_view *ra, const struct ra_ask *ask)
{
	return ra->longer == RA_LONGER_MAX || ra_is_guessed_head(ra, ask);
}

/*
 * Does a run say anything of the next ones? Most runs of faults do not where lengths scatter, not
 * even those whose length is known without marks: these are the long ones.
 */
static bool ra_is_looked_at(const struct ra_view *ra)
{
	return ra->state != RA_FAULTS || ra->agreed >= RA_HABIT || ra->first <= RA_DIFFERED ||
	       ra_run_expected(ra->mean) <= RA_SHORT;
}

/* Has only the last page of this window a mark? Then runs of faults have kept to one length. */
static bool ra_one_mark(const struct ra_view *ra)
{
	return ra->agreed >= RA_HABIT &&
	       ra->start - ra->run_start < ra_run_expected(ra->mean);
}

/* Is it known from prev_pos where the run before has ended: in what was read for it? */
static bool ra_prev_tells(const struct ra_view *ra, const struct ra_ask *ask)
{
	pgoff_t end = ra_prev_end(ra, ask);

	return end > ra->run_start && end <= ra->start + ra->size;
}

/* Where the run before has ended; where it began if that is not known */
static pgoff_t ra_run_end(const struct ra_view *ra, const struct ra_ask *ask)
{
	if (ra->state == RA_RUN && ra_prev_tells(ra, ask))
		return ra_prev_end(ra, ask);
	return ra->run_start + ask->touched;
}

/* A run of @len pages has ended: how many of one length were there in a row? */
static void ra_count_agreed(struct ra_view *ra, unsigned int len, bool hidden)
{
	/* What a large folio has hidden, the pages of the next run tell: those will be single. */
	if (len != ra->last || hidden)
		ra->agreed = 0;
	else if (ra->agreed < RA_AGREED_MAX)
		ra->agreed++;
	if (ra->state != RA_FAULTS)
		return;
	if (ra->agreed > RA_HABIT)
		ra->first = 0;
	else if (!ra->agreed && ra->first <= RA_DIFFERED)
		ra->first++;
}

/* The run before has ended, if it is known where. */
static void ra_run_learn(struct ra_view *ra, struct ra_ask *ask)
{
	unsigned int len;
	pgoff_t end;

	if (!ra_in_run(ra))
		return;
	if (!ra_is_looked_at(ra)) {
		if (++ra->first >= RA_DIFFERED + RA_LOOK)
			ra->first = RA_DIFFERED;
		return;
	}
	end = ra_run_end(ra, ask);
	if (end <= ra->run_start || end > ra->start + ra->size)
		return;
	/* It was shorter than those before: how much, the marks of the next one tell. */
	if (ra->state == RA_FAULTS && end < ra->start + ra->size && !ask->guess &&
	    ra_one_mark(ra)) {
		ra->agreed = 0;
		return;
	}
	ask->ended = end - ra->run_start;
	ask->spent = ra->start + ra->size - ra->run_start;

	ra_learn_longer(ra, ask);
	len = min3(ask->ended, 4 * ask->max, RA_RUN_MAX + 0UL);
	if (ra->state == RA_RUN && ask->ended <= 1UL << ra->first)
		len = 1;
	/* If the first run is not what others said it would be, no more is believed of that. */
	if (ask->guess && !ask->closed && !ra_runs_agree(ra_run_expected(ra->mean), len))
		ra_know_nothing(ra);
	ask->guess = false;
	ra->mean = ra_run_mean(ra->mean, ra->last, ra->agreed, len);
	ra_count_agreed(ra, len, ask->hidden);
	ra->last = len;
	ra_expect(ra, ask);
}

/* A run begins with this request. */
static void ra_run_from(struct ra_view *ra, const struct ra_ask *ask)
{
	ra->state = RA_RUN;
	ra->run_start = ask->index;
	ra->first = order_base_2(min(ask->pages, RA_RUN_MAX + 0UL));
}

/*
 * How much may be read at once for a run that only other opens speak for: four times @sure, which
 * would be read without them, or four pages for each of the last of their runs that had one length.
 * In a file that comes to be in memory ra_warming() adds what follows from that.
 */
static unsigned long ra_most(const struct ra_view *ra, const struct ra_ask *ask, unsigned long sure)
{
	return ask->guess ? 4 * max(sure, ra->agreed + 1UL) : ULONG_MAX;
}

/*
 * The window of a miss that opens a stream. If the program wants all of it the mark cannot come
 * right after that: it would be met at once, so the next window is read along with this one.
 */
static void ra_open(struct ra_view *ra, const struct ra_ask *ask, unsigned long size)
{
	ra->start = ask->index;
	ra->size = size;
	if (size > ask->pages)
		ra->async_size = size - ask->pages;
	else
		ra->async_size = size / 2;
}

/* A page that was in the cache, and had to go, has left a shadow: memory is short. */
static bool ra_was_evicted(const struct ra_ask *ask)
{
	return xa_is_value(xa_load(&ask->mapping->i_pages, ask->index));
}

/* The same of what lies around it: @pages from there on, as far as one looks */
static bool ra_any_evicted(const struct ra_ask *ask, unsigned long pages)
{
	unsigned long index, last = ask->index + min(pages, RA_SEEN_PAGES + 0UL) - 1;
	void *entry;

	xa_for_each_range(&ask->mapping->i_pages, index, entry, ask->index, last)
		if (xa_is_value(entry))
			return true;
	return false;
}

/* How many pages of the file are in memory */
static unsigned long ra_in_memory(const struct ra_ask *ask)
{
	return min(READ_ONCE(ask->mapping->nrpages), ask->file);
}

/* Has memory room for what is not there of it? */
static bool ra_has_room(const struct ra_ask *ask)
{
	return ask->file - ra_in_memory(ask) <= ask->room;
}

/*
 * @pages for each page of the file that is not in memory, by those that are: from an eighth on. Not
 * where blocks are larger than pages, as what is read by itself begins where a block does.
 */
static unsigned long ra_warmth(const struct ra_ask *ask, unsigned long pages)
{
	unsigned long cached = ra_in_memory(ask);

	if (cached < ask->file / 8)
		return 0;
	if (ask->mapping->host && ask->mapping->host->i_blkbits > PAGE_SHIFT)
		return 0;
	return mult_frac(pages, cached, ask->file - cached + 1);
}

/*
 * How much to read where a run of @size pages is expected: more, if all of the file comes to be in
 * memory, run by run, and what was read in vain is used later. How likely that is, the part of the
 * file says that is there, if it is an eighth or more. Short jumps forward are a scan's, which does
 * not come back.
 */
static unsigned long ra_warming(const struct ra_view *ra, const struct ra_ask *ask,
				unsigned long size)
{
	unsigned long more = size < ask->max / 16 ? 3 * RA_WARMING : RA_WARMING;
	pgoff_t seen = (u64)ra->prev_pos >> PAGE_SHIFT;

	if (size <= ask->pages || size >= ask->max)
		return size;
	if (ask->index - seen <= ask->max)
		return size;
	more = min(size + ra_warmth(ask, more * size), ask->max);
	return more > size && ra_any_evicted(ask, more) ? size : more;
}

/* How many pages there are from here on, if that is known */
static unsigned long ra_left(const struct ra_ask *ask)
{
	return ask->file > ask->index ? ask->file - ask->index : ULONG_MAX;
}

/*
 * A run begins at a new place. If it is longer than this window the mark is on the first page,
 * which the program meets before it waits: two windows are read at once. Where that is too
 * much for a guess, the mark is on the first page beyond this request: there is something to it.
 */
static void ra_run_begin(struct ra_view *ra, struct ra_ask *ask, unsigned long sure)
{
	unsigned long need = max(ask->expect, ask->pages);
	unsigned long most = ra_most(ra, ask, sure);
	unsigned long want = min(ra_warming(ra, ask, min(need, most)), ra_left(ask));

	ra_run_from(ra, ask);
	ra->start = ask->index;
	ra->size = min(min3(need, ask->max, max(ask->pages, RA_WAIT_PAGES)), most);
	if (need <= ra->size)
		ra->async_size = 0;
	else if (3UL * ra->size <= most || ra->size <= ask->pages)
		ra->async_size = ra->size;
	else
		ra->async_size = ra->size - ask->pages;
	/* The rest of a longer run is better read in windows with marks. */
	if (want > need && need <= 4 * RA_WAIT_PAGES) {
		ask->first = ra->size;
		ra->start += ra->size;
		ra->size = want - ra->size;
		ra->async_size = 0;
	}
}

/* How long windows of this stream are, if nothing cuts them short */
static unsigned long ra_stream_size(const struct ra_view *ra)
{
	return ra->state == RA_HELD ? ra->held : ra->size;
}

/* The stream got here, and what it needs was in the cache but is not any more. */
static void ra_hold(struct ra_view *ra, const struct ra_ask *ask)
{
	unsigned long size = ra_stream_size(ra) / 2;

	ra->state = RA_HELD;
	ra->held = clamp(size, min(ask->pages, ask->max), ask->max);
	ra_open(ra, ask, ra->held);
}

/*
 * A held stream has used what was read for it: a little more this time. Of a window that was opened
 * at a miss the mark comes too soon to say that.
 */
static void ra_hold_less(struct ra_view *ra, const struct ra_ask *ask, bool missed)
{
	unsigned long size = ra->held, soon = ask->max / RA_SOON;

	if (missed || ra->async_size == ra->size)
		size = size < soon ? min(2 * size, soon) : size + size / 16 + 1;
	size = max3(size, ask->pages, 1UL);
	if (size >= ask->max) {
		ra->state = RA_UNKNOWN;
		size = ask->max;
	}
	ra->held = size;
	if (missed) {
		ra_open(ra, ask, size);
		return;
	}
	ra->start += ra->size;
	ra->size = size;
	ra->async_size = size;
}

/*
 * The next window of a run of which @done pages were read. There is a mark in it if more is to come
 * in all likelihood: the expectation is not met, or the run has outlived it by as much again.
 */
static void ra_run_extend(struct ra_view *ra, const struct ra_ask *ask, unsigned long done)
{
	unsigned long wanted = ask->index + ask->pages - ra->start;
	unsigned long size = ra_run_next(ra, ask, done);
	bool more;

	if ((long)wanted > 0)
		size = max(size, min(wanted, ask->max));
	more = done + size < ask->expect;

	if (done >= ask->expect)
		more = done >= 2 * ask->expect || size >= ask->max;
	/* Of runs as long as can be counted no end is known. */
	if ((ra->state == RA_FAULTS || ask->guess) && ask->expect >= 4 * ask->max)
		more = true;
	ra->size = size;
	ra->async_size = more ? size : 0;
}

/* A stream about which no expectation says anything: double. */
static void ra_stream_extend(struct ra_view *ra, const struct ra_ask *ask, bool missed)
{
	unsigned long size = max(ra_doubled(ra->size, ask->max), ra->size + 0UL);
	unsigned long next = ra_doubled(size, ask->max);

	if (missed && !ra->async_size && ra_is_guessed_head(ra, ask)) {
		ra_open(ra, ask, min(size, max3(ra->size + 0UL, ask->pages, RA_WAIT_PAGES)));
	} else if (missed && !ra->async_size) {
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
static void ra_go_on(struct ra_view *ra, struct ra_ask *ask, bool missed)
{
	unsigned long done = ra->start + ra->size - ra->run_start;

	if (ra->state == RA_HELD) {
		ra_hold_less(ra, ask, missed);
		return;
	}
	ra->start += ra->size;
	ra->size = max(ra->size, 1U);
	/* A window grown by a large request is kept. */
	ask->max = max(ask->max, ra->size + 0UL);
	if (ask->expect && ra_in_run(ra) &&
	    (done < ask->expect || !ra_lasts(ra, ask) || ra->state == RA_FAULTS))
		ra_run_extend(ra, ask, done);
	else
		ra_stream_extend(ra, ask, missed);
}

/* How many pages before @ask->index are in the cache, one after the other; no more than max. */
static unsigned long ra_history(const struct ra_ask *ask)
{
	pgoff_t miss;

	rcu_read_lock();
	/* One more than max: without a gap, older kernels give the last page they looked at. */
	miss = page_cache_prev_miss(ask->mapping, ask->index - 1, ask->max + 1);
	rcu_read_unlock();
	return min(ask->index - 1 - miss, ask->max);
}

/* A stream that has left @history pages here gets as many, with the mark on the last page. */
static void ra_follow_track(struct ra_view *ra, const struct ra_ask *ask, unsigned long history)
{
	ra->state = RA_UNKNOWN;
	ra->start = ask->index;
	ra->size = min(history + ask->pages, ask->max);
	ra->async_size = 1;
}

/*
 * The program came here page by page, but not through the last window. Either what was read for it
 * is gone, or it found pages of others in the cache; those just before this one count as its own.
 */
static void ra_plan_adjacent(struct ra_view *ra, struct ra_ask *ask)
{
	unsigned long back = ra->start + ra->size - ask->index;
	unsigned long history = ra_history(ask);
	unsigned long far = 2 * ra_stream_size(ra);

	if (ra->state == RA_HELD && back > far) {
		ra_hold_less(ra, ask, true);
	} else if (back && back <= far && ra_was_evicted(ask)) {
		ra_hold(ra, ask);
	} else if (history < ask->expect && !ask->guess) {
		ra->state = RA_UNKNOWN;
		ra->start = ask->index;
		ra->size = min(max(ask->pages, ask->expect - history), ask->max);
		ra->async_size = 0;
	} else if (ask->expect && !ask->guess) {
		ra_follow_track(ra, ask, history);
	} else {
		ra->state = RA_UNKNOWN;
		ra_open(ra, ask, ra_opening(ask->pages, ask->max));
	}
}

/*
 * The program came from elsewhere. As many cached pages before this place as a run leaves are the
 * track of a stream, one of several on this open file: it gets as much as it has left, with the
 * mark on the last page. So are as many as the largest window, however long runs are. From the
 * start of the file it is sure to be one.
 */
static void ra_plan_elsewhere(struct ra_view *ra, struct ra_ask *ask)
{
	unsigned long history = ra_history(ask);

	ra_run_learn(ra, ask);
	if (history <= ask->pages) {
		ra_run_begin(ra, ask, ask->pages);
		return;
	}
	if (history < min(ask->expect, ask->max)) {
		ra_run_begin(ra, ask, history + ask->pages);
		return;
	}
	if (history >= ask->index)
		history *= 2;
	ra_follow_track(ra, ask, history);
}

/* What to read at a miss: start, size and async_size become the window. */
static void ra_plan_miss(struct ra_view *ra, struct ra_ask *ask)
{
	pgoff_t seen = (u64)ra->prev_pos >> PAGE_SHIFT;
	unsigned long opening = ra_opening(ask->pages, ask->max);
	unsigned long size;

	ra_expect(ra, ask);
	if (!ask->index) {
		/* The start of a file: likely that all of it is read. */
		ra_run_learn(ra, ask);
		ra_run_from(ra, ask);
		size = clamp(ask->expect, opening, ask->max);
		if (ask->guess)
			size = min3(size, ra_most(ra, ask, opening), max(opening, RA_WAIT_PAGES));
		ra_open(ra, ask, size);
		/* Others have read so much of it each, and went. */
		if (ask->guess && ra->agreed && ra->size == ask->expect)
			ra->async_size = 0;
	} else if (ask->index == ra->start + ra->size) {
		ra_go_on(ra, ask, true);
	} else if (ask->pages > ask->max) {
		ra_run_learn(ra, ask);
		if (ask->index - seen <= 1)
			ra->state = RA_UNKNOWN;
		else
			ra_run_from(ra, ask);
		ra_open(ra, ask, ask->max);
	} else if (ask->index - seen <= 1) {
		ra_plan_adjacent(ra, ask);
	} else {
		ra_plan_elsewhere(ra, ask);
	}
}

/*
 * What to read at a mark, that of a folio of @order; false if nothing is.
 *
 * A mark that is not of the last window belongs to another stream on this open file. How much was
 * read ahead of it is seen in the cache, and doubled. The end is rounded down, by less than half,
 * to where large folios may end. Else 7.3 does that, by an order that is of any of the streams, and
 * may go on to cut every other window short. Where memory is short a little less is right, too.
 */
static bool ra_plan_mark(struct ra_view *ra, struct ra_ask *ask, unsigned int order)
{
	pgoff_t end = ra->start + ra->size;
	pgoff_t mark = round_down(end - ra->async_size, 1UL << order);
	unsigned long size;
	pgoff_t miss;

	ra_expect(ra, ask);
	if (ra->size && (ask->index == mark || ask->index == end)) {
		ra_go_on(ra, ask, false);
		return true;
	}
	if (ra->state == RA_HELD || ask->noted)
		return false;

	rcu_read_lock();
	/* One more, as in ra_history() */
	miss = page_cache_next_miss(ask->mapping, ask->index + 1, ask->max + 1);
	rcu_read_unlock();
	if (!miss || miss - ask->index > ask->max)
		return false;
	ra->state = RA_UNKNOWN;
	ra->start = miss;
	size = ra_doubled(miss - ask->index + ask->pages, ask->max);
	end = round_down(miss + size, max(rounddown_pow_of_two(size) / 2, 1UL));
	ra->size = end - miss;
	ra->async_size = ra->size;
	return true;
}

/* A program that goes through its pages from the last to the first */
static void ra_go_back(struct ra_view *ra, const struct ra_ask *ask)
{
	ra->state = RA_UNKNOWN;
	ra->size = min(ask->max, ask->index + 1);
	ra->start = ask->index + 1 - ra->size;
	ra->async_size = 0;
}

/*
 * What is read by itself behind the window of a run of faults whose lengths scatter, if memory has
 * room for all of the file: no more than a window, and nothing where the rest of the run is still
 * to come. Runs of a habit are read exactly: who keeps to one length, and to half of the file,
 * would lose more by that than who reads all of it would gain.
 */
static void ra_faults_warm(struct ra_view *ra, struct ra_ask *ask)
{
	unsigned long left = ra_left(ask) - min(ra_left(ask), ra->size + 0UL);
	unsigned long more = min3(ra_warmth(ask, RA_WARMING * ra->size), ask->max, left);

	if (!more || ra->agreed || ra->async_size || ra->size >= RA_SEEN_PAGES ||
	    !ra_has_room(ask) || ra_any_evicted(ask, ra->size + more))
		return;
	ask->first = ra->size;
	ra->start += ra->size;
	ra->size = more;
}

static unsigned long ra_tile(const struct ra_ask *ask)
{
	return min(rounddown_pow_of_two(ask->max), RA_TILE);
}

/*
 * A run of faults begins. While nothing is known it gets a window as large as stock's, a quarter of
 * it behind the mark.
 */
static void ra_faults_begin(struct ra_view *ra, struct ra_ask *ask)
{
	unsigned long want = ask->expect ? ask->expect : ask->max;
	unsigned int differed = ra->state == RA_FAULTS || ra->state == RA_UNKNOWN ? ra->first : 0;

	/* Of lengths that scatter the mean is below the half of them. */
	if (want > 1 && !ra->agreed)
		want = min(2 * want, max(want, ask->max));
	ra_run_from(ra, ask);
	ra->state = RA_FAULTS;
	ra->first = differed;
	ra->start = ask->index;
	ra->size = min(want, ask->max);
	if (ask->expect)
		ra->size = min(ra->size + 0UL, RA_WAIT_PAGES);
	ra->async_size = want > ra->size ? ra->size : ask->expect ? 0 : ra->size / 4;
	ra_faults_warm(ra, ask);
}

/* What to read at a fault on a missing page: start, size and async_size become the window. */
static void ra_plan_fault(struct ra_view *ra, struct ra_ask *ask)
{
	pgoff_t first = ra->state == RA_FAULTS ? ra->run_start : ra->start;
	unsigned long history;

	ra_expect(ra, ask);
	if (ra->size && ask->index == ra->start + ra->size) {
		ra_go_on(ra, ask, true);
	} else if (ra->size && ask->index + 1 == first) {
		ra_go_back(ra, ask);
	} else {
		history = ask->index ? ra_history(ask) : 0;
		if (!ask->waits)
			ra_run_learn(ra, ask);
		if (ask->dense && history < ra_tile(ask) / 2 && !ra_was_evicted(ask)) {
			ra->state = RA_UNKNOWN;
			ra->size = ra_tile(ask);
			ra->start = round_down(ask->index, ra->size);
			ra->async_size = 0;
		} else if (history <= 1 || history < min(ask->expect, ask->max)) {
			ra_faults_begin(ra, ask);
		} else {
			ra_follow_track(ra, ask, history);
			/* What follows a mark tells those of streams from those of runs. */
			ra->async_size = ra->size - 1;
		}
	}
	/* A fault does not meet the mark of the page that it waits for. */
	ra->async_size = min(ra->async_size, max(ra->size, 1U) - 1);
}

/*
 * Leave out of the window what lies beyond the last page of the file. If the file grows, a reader
 * that gets there has arrived at the end of the window, and has not lost pages of it. A window has
 * a page at least, as page_cache_ra_order(), where another reader of this open file may be, takes
 * none for all there are: one that somebody waits for, who will learn elsewhere that it is gone;
 * else the one before, and false is returned: nothing is to be read.
 */
static bool ra_end_with_file(struct ra_view *ra, pgoff_t pages, bool waits)
{
	if (ra->start + ra->size <= pages)
		return true;
	ra->async_size = 0;
	ra->size = ra->start < pages ? pages - ra->start : 1;
	if (ra->start < pages || waits)
		return true;
	if (ra->start && ra->start != ra->run_start)
		ra->start--;
	return false;
}

/*
 * Where no folio has less than @pages pages a window ends with one. Else the folio of its end were
 * the one of its mark, too, and the next window began within it.
 */
static void ra_end_with_folio(struct ra_view *ra, unsigned long pages)
{
	ra->size = round_up(ra->start + ra->size, pages) - ra->start;
}

/* Is the window only a part of what is expected of the run? */
static bool ra_within_run(const struct ra_view *ra, const struct ra_ask *ask)
{
	return ra_in_run(ra) && ra->start + ra->size - ra->run_start < ask->expect;
}

static pgoff_t ra_file_pages(const struct readahead_control *ractl)
{
	return ((u64)i_size_read(ractl->mapping->host) + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* Has a page a mark? @missing is the answer if it is not there. */
static bool ra_has_mark(struct address_space *mapping, pgoff_t index, bool missing)
{
	struct folio *folio = filemap_get_folio(mapping, index);
	bool mark;

	if (IS_ERR_OR_NULL(folio))
		return missing;
	mark = folio_test_readahead(folio);
	folio_put(folio);
	return mark;
}

/*
 * How far the pages of a run of faults were touched: one that was has no mark, or not any more. So
 * @ra is what the marks were set by, without what others have learnt.
 */
static void ra_look_back(const struct ra_view *ra, struct ra_ask *ask)
{
	unsigned long pages = ra->start + ra->size - ra->run_start;
	struct folio *folio = filemap_get_folio(ask->mapping, ra->run_start);

	if (IS_ERR_OR_NULL(folio))
		return;
	ask->waits = folio_test_locked(folio);
	folio_put(folio);
	ask->touched = 1;
	if (!ra_is_looked_at(ra))
		return;
	if (ra->start - ra->run_start >= RA_SEEN_PAGES)
		ask->touched = ra->start - ra->run_start;
	else
		while (ask->touched < min(pages, RA_SEEN_PAGES + 0UL) &&
		       !ra_has_mark(ask->mapping, ra->run_start + ask->touched, true))
			ask->touched++;
}

/*
 * How far the pages of a run of reads were used, if prev_pos does not tell: the program has found
 * others in the cache since. Who uses a page tells reclaim; one that came back to memory may be
 * active without. Where a large folio is the last that was used it is not known how much of it was.
 */
static void ra_look_for_end(const struct ra_view *ra, struct ra_ask *ask)
{
	pgoff_t index, end = ra->start + ra->size;
	struct folio *folio;
	unsigned long size;
	bool goes_on;

	if (ask->index == end || ra_prev_tells(ra, ask))
		return;
	index = max(ra->run_start, end - min(end, RA_USED_PAGES + 0UL));
	for (goes_on = true; goes_on && index < end;) {
		folio = filemap_get_folio(ask->mapping, index);
		if (IS_ERR_OR_NULL(folio))
			break;
		size = folio_nr_pages(folio);
		index = min(round_down(index, size) + size, end);
		if (folio_test_referenced(folio)) {
			ask->touched = index - ra->run_start;
			ask->hidden = size > 1;
		} else {
			goes_on = folio_test_active(folio);
		}
		folio_put(folio);
	}
}

/* How many pages there are from @start on, those of large folios among them */
static unsigned long ra_cached(const struct ra_ask *ask, pgoff_t start, unsigned long size)
{
	XA_STATE(xas, &ask->mapping->i_pages, start);
	pgoff_t end = start + size;
	unsigned long nr, n = 0;
	void *entry;

	rcu_read_lock();
	xas_for_each(&xas, entry, end - 1) {
		if (xas_retry(&xas, entry) || xa_is_value(entry))
			continue;
		nr = 1UL << xas_get_order(&xas);
		n += min(round_down(xas.xa_index, nr) + nr, end) - xas.xa_index;
	}
	rcu_read_unlock();
	return n;
}

/*
 * Were so many pages around a fault missed already, or runs? Or is all beside them there? Of a
 * file that comes to be in memory, and has room there, fewer will do; else there must be far more
 * than wherever one looks.
 */
static void ra_look_around(const struct ra_view *ra, struct ra_ask *ask)
{
	unsigned long size = ra_tile(ask), expect = max(ra_run_expected(ra->mean), 1UL);
	unsigned long need = max(2 * expect, min(RA_DENSE * expect, size / 2));
	unsigned long cached = ra_in_memory(ask);
	pgoff_t start = round_down(ask->index, size);

	if (!ra_has_room(ask))
		need += mult_frac(cached, RA_FAR_MORE * size, ask->file);
	else if (cached >= ask->file / RA_MUCH)
		need = 0;
	else if (cached >= ask->file / RA_SOME)
		need = expect;
	ask->dense = ra_cached(ask, start, size) >= need;
	if (ask->dense || 2 * expect > size)
		return;
	ask->dense = (start && ra_cached(ask, start - size, size) >= size - size / 4) ||
		     ra_cached(ask, start + size, size) >= size - size / 4;
}

/*
 * Does a mark say nothing but that its page is touched? Then the next page has one, too, or it is
 * the last page of a run of faults: @missing says whether it is taken for that.
 */
static bool ra_noted(const struct ra_view *ra, const struct ra_ask *ask, struct folio *folio,
		     bool missing)
{
	unsigned long nr = folio_nr_pages(folio);
	pgoff_t end = ra->start + ra->size;

	if (ra->async_size && (ask->index == end - ra->async_size || ask->index == end))
		return false;
	if (ra->state == RA_FAULTS && ask->index >= ra->run_start && ask->index < end)
		return true;
	return ra_has_mark(ask->mapping, round_down(ask->index, nr) + nr, missing);
}

/* One that is mapped would be touched unseen; where pages are written the bit is PG_reclaim. */
static void ra_set_mark(struct address_space *mapping, pgoff_t index)
{
	struct folio *folio = filemap_get_folio(mapping, index);

	if (IS_ERR_OR_NULL(folio))
		return;
	if (!folio_mapped(folio) && !folio_test_dirty(folio) && !folio_test_writeback(folio))
		folio_set_readahead(folio);
	folio_put(folio);
}

/* Read a window page by page. */
static void ra_read_pages(struct readahead_control *ractl, const struct ra_view *ra)
{
	ractl->_index = ra->start;
	force_page_cache_ra(ractl, ra->size);
	if (ra->async_size)
		ra_set_mark(ractl->mapping, ra->start + ra->size - ra->async_size);
}

/*
 * Read what is waited for. File systems that read more than that, or less, say so in the state: in
 * one of its own, as the open file's is that of the window which is read next, from @next on.
 */
static void ra_read_first(struct readahead_control *ractl, unsigned long pages, pgoff_t next)
{
	struct file_ra_state *ra = ractl->ra, first = *ra;

	first.start = readahead_index(ractl);
	first.size = pages;
	first.async_size = 0;
	ractl->ra = &first;
	force_page_cache_ra(ractl, pages);
	ractl->ra = ra;
	ractl->_index = next;
}

/*
 * How large the folios of a run's window may be: as there is room for in it, or before its mark,
 * with which a folio begins. Behind a mark they are as much larger than @marked as those of a
 * stream. Only runs of a habit have large ones: a large folio does not tell how much of it was
 * used. Where nothing else does the habit ends, and pages are single. Those of faults have marks of
 * their own, but for what is read by itself behind them.
 */
static unsigned int ra_run_order(const struct ra_view *ra, const struct ra_ask *ask,
				 struct folio *marked)
{
	unsigned int before = ra->size - ra->async_size;
	unsigned int order = ilog2(before ? before : ra->size);

	if (ra->state == RA_FAULTS)
		return ask->first && !ask->waits ? order : 0;
	if (!ra->agreed || ask->touched)
		return 0;
	if (before && ra->async_size)
		order = min_t(unsigned int, order, __ffs(ra->start + before));
	return marked ? min(order, folio_order(marked) + RA_ORDER_STEP) : order;
}

/* Read the window of a run: of faults, where its pages may have marks of their own, one by one. */
static void ra_read_run(struct readahead_control *ractl, const struct ra_view *ra,
			unsigned int order)
{
	if (ra->state == RA_FAULTS && !order) {
		ra_read_pages(ractl, ra);
		return;
	}
	ractl->_index = ra->start;
	WRITE_ONCE(ractl->ra->order, order);
	page_cache_ra_order(ractl, ractl->ra);
}

static int sysctl_readahead_runs __read_mostly = 1;

/* Ask, note the answer, and read what is of a run. @folio carries a mark; NULL at a miss. */
static enum ra_runs_verdict ra_runs_decide(struct readahead_control *ractl, struct folio *folio,
					   unsigned long req_count, unsigned long max_pages)
{
	struct inode *inode = ractl->mapping->host;
	struct file *file = ractl->file;
	struct ra_view view;
	struct ra_ask ask = {
		.mapping = ractl->mapping,
		.known = &inode->i_ra_runs,
		.index = readahead_index(ractl),
		.pages = max(req_count, 1UL),
		.max = max(max_pages, 1UL),
		.file = ra_file_pages(ractl),
		.directory = file && S_ISDIR(file_inode(file)->i_mode),
	};
	enum ra_runs_state before;
	pgoff_t run_start;
	bool some;

	if (!READ_ONCE(sysctl_readahead_runs))
		return RA_RUNS_OFF;

	ra_load(ractl->ra, &view);
	run_start = view.run_start;
	before = view.state;
	if (view.state == RA_FAULTS)
		ra_look_back(&view, &ask);
	else if (view.state == RA_RUN && !folio)
		ra_look_for_end(&view, &ask);
	ra_recall(&view, &ask);
	if (folio)
		ask.noted = ra_noted(&view, &ask, folio, false);
	if (!folio)
		ra_plan_miss(&view, &ask);
	else if (!ra_plan_mark(&view, &ask, folio_order(folio)))
		return RA_RUNS_DONE;
	if (ask.ended)
		trace_readahead_run(inode, run_start, ask.ended, ask.spent,
				    view.mean * (16 >> RA_RUN_SHIFT));
	ra_forget_guess(&view, &ask);
	ra_end_with_folio(&view, mapping_min_folio_nrpages(ask.mapping));
	some = ra_end_with_file(&view, ask.file, !folio);
	ra_forget_request(&view, before);
	ra_store(ractl->ra, &view);
	if (ask.first)
		ra_read_first(ractl, ask.first, view.start);
	if (some && view.async_size && !ra_within_run(&view, &ask))
		return RA_RUNS_STREAM;
	if (some)
		ra_read_run(ractl, &view, ra_run_order(&view, &ask, folio));
	return RA_RUNS_DONE;
}

/**
 * ra_runs_miss - what to read now that a page is missing
 * @ractl: where; its index is the page
 * @req_count: how many pages from there on are wanted now
 * @max_pages: the longest window, in pages
 *
 * What the program waits for may have been read then, and a stream's window behind it is to be read
 * besides: that is where @ractl's index is.
 *
 * Context: Any in which pages may be read ahead. May sleep. Takes the RCU read lock.
 * Return: a verdict; if a window is to be read yet it is in @ractl->ra.
 */
enum ra_runs_verdict ra_runs_miss(struct readahead_control *ractl, unsigned long req_count,
				  unsigned long max_pages)
{
	return ra_runs_decide(ractl, NULL, req_count, max_pages);
}

/**
 * ra_runs_mark - what to read now that the program has arrived at a mark
 * @ractl: where; its index is @folio's
 * @folio: carries the mark
 * @req_count: how many pages from there on are wanted now
 * @max_pages: the longest window, in pages
 *
 * Context: Any in which pages may be read ahead. May sleep. Takes the RCU read lock.
 * Return: a verdict; if a window is to be read yet it is in @ractl->ra.
 */
enum ra_runs_verdict ra_runs_mark(struct readahead_control *ractl, struct folio *folio,
				  unsigned long req_count, unsigned long max_pages)
{
	return ra_runs_decide(ractl, folio, req_count, max_pages);
}

/* Marks from @index on, before @end, to tell which pages of the last window are touched */
static void ra_set_marks(const struct readahead_control *ractl, const struct ra_view *ra,
			 pgoff_t index, pgoff_t end)
{
	if (ra->state != RA_FAULTS || !ra_is_looked_at(ra))
		return;
	if (ra_one_mark(ra))
		index = max(index, end - 1);
	for (end = min(end, ra->run_start + RA_SEEN_PAGES); index < end; index++)
		ra_set_mark(ractl->mapping, index);
}

/* Of what is read behind a run of faults the first page alone tells whether that is longer. */
static pgoff_t ra_marks_end(const struct ra_view *ra, const struct ra_ask *ask)
{
	return ra->start + (ask->first ? 1 : ra->size);
}

/* Does it take the disk longer to get to a page than to read a window? */
static bool ra_seeks(const struct readahead_control *ractl)
{
	struct inode *inode = ractl->mapping->host;
	struct block_device *bdev;

	if (!IS_ENABLED(CONFIG_BLOCK) || ractl->ra->ra_pages > RA_SEEK_PAGES)
		return false;
	bdev = S_ISBLK(inode->i_mode) ? I_BDEV(inode) : inode->i_sb->s_bdev;
	return bdev && bdev_rot(bdev);
}

/* Was what was read last read for a run of faults? */
static bool ra_has_faults(const struct file_ra_state *ra)
{
	struct ra_view view;

	ra_load(ra, &view);
	return view.state == RA_FAULTS;
}

/**
 * ra_runs_maps - is it the policy that says what is read around a fault?
 * @ractl: where
 * @vm_flags: of the mapping
 * @given_up: mm/filemap.c would not read around it any more, as it has missed too many pages
 *
 * Files so small that all of them would be read around faults before mm/filemap.c stopped to do
 * that are left to it, and disks that turn until it gives up; then they are the policy's for as
 * long as that reads run by run.
 *
 * Context: Any.
 * Return: whether ra_runs_fault() is to be called.
 */
bool ra_runs_maps(const struct readahead_control *ractl, vm_flags_t vm_flags, bool given_up)
{
	return READ_ONCE(sysctl_readahead_runs) && !(vm_flags & (VM_EXEC | VM_HUGEPAGE)) &&
	       ra_file_pages(ractl) > (loff_t)RA_SMALL * ractl->ra->ra_pages &&
	       (given_up || !ra_seeks(ractl) || ra_has_faults(ractl->ra));
}

/**
 * ra_runs_fault - read around a fault on a missing page
 * @ractl: where; its index is the page
 *
 * Context: May sleep.
 */
void ra_runs_fault(struct readahead_control *ractl)
{
	struct ra_view view;
	struct ra_ask ask = {
		.mapping = ractl->mapping,
		.known = &ractl->mapping->host->i_ra_runs,
		.index = readahead_index(ractl),
		.pages = 1,
		.max = max(ractl->ra->ra_pages, 1U),
		.file = ra_file_pages(ractl),
		.room = global_zone_page_state(NR_FREE_PAGES) +
			global_node_page_state(NR_INACTIVE_FILE),
	};
	enum ra_runs_state before;
	pgoff_t run_start;

	ra_load(ractl->ra, &view);
	run_start = view.run_start;
	before = view.state;
	if (view.state == RA_FAULTS)
		ra_look_back(&view, &ask);
	ra_recall(&view, &ask);
	ra_look_around(&view, &ask);
	ra_plan_fault(&view, &ask);
	if (ask.ended)
		trace_readahead_run(ractl->mapping->host, run_start, ask.ended, ask.spent,
				    view.mean * (16 >> RA_RUN_SHIFT));
	ra_forget_guess(&view, &ask);
	ra_forget_request(&view, before);
	ra_end_with_file(&view, ask.file, true);
	/* The run of a thread that still waits for its first page is not given up. */
	if (!ask.waits)
		ra_store(ractl->ra, &view);
	if (ask.first) {
		ra_read_first(ractl, ask.first, view.start);
		ra_read_run(ractl, &view, ra_run_order(&view, &ask, NULL));
		/* A stream that goes on from there begins with small folios, as ever. */
		WRITE_ONCE(ractl->ra->order, 0);
	} else {
		ra_read_pages(ractl, &view);
	}
	ra_set_marks(ractl, &view, ask.index + 1, ra_marks_end(&view, &ask));
}

/**
 * ra_runs_touched - a fault has come to a mark
 * @ractl: where; its index is the page
 * @folio: carries the mark
 *
 * Context: Any.
 * Return: whether that was all that the mark had to tell. It is gone then.
 */
bool ra_runs_touched(struct readahead_control *ractl, struct folio *folio)
{
	struct ra_view view;
	struct ra_ask ask = {
		.mapping = ractl->mapping,
		.index = readahead_index(ractl),
	};

	if (!READ_ONCE(sysctl_readahead_runs) || folio_test_writeback(folio))
		return false;
	ra_load(ractl->ra, &view);
	if (!ra_noted(&view, &ask, folio, true))
		return false;
	folio_clear_readahead(folio);
	return true;
}

/**
 * ra_runs_go_on - a fault has come to a mark, and the next window was read
 * @ractl: where
 *
 * Context: Any.
 */
void ra_runs_go_on(const struct readahead_control *ractl)
{
	struct ra_view view;

	if (!READ_ONCE(sysctl_readahead_runs))
		return;
	ra_load(ractl->ra, &view);
	ra_set_marks(ractl, &view, view.start, view.start + view.size);
}

/**
 * ra_runs_advise - note what the user said of an open file
 * @ra: its state
 * @sequential: POSIX_FADV_SEQUENTIAL: runs are long, expect no short ones
 *
 * Context: Any. A miss that another thread meets meanwhile may undo this.
 */
void ra_runs_advise(struct file_ra_state *ra, bool sequential)
{
	union ra_packed packed = { .word = READ_ONCE(ra->runs) };

	packed.advised = sequential;
	WRITE_ONCE(ra->runs, packed.word);
}

/*
 * The run under way has ended. What this open has learnt of its own goes to the file; of one that
 * has ended a single run, that run is one more of those that others have learnt.
 */
static void ra_learn_close(struct ra_view *ra, struct ra_ask *ask)
{
	union ra_packed before = { .word = READ_ONCE(*ask->known) };
	union ra_packed packed = { };

	ra_recall(ra, ask);
	ra_expect(ra, ask);
	if (!ask->waits)
		ra_run_learn(ra, ask);
	if (ask->guess || !ra->last || (!ra->mean && before.mean))
		return;
	packed.mean = ra->mean;
	packed.last = ra->last;
	packed.agreed = ra->agreed;
	packed.longer = ra->longer;
	if (packed.word != before.word)
		WRITE_ONCE(*ask->known, packed.word);
}

/**
 * ra_runs_close - the last reference to an open file is gone: what was learnt goes to its inode
 * @file: the file; all of it is still there
 *
 * Not of block devices, whose inodes stay for as long as they do.
 *
 * Context: Any in which fput() may be called.
 */
void ra_runs_close(struct file *file)
{
	struct inode *inode = file->f_mapping->host;
	struct ra_view view;
	struct ra_ask ask = {
		.mapping = file->f_mapping,
		.known = &inode->i_ra_runs,
		.max = max(file->f_ra.ra_pages, 1U),
		.closed = true,
	};

	if (!READ_ONCE(sysctl_readahead_runs) || !S_ISREG(inode->i_mode))
		return;
	ra_load(&file->f_ra, &view);
	if (view.advised || file->f_mode & FMODE_RANDOM)
		return;
	if (view.state == RA_FAULTS)
		ra_look_back(&view, &ask);
	else if (view.state == RA_RUN)
		ra_look_for_end(&view, &ask);
	ra_learn_close(&view, &ask);
	if (ask.ended)
		trace_readahead_run(inode, view.run_start, ask.ended, ask.spent,
				    view.mean * (16 >> RA_RUN_SHIFT));
}

static const struct ctl_table ra_runs_sysctl[] = {
	{
		.procname	= "readahead_runs",
		.data		= &sysctl_readahead_runs,
		.maxlen		= sizeof(sysctl_readahead_runs),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	},
};

static int __init ra_runs_init(void)
{
	register_sysctl_init("vm", ra_runs_sysctl);
	return 0;
}
late_initcall(ra_runs_init);

#ifdef CONFIG_READAHEAD_KUNIT_TEST
#include "readahead_test.c"
#endif
