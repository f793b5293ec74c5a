// SPDX-License-Identifier: GPL-2.0
/*
 * Readahead policies on a trace of reads: what each would have had the disk read.
 *
 *	ra_replay [WORD...] [TRACE]	replay (or stdin); a table
 *	ra_replay check			replay made traces, and hold time and pages
 *	ra_replay search [n=1000] [seed=1] [base=]	traces drawn by seed: gains and losses
 *	ra_replay ablate [n=1000] [seed=1] [base=]	the same, without each part in turn
 *	ra_replay gen KIND [WORD...]	make a trace, on stdout
 *	ra_replay try KIND [WORD...]	make one and replay it; a line
 *
 * A trace has a line a read: microseconds, open file, file, byte, length. Open file and file are
 * words without blanks. If the word fault follows, its pages are touched through a mapping. Lines
 * that begin with # are skipped.
 *
 * Words of a replay, with their defaults: max=32 (the largest window, in pages), cache=65536
 * (pages), threads=1 (that take the next read when they are free), base=7.3 (or 6.1: which kernel's
 * rules surround the policy), disk, fifo (see below).
 *
 * Kinds, and their words besides n=1000 and seed=1:
 *	database, ranges
 *			programs, as their functions say
 *	runs		n runs at random places of one file: lens=16 (pages; a list is gone through,
 *			1-16 is any length in between, 16* one of that mean), any (a random one of
 *			the list each time), by=1 (pages a read) or whole, file=1000000 (pages),
 *			looks (page 0 is read before every other one)
 *	turns		n turns of streams=8 on one open file, pages=32 each, by=1; or each on one
 *			of its own: separate
 *	skip		n pages of a file in order, but only one=3 of=10 is read, at random; or
 *			the first of each of= pages: even
 *	shared		n reads of a stream by=8 pages, of each group=8 in any order
 * Besides, of all: mapped (by faults), and of runs mixed (every other one is) and down (each from
 * its last page to the first).
 *
 * The policies: "runs" is the kernel's own code, mm/readahead_runs.c, in what "doubling" does for
 * all else: that is what the base does without, as we understand it. "average" is the heuristic of
 * 2.6.6 with its faults. "future" knows the trace, and reads each run in as few windows as can be,
 * the next one begun when the program enters the one before: as few reads as there can be without a
 * page that is not used.
 *
 * The model: a page cache of so many pages that forgets what was used longest ago, or with "fifo"
 * what came longest ago and was not used twice, as lists of inactive pages do; a disk that
 * takes 200 us for each read and 4 us for each page, reads in parallel; a program that goes on 2 us
 * after it has its page, not before the trace says. A fault takes 1 us besides, and maps what is
 * there of the 16 pages around it. A stall is a wait for a page. With "disk" all files lie on one
 * U320 disk of 2004 (model_disk.h), which does one read after the other.
 *
 * "check" says "not ok" if "runs" takes more of the time of "doubling" than it should on one of the
 * traces that gen makes, or reads more of its pages: see bounds[].
 *
 * Exit: 0 done, 1 not ok, 2 usage or a bad trace.
 */
#include "ra_kernel.h"
#include "readahead_runs.c"
#include "ra_stock.h"
#include "../selftests/dio/model_disk.h"
#include "steps.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_US		200
#define READ_PAGE_US	4
#define USE_PAGE_US	2
#define FAULT_US	1	/* of which no page has to be read */
#define FAULT_AROUND	16UL	/* pages */
#define DISK_RATE	320000000ULL	/* of its wire, bytes a second */

/* Many times what was seen */
#define TRACE_STEPS	100000000UL

#define NONE		(~0UL)

/* One read of the trace */
struct access {
	unsigned long long us;
	unsigned int open, file;
	pgoff_t index;
	unsigned long pages;
	bool fault;		/* touched through a mapping */
	unsigned long ahead;	/* pages from index to the end of the run that this is part of */
};

/* A page of a file; lists by age, over all files */
struct page {
	unsigned long long arrives;
	struct page *newer, *older;
	unsigned int file;
	pgoff_t index;
	bool used;
};

struct data_file {
	char name[64];
	pgoff_t pages;
	unsigned long cached;
	u64 sector;		/* where it begins on the disk */
	u16 *present;		/* as in struct xarray */
	struct page **page;
};

struct open_file {
	char name[64];
	unsigned int same;	/* the next one, and 1, whose name has this sum */
	unsigned int file;
	struct file_ra_state ra;
	/* the average of 2.6.6 */
	unsigned long average, serial, used, window;
	pgoff_t next;
};

struct policy {
	const char *name;
	void (*miss)(struct open_file *o, const struct access *a, pgoff_t index,
		     unsigned long pages);
	void (*mark)(struct open_file *o, const struct access *a, pgoff_t index,
		     unsigned long pages);
	/* A fault on a missing page, and on one that is there: those that are NULL do as above. */
	void (*fault)(struct open_file *o, pgoff_t index);
	void (*touch)(struct open_file *o, pgoff_t index);
};

static struct access *trace;
static struct data_file *files;
static struct open_file *opens;
static unsigned int nr_accesses, nr_files, nr_opens;

/* What the words say */
#define LENS	16
static struct words {
	unsigned long max, cache, threads, seed, count;
	unsigned long file, streams, pages, by, one, of, group;
	unsigned int lens;
	struct { unsigned long from, to; bool mean; } len[LENS];
	bool any, disk, fifo, old, mapped, mixed, down, separate, looks, even;
} words, defaults = {
	.max = 32, .cache = 65536, .threads = 1, .seed = 1, .count = 1000, .file = 1000000,
	.streams = 8, .pages = 32, .one = 3, .of = 10, .group = 8, .lens = 1, .len = { { 16, 16 } },
};

static bool is_old(void)
{
	return words.old;
}

static u64 files_end;		/* the sector behind the last file */

/* The state of one replay */
static struct disk disk;
static struct disk_link disk_link;
static struct page *newest, *oldest;
static unsigned long cached, reads, read_pages, used_pages, unused_pages, stalls;
static unsigned long long now, stalled;

static void __noreturn __printf(1, 2) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("ra_replay: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

static void *grow(void *array, unsigned int n, size_t size)
{
	if (n & (n - 1))
		return array;
	array = realloc(array, (n ? 2UL * n : 1) * size);
	if (!array)
		die("no memory");
	return array;
}

/* The cache */

static void unlink_page(struct page *page)
{
	*(page->newer ? &page->newer->older : &newest) = page->older;
	*(page->older ? &page->older->newer : &oldest) = page->newer;
}

static void link_newest(struct page *page)
{
	page->newer = NULL;
	page->older = newest;
	*(newest ? &newest->newer : &oldest) = page;
	newest = page;
}

static bool is_cached(const struct data_file *f, pgoff_t index)
{
	return f->present[index] & XA_PAGE;
}

static void evict(struct page *page)
{
	struct data_file *f = &files[page->file];

	unused_pages += !page->used;
	unlink_page(page);
	f->page[page->index] = NULL;
	f->present[page->index] = XA_SHADOW;
	f->cached--;
	free(page);
	cached--;
}

static void add_page(unsigned int file, pgoff_t index, bool mark, unsigned long long arrives)
{
	struct page *page = calloc(1, sizeof(*page));

	if (!page)
		die("no memory");
	page->file = file;
	page->index = index;
	page->arrives = arrives;
	files[file].page[index] = page;
	files[file].present[index] = XA_PAGE | (mark ? XA_MARK : 0);
	files[file].cached++;
	link_newest(page);
	if (++cached > words.cache)
		evict(oldest);
}

/* When @pages that are asked for now will be there */
static unsigned long long time_of(struct data_file *f, pgoff_t index, unsigned long pages)
{
	unsigned long long begin = max(now * 1000, disk.free + 0ULL);
	struct disk_request rq = {
		.sector = f->sector + index * (PAGE_SIZE / DISK_SECTOR),
		.count = pages * (PAGE_SIZE / DISK_SECTOR),
	};

	if (!words.disk)
		return now + READ_US + READ_PAGE_US * pages;
	return disk_transfer(&disk_link, begin, disk_serve(&disk, &rq, begin),
			     pages * PAGE_SIZE) / 1000;
}

/* Read what of a window is not there, a device read for each stretch without a gap. */
static void read_window(unsigned int file, pgoff_t start, unsigned long size, unsigned long async)
{
	struct data_file *f = &files[file];
	pgoff_t end = min(start + size, f->pages), mark = start + size - async, from, to;
	unsigned long long arrives = now;

	for (from = start; from < end; from = to + 1) {
		for (to = from; to < end && !is_cached(f, to); to++)
			;
		if (to > from)
			arrives = time_of(f, from, to - from);
		reads += to > from;
		read_pages += to - from;
		for (start = from; start < to; start++)
			add_page(file, start, async && start == mark, arrives);
	}
}

/* The policies */

/* As 7.3 does it after a mark: the end of a window suits the order of its folios. */
static void round_window(struct file_ra_state *ra)
{
	unsigned long align, end = ra->start + ra->size;

	if (words.old)
		return;
	ra->order += 2;
	align = 1UL << min(ra->order + 0, __builtin_ffsl(words.max) - 1);
	if (round_down(end, align) > ra->start)
		ra->size -= end - round_down(end, align);
	ra->async_size = ra->size;
}

/* What is not there is read in folios as large as 7.3 makes them. */
static void read_planned(struct open_file *o)
{
	struct file_ra_state *ra = &o->ra;

	ra->order = min(ra->order + 0, ra->size > 1 ? 63 - __builtin_clzl(ra->size) : 0);
	read_window(o->file, ra->start, ra->size, ra->async_size);
}

/* What the policy sees of an open file */
struct seen {
	struct open_file *open;
	struct backing_dev_info bdi;
	struct super_block sb;
	struct inode inode;
	struct address_space mapping;
	struct readahead_control ractl;
};

static void look_at(struct seen *seen, struct open_file *o, pgoff_t index)
{
	struct data_file *f = &files[o->file];

	*seen = (struct seen){ .open = o, .bdi.ra_pages = words.max };
	seen->sb.s_bdi = &seen->bdi;
	seen->inode = (struct inode){ .i_sb = &seen->sb, .i_size = f->pages * PAGE_SIZE };
	seen->mapping = (struct address_space){
		.i_pages = { .present = f->present, .pages = f->pages },
		.nrpages = ra_hidden & RA_HIDE_WARM ? 0 : f->cached, .host = &seen->inode,
	};
	seen->ractl = (struct readahead_control){
		.ra = &o->ra, .mapping = &seen->mapping, ._index = index,
	};
	o->ra.ra_pages = words.max;
	ra_miss_old = words.old;
	/* One run that is remembered is the last of all: each length is the first. */
	if (ra_hidden & RA_HIDE_LENGTHS)
		o->ra.runs = (o->ra.runs & ~(((1ULL << 48) - 1) << 2)) |
			     (o->ra.runs >> 2 & 4095) * 0x1001001001ULL << 2;
}

static void doubling_miss(struct open_file *o, const struct access *a, pgoff_t index,
			  unsigned long pages);
static void doubling_mark(struct open_file *o, const struct access *a, pgoff_t index,
			  unsigned long pages);

static void runs_miss(struct open_file *o, const struct access *a, pgoff_t index,
		      unsigned long pages)
{
	struct seen seen;

	look_at(&seen, o, index);
	if (ra_hidden & RA_HIDE_READS || !ra_runs_miss(&seen.ractl, pages, words.max))
		doubling_miss(o, a, index, pages);
}

static void runs_mark(struct open_file *o, const struct access *a, pgoff_t index,
		      unsigned long pages)
{
	struct folio *folio = (struct folio *)&files[o->file].present[index];
	struct seen seen;

	look_at(&seen, o, index);
	if (ra_hidden & RA_HIDE_MARKS || !ra_runs_mark(&seen.ractl, folio, words.max))
		doubling_mark(o, a, index, pages);
}

static unsigned long history_of(struct open_file *o, pgoff_t index)
{
	unsigned long n = 0;

	while (n < words.max && n < index && is_cached(&files[o->file], index - 1 - n))
		n++;
	return n;
}

/* 6.1: a mark that would be met at once is, and both windows are read. */
static void old_send(struct open_file *o, pgoff_t index)
{
	struct file_ra_state *ra = &o->ra;
	unsigned long more = ra_doubled(ra->size, words.max);

	if (index == ra->start && ra->size == ra->async_size) {
		if (ra->size + more <= words.max) {
			ra->async_size = more;
			ra->size += more;
		} else {
			ra->size = words.max;
			ra->async_size = words.max / 2;
		}
	}
	read_window(o->file, ra->start, ra->size, ra->async_size);
}

static bool old_next(struct open_file *o, pgoff_t index)
{
	struct file_ra_state *ra = &o->ra;

	if (!index || (index != ra->start + ra->size &&
		       index != ra->start + ra->size - ra->async_size))
		return false;
	ra->start += ra->size;
	ra->size = max(ra->size + 0UL, ra_doubled(ra->size, words.max));
	ra->async_size = ra->size;
	old_send(o, index);
	return true;
}

static void doubling_miss(struct open_file *o, const struct access *a, pgoff_t index,
			  unsigned long pages)
{
	struct file_ra_state *ra = &o->ra;
	unsigned long history;

	(void)a;
	if (words.old && old_next(o, index))
		return;
	ra->order = 0;
	if (!index || pages > words.max || index - ((u64)ra->prev_pos >> PAGE_SHIFT) <= 1) {
		ra->start = index;
		ra->size = ra_opening(pages, words.max);
		if (ra->size > pages)
			ra->async_size = ra->size - pages;
		else
			ra->async_size = words.old ? ra->size : ra->size / 2;
	} else {
		history = history_of(o, index);
		if (history <= pages) {
			read_window(o->file, index, pages, 0);
			return;
		}
		ra->start = index;
		ra->size = min((history >= index ? 2 * history : history) + pages, words.max);
		ra->async_size = 1;
	}
	if (words.old)
		old_send(o, index);
	else
		read_planned(o);
}

static void doubling_mark(struct open_file *o, const struct access *a, pgoff_t index,
			  unsigned long pages)
{
	struct file_ra_state *ra = &o->ra;
	struct data_file *f = &files[o->file];
	pgoff_t miss = index + 1;

	(void)a;
	if (words.old && old_next(o, index))
		return;
	if (!words.old && index == ra->start + ra->size - ra->async_size) {
		ra->start += ra->size;
		ra->size = max(ra->size + 0UL, ra_doubled(ra->size, words.max));
	} else {
		while (miss < f->pages && miss - index <= words.max && is_cached(f, miss))
			miss++;
		if (miss - index > words.max)
			return;
		ra->start = miss;
		ra->size = ra_doubled(miss - index + pages, words.max);
	}
	ra->async_size = ra->size;
	if (words.old) {
		old_send(o, index);
	} else {
		round_window(ra);
		read_planned(o);
	}
}

/* Faults: mm/filemap.c's part */

static void runs_force(struct readahead_control *ractl, unsigned long pages)
{
	struct seen *seen = (struct seen *)((char *)ractl - offsetof(struct seen, ractl));

	read_window(seen->open->file, ractl->_index, pages, 0);
}

/* Has it missed so much more than it has hit that nothing is read around its faults any more? */
static bool stock_missed(struct file_ra_state *ra)
{
	if (ra->mmap_miss < 1000)
		ra->mmap_miss++;
	return ra->mmap_miss > 100;
}

static void read_around(struct open_file *o, pgoff_t index)
{
	struct file_ra_state *ra = &o->ra;

	ra->start = index - min(index, words.max / 2);
	ra->size = words.max;
	ra->async_size = words.max / 4;
	ra->order = 0;
	read_window(o->file, ra->start, ra->size, ra->async_size);
}

static void stock_fault(struct open_file *o, pgoff_t index)
{
	if (!stock_missed(&o->ra))
		read_around(o, index);
}

static void stock_missed_less(struct file_ra_state *ra, unsigned int pages)
{
	ra->mmap_miss -= min(ra->mmap_miss + 0U, pages);
}

static void doubling_touch(struct open_file *o, pgoff_t index)
{
	struct data_file *f = &files[o->file];

	if (words.old || f->page[index]->arrives <= now)
		stock_missed_less(&o->ra, 1);
	if (f->present[index] & XA_MARK) {
		f->present[index] &= ~XA_MARK;
		doubling_mark(o, NULL, index, words.max);
	}
}

static void runs_fault(struct open_file *o, pgoff_t index)
{
	bool given_up = stock_missed(&o->ra);
	struct seen seen;

	look_at(&seen, o, index);
	if (!(ra_hidden & RA_HIDE_FAULTS) && ra_runs_fault(&seen.ractl, given_up))
		ra_runs_read(&seen.ractl);
	else if (!given_up)
		read_around(o, index);
}

static void runs_touch(struct open_file *o, pgoff_t index)
{
	struct data_file *f = &files[o->file];
	struct seen seen;

	if (words.old || f->page[index]->arrives <= now)
		stock_missed_less(&o->ra, 1);
	if (!(f->present[index] & XA_MARK))
		return;
	look_at(&seen, o, index);
	if (!(ra_hidden & RA_HIDE_FAULTS) &&
	    ra_runs_touched(&seen.ractl, (struct folio *)&f->present[index]))
		return;
	f->present[index] &= ~XA_MARK;
	runs_mark(o, NULL, index, words.max);
}

/* A run has ended, or goes on: either way the next window is what was used, and a page. */
static void average_miss(struct open_file *o, const struct access *a, pgoff_t index,
			 unsigned long pages)
{
	(void)a;
	if (index != o->next) {
		o->average = (o->average + o->serial) / 2;
		o->serial = 0;
	}
	o->window = min(max(max(o->used + 1, o->average), pages), words.max);
	o->used = 0;
	read_window(o->file, index, o->window, 0);
	if (o->average > 1)
		read_window(o->file, index + o->window, o->window, 0);
}

static void average_mark(struct open_file *o, const struct access *a, pgoff_t index,
			 unsigned long pages)
{
	(void)o, (void)a, (void)index, (void)pages;
}

static void future_miss(struct open_file *o, const struct access *a, pgoff_t index,
			unsigned long pages)
{
	unsigned long rest = a->index + a->ahead - index, size = min(rest, words.max);

	(void)pages;
	read_window(o->file, index, size, rest > size ? size - 1 : 0);
}

static void future_mark(struct open_file *o, const struct access *a, pgoff_t index,
			unsigned long pages)
{
	pgoff_t start = index, end = a->index + a->ahead;
	unsigned long size;

	(void)pages;
	while (start < end && is_cached(&files[o->file], start))
		start++;
	size = min(end - start, words.max);
	if (size)
		read_window(o->file, start, size, end - start > size ? size : 0);
}

enum { AVERAGE, DOUBLING, RUNS, FUTURE, POLICIES };

static const struct policy policies[POLICIES] = {
	[DOUBLING] = { "doubling", doubling_miss, doubling_mark, stock_fault, doubling_touch },
	[AVERAGE] = { "average", average_miss, average_mark },
	[RUNS] = { "runs", runs_miss, runs_mark, runs_fault, runs_touch },
	[FUTURE] = { "future", future_miss, future_mark },
};

/* What came of each */
static struct outcome {
	unsigned long long us;
	unsigned long reads, pages;
} outcomes[POLICIES];

/* The replay */

static void wait_for(const struct page *page)
{
	if (page->arrives <= now)
		return;
	stalls++;
	stalled += page->arrives - now;
	now = page->arrives;
}

static void use(struct open_file *o, struct page *page)
{
	if (page->used || !words.fifo) {
		unlink_page(page);
		link_newest(page);
	}
	used_pages += !page->used;
	page->used = true;
	files[page->file].present[page->index] |= XA_USED;
	now += USE_PAGE_US;
	o->serial++;
	o->used++;
	o->next = page->index + 1;
}

static void use_page(const struct policy *policy, struct open_file *o, const struct access *a,
		     pgoff_t index)
{
	struct data_file *f = &files[o->file];
	unsigned long pages = a->index + a->pages - index;
	struct page *page;

	if (!is_cached(f, index))
		policy->miss(o, a, index, pages);
	if (!is_cached(f, index))
		read_window(o->file, index, 1, 0);
	page = f->page[index];
	if (f->present[index] & XA_MARK) {
		f->present[index] &= ~XA_MARK;
		policy->mark(o, a, index, pages);
		page = f->page[index];
	}
	if (!page)
		return;		/* thrown out by what was read ahead of it */
	wait_for(page);
	use(o, page);
	if (words.old)
		o->ra.prev_pos = (loff_t)(index + 1) << PAGE_SHIFT;
}

/* Map what is there of the 16 pages around a fault, but for marks. */
static void map_around(struct open_file *o, pgoff_t index, bool first)
{
	struct data_file *f = &files[o->file];
	pgoff_t i, from = round_down(index, FAULT_AROUND);
	unsigned int mapped = 0;

	for (i = from; i < min(from + FAULT_AROUND, f->pages); i++) {
		if (!is_cached(f, i) || f->page[i]->arrives > now ||
		    f->present[i] & (XA_MARK | XA_MAPPED))
			continue;
		f->present[i] |= XA_MAPPED;
		mapped++;
	}
	if (words.old)
		stock_missed_less(&o->ra, mapped);
	else if (first && f->present[index] & XA_MAPPED)
		stock_missed_less(&o->ra, 1);
}

/* A program touches a page of its mapping. */
static void touch_page(const struct policy *policy, struct open_file *o, const struct access *a,
		       pgoff_t index)
{
	struct data_file *f = &files[o->file];
	struct page *page;

	if (!(f->present[index] & XA_MAPPED)) {
		now += FAULT_US;
		if (is_cached(f, index))
			map_around(o, index, true);
	}
	if (!is_cached(f, index)) {
		if (policy->fault)
			policy->fault(o, index);
		else
			policy->miss(o, a, index, 1);
		if (!is_cached(f, index))
			read_window(o->file, index, 1, 0);
		wait_for(f->page[index]);
		map_around(o, index, false);
	} else if (!(f->present[index] & XA_MAPPED)) {
		if (policy->touch)
			policy->touch(o, index);
		else if (f->present[index] & XA_MARK)
			policy->mark(o, a, index, 1);
		page = f->page[index];
		if (page && page->arrives > now) {
			wait_for(page);
			map_around(o, index, false);
		}
	}
	page = f->page[index];
	if (!page)
		return;
	if (!policy->touch)
		f->present[index] &= ~XA_MARK;
	f->present[index] |= XA_MAPPED;
	use(o, page);
}

static void forget_all(void)
{
	unsigned int i;

	while (oldest)
		evict(oldest);
	disk_link = (struct disk_link){ .rate = DISK_RATE };
	disk_init(&disk, &disk_u320_2004, &disk_link);
	if (words.disk && files_end > disk.sectors)
		die("the files do not fit on the disk");
	for (i = 0; i < nr_files; i++)
		memset(files[i].present, 0, files[i].pages * sizeof(*files[i].present));
	for (i = 0; i < nr_opens; i++) {
		memset(&opens[i].ra, 0, sizeof(opens[i].ra));
		opens[i].ra.prev_pos = -1;
		opens[i].average = 0;
		opens[i].serial = 0;
		opens[i].used = 0;
		opens[i].next = NONE;
	}
	reads = 0;
	read_pages = 0;
	used_pages = 0;
	unused_pages = 0;
	stalls = 0;
	now = 0;
	stalled = 0;
}

/* The thread that is free first takes the next read. */
static void replay(const struct policy *policy)
{
	unsigned long long *free_at = calloc(words.threads, sizeof(*free_at)), done = 0;
	const struct access *a;
	unsigned int i, first;
	pgoff_t index;

	if (!free_at)
		die("no memory");
	forget_all();
	for (a = trace; a < trace + nr_accesses; a++) {
		for (first = 0, i = 1; i < words.threads; i++)
			if (free_at[i] < free_at[first])
				first = i;
		now = max(free_at[first], a->us);
		for (index = a->index; index < a->index + a->pages; index++)
			if (a->fault)
				touch_page(policy, &opens[a->open], a, index);
			else
				use_page(policy, &opens[a->open], a, index);
		/* 6.1 notes the position page by page, which comes to the same at the next read. */
		if (!a->fault)
			opens[a->open].ra.prev_pos = (loff_t)(a->index + a->pages) << PAGE_SHIFT;
		free_at[first] = now;
		done = max(done, now);
	}
	now = done;
	free(free_at);
	while (oldest)
		evict(oldest);
}

static void replay_all(void)
{
	unsigned int i;

	printf("%-10s %10s %10s %10s %10s %10s %10s\n", "policy", "reads", "pages", "unused",
	       "stalls", "stall-ms", "total-ms");
	for (i = 0; i < POLICIES; i++) {
		replay(&policies[i]);
		printf("%-10s %10lu %10lu %10lu %10lu %10.1f %10.1f\n", policies[i].name, reads,
		       read_pages, unused_pages, stalls, stalled / 1000.0, now / 1000.0);
	}
}

static void replay_some(unsigned int first, unsigned int last)
{
	for (; first <= last; first++) {
		replay(&policies[first]);
		outcomes[first] = (struct outcome){ now, reads, read_pages };
	}
}

static void replay_two(void)
{
	const struct outcome *o = outcomes;

	replay_some(DOUBLING, FUTURE);
	printf("time %.2f (%.1f/%.1f ms) reads %.2f pages %.2f; at best %.2f %.2f\n",
	       (double)o[RUNS].us / o[DOUBLING].us, o[RUNS].us / 1e3, o[DOUBLING].us / 1e3,
	       (double)o[RUNS].reads / o[DOUBLING].reads, (double)o[RUNS].pages / o[DOUBLING].pages,
	       (double)o[FUTURE].us / o[DOUBLING].us, (double)o[FUTURE].pages / o[DOUBLING].pages);
}

/* The trace */

static unsigned int find_file(const char *name)
{
	unsigned int i;

	for (i = nr_files; i--;)
		if (!strcmp(files[i].name, name))
			return i;
	files = grow(files, nr_files, sizeof(*files));
	memset(&files[nr_files], 0, sizeof(*files));
	snprintf(files[nr_files].name, sizeof(files->name), "%s", name);
	return nr_files++;
}

/* There may be one for each run. */
static unsigned int find_open(const char *name, const char *file)
{
	static unsigned int first[4096];
	unsigned int sum = 0, i;
	const char *c;

	for (c = name; *c; c++)
		sum = 31 * sum + *c;
	sum %= ARRAY_SIZE(first);
	for (i = first[sum]; i; i = opens[i - 1].same)
		if (!strcmp(opens[i - 1].name, name))
			return i - 1;
	opens = grow(opens, nr_opens, sizeof(*opens));
	memset(&opens[nr_opens], 0, sizeof(*opens));
	opens[nr_opens].same = first[sum];
	first[sum] = nr_opens + 1;
	snprintf(opens[nr_opens].name, sizeof(opens->name), "%s", name);
	opens[nr_opens].file = find_file(file);
	return nr_opens++;
}

static void add_access(unsigned long long us, const char *open, const char *file,
		       unsigned long long byte, unsigned long long length, bool fault)
{
	struct access *a;

	trace = grow(trace, nr_accesses, sizeof(*trace));
	a = &trace[nr_accesses++];
	a->us = us;
	a->open = find_open(open, file);
	a->file = opens[a->open].file;
	a->fault = fault;
	a->index = byte >> PAGE_SHIFT;
	a->pages = ((byte + length - 1) >> PAGE_SHIFT) - a->index + 1;
	files[a->file].pages = max(files[a->file].pages, a->index + a->pages);
}

static void load_trace(FILE *in)
{
	unsigned long long us, byte, length;
	char line[512], open[64], file[64], how[8];
	unsigned int number = 0, i;
	int words_of_line;

	while (fgets(line, sizeof(line), in)) {
		number++;
		if (*line == '#' || *line == '\n')
			continue;
		words_of_line = sscanf(line, "%llu %63s %63s %llu %llu %7s", &us, open, file, &byte,
				       &length, how);
		if (words_of_line < 5 || !length || byte >> 44 || length >> 44 ||
		    (words_of_line == 6 && strcmp(how, "fault")))
			die("line %u is not: microseconds open-file file byte length [fault]",
			    number);
		add_access(us, open, file, byte, length, words_of_line == 6);
	}
	if (!nr_accesses)
		die("the trace is empty");
	for (i = 0; i < nr_files; i++) {
		files[i].present = calloc(files[i].pages, sizeof(*files[i].present));
		files[i].page = calloc(files[i].pages, sizeof(*files[i].page));
		if (!files[i].present || !files[i].page)
			die("no memory for a file of %lu pages", files[i].pages);
		files[i].sector = files_end;
		files_end += files[i].pages * (PAGE_SIZE / DISK_SECTOR);
	}
}

/* How far each run goes on: from the last access of an open file back to the first. */
static void look_ahead(void)
{
	unsigned int *last = malloc(nr_opens * sizeof(*last)), i;
	struct access *a, *next;

	if (!last)
		die("no memory");
	memset(last, 0xff, nr_opens * sizeof(*last));
	for (i = nr_accesses; i--;) {
		a = &trace[i];
		a->ahead = a->pages;
		next = last[a->open] == ~0U ? NULL : &trace[last[a->open]];
		if (next && next->index <= a->index + a->pages && next->index >= a->index)
			a->ahead = max(a->ahead, next->index - a->index + next->ahead);
		last[a->open] = i;
	}
	free(last);
}

/* Generators: a run is read 4 KiB at a time. */

static unsigned long pick(unsigned long below)
{
	unsigned long long x = words.seed += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) % below;
}

static unsigned long long clock_us;
static FILE *made;	/* where the trace goes */

static void put_read(const char *open, const char *file, pgoff_t index, unsigned long pages)
{
	fprintf(made, "%llu %s %s %lu %lu%s\n", clock_us++, open, file, index * PAGE_SIZE,
		pages * PAGE_SIZE, words.mapped ? " fault" : "");
}

static void put_run(const char *open, const char *file, pgoff_t index, unsigned long pages)
{
	while (pages--)
		put_read(open, file, index++, 1);
}

/* Look-ups: a page of an index, then rows that lie together; now and then a report scans a part. */
static void gen_database(void)
{
	pgoff_t scanned = 0;

	while (words.count--) {
		put_run("index", "index", pick(20000), 1);
		put_run("table", "table", pick(400000), 8 + pick(25));
		if (!pick(50)) {
			put_run("report", "table", scanned, 256);
			scanned = (scanned + 256) % 400000;
		}
	}
}

/*
 * Ranges of a table of which not all is in memory, as sqlite reads them: a look at the header, one
 * at an inner page of the tree, then the rows. The first two are soon in the cache.
 */
static void gen_ranges(void)
{
	while (words.count--) {
		put_run("db", "db", 0, 1);
		put_run("db", "db", 1 + pick(100), 1);
		put_run("db", "db", 101 + pick(12000), 8 + pick(4));
	}
}

static unsigned long a_length(unsigned int turn)
{
	unsigned int i = words.any ? pick(words.lens) : turn % words.lens;
	unsigned long n = 1;

	if (!words.len[i].mean)
		return words.len[i].from + pick(words.len[i].to - words.len[i].from + 1);
	while (pick(words.len[i].from))
		n++;
	return n;
}

static void gen_runs(void)
{
	const char *open = "runs";
	unsigned int i;

	for (i = 0; i < words.count; i++) {
		unsigned long len = min(a_length(i), words.file / 2);
		unsigned long by = words.by ? min(words.by, len) : len, n;
		pgoff_t index = pick(words.file - len);

		words.mapped ^= words.mixed;
		if (words.looks && i % 2)
			put_read(open, "file", 0, 1);
		for (n = 0; n < len; n += by)
			put_read(open, "file", index + (words.down ? len - 1 - n : n),
				 min(by, len - n));
	}
}

static void gen_turns(void)
{
	unsigned long apart = (words.count / words.streams + 2) * words.pages + 1000, turn, n;
	char open[32] = "turns";

	for (turn = 0; turn < words.count; turn++) {
		if (words.separate)
			snprintf(open, sizeof(open), "turns%lu", turn % words.streams);
		for (n = 0; n < words.pages; n += max(words.by, 1UL))
			put_read(open, "file", turn % words.streams * apart + apart / 2 +
				 turn / words.streams * words.pages + n, max(words.by, 1UL));
	}
}

static void gen_skip(void)
{
	pgoff_t index;

	for (index = 0; index < words.count; index++)
		if (words.even ? !(index % words.of) : pick(words.of) < words.one)
			put_read("skip", "file", index, 1);
}

static void gen_shared(void)
{
	unsigned long *order = calloc(words.group, sizeof(*order)), i, k, n;

	if (!order)
		die("no memory");
	for (n = 0; n < words.count; n += words.group) {
		for (i = 0; i < words.group; i++) {
			k = pick(i + 1);
			order[i] = order[k];
			order[k] = i;
		}
		for (i = 0; i < words.group; i++)
			put_read("shared", "file", (n + order[i]) * words.by, words.by);
	}
	free(order);
}

static const struct kind {
	const char *name;
	void (*generate)(void);
	unsigned long by;
} kinds[] = {
	{ "database", gen_database, 1 }, { "ranges", gen_ranges, 1 },
	{ "runs", gen_runs, 1 }, { "turns", gen_turns, 1 },
	{ "skip", gen_skip, 1 }, { "shared", gen_shared, 8 },
};

static const struct kind *kind_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return &kinds[i];
	die("there is no trace %s", name);
}

static unsigned long number(const char *word, const char *text, unsigned long most)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || !n || n > most)
		die("%s: wanted is 1 to %lu", word, most);
	return n;
}

static void read_lens(const char *word, const char *text)
{
	char *end;

	for (words.lens = 0;; text = end + 1) {
		if (words.lens == LENS)
			die("%s: no more than %u lengths", word, LENS);
		words.len[words.lens].from = strtoul(text, &end, 10);
		words.len[words.lens].to = words.len[words.lens].from;
		words.len[words.lens].mean = *end == '*';
		if (*end == '-')
			words.len[words.lens].to = strtoul(end + 1, &end, 10);
		else if (*end == '*')
			end++;
		if (!words.len[words.lens].from ||
		    words.len[words.lens].to < words.len[words.lens].from ||
		    (*end && *end != ','))
			die("%s: wanted are lengths like 16,1-4,30*", word);
		words.lens++;
		if (!*end)
			return;
	}
}

/* Take a word; false if it is none. */
static bool read_word(const char *word)
{
	const struct { const char *name; unsigned long *value, most; } numbers[] = {
		{ "max=", &words.max, 1UL << 20 }, { "cache=", &words.cache, 1UL << 40 },
		{ "threads=", &words.threads, 1024 }, { "n=", &words.count, 1UL << 30 },
		{ "seed=", &words.seed, ULONG_MAX }, { "file=", &words.file, 1UL << 30 },
		{ "streams=", &words.streams, 4096 }, { "pages=", &words.pages, 1UL << 20 },
		{ "by=", &words.by, 1UL << 20 }, { "one=", &words.one, 1UL << 20 },
		{ "of=", &words.of, 1UL << 20 }, { "group=", &words.group, 1024 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strncmp(word, numbers[i].name, strlen(numbers[i].name))) {
			*numbers[i].value = number(word, word + strlen(numbers[i].name),
						   numbers[i].most);
			return true;
		}
	if (!strncmp(word, "lens=", 5))
		read_lens(word, word + 5);
	else if (!strcmp(word, "whole"))
		words.by = 0;
	else if (!strcmp(word, "any"))
		words.any = true;
	else if (!strcmp(word, "mapped"))
		words.mapped = true;
	else if (!strcmp(word, "mixed"))
		words.mixed = true;
	else if (!strcmp(word, "down"))
		words.down = true;
	else if (!strcmp(word, "even"))
		words.even = true;
	else if (!strcmp(word, "looks"))
		words.looks = true;
	else if (!strcmp(word, "disk"))
		words.disk = true;
	else if (!strcmp(word, "separate"))
		words.separate = true;
	else if (!strcmp(word, "fifo"))
		words.fifo = true;
	else if (!strcmp(word, "base=6.1") || !strcmp(word, "base=7.3"))
		words.old = word[5] == '6';
	else
		return false;
	return true;
}

static void replay_trace(FILE *in, bool table)
{
	load_trace(in);
	look_ahead();
	if (table)
		replay_all();
	else
		replay_two();
}

/* Make the trace that the words speak of, and replay it. */
static void replay_made(const struct kind *kind, bool table)
{
	made = tmpfile();
	if (!made)
		die("no file for a trace: %s", strerror(errno));
	kind->generate();
	rewind(made);
	replay_trace(made, table);
}

/*
 * Percent of what "doubling" takes: time and pages, around 7.3's rules and around 6.1's. Those of
 * more than 105 are known losses; Documentation/mm/readahead-runs.rst has the reasons.
 */
static const struct bound {
	const char *words;
	struct { unsigned int time, pages; } base[2];
} bounds[] = {
	/* Runs of reads; single pages and streams are as ever */
	{ "database", { { 66, 77 }, { 71, 65 } } },
	{ "ranges n=2000", { { 69, 99 }, { 78, 99 } } },
	{ "ranges n=4000 cache=6000", { { 57, 77 }, { 58, 78 } } },
	{ "runs lens=4", { { 53, 36 }, { 53, 32 } } },
	{ "runs lens=16", { { 43, 46 }, { 44, 28 } } },
	{ "runs lens=16 by=4", { { 42, 35 }, { 42, 29 } } },
	{ "runs lens=32", { { 43, 57 }, { 42, 38 } } },
	{ "runs lens=64", { { 39, 66 }, { 46, 55 } } },
	{ "runs lens=256 n=300 max=1024", { { 60, 41 }, { 55, 30 } } },
	{ "runs lens=1024 n=200 max=1024", { { 79, 57 }, { 64, 37 } } },
	{ "runs lens=16*", { { 67, 96 }, { 67, 79 } } },
	{ "runs lens=1", { { 101, 101 }, { 101, 101 } } },
	{ "runs lens=30000 n=1", { { 101, 101 }, { 101, 101 } } },
	{ "runs lens=64,64,1,1", { { 61, 67 }, { 71, 56 } } },
	{ "runs lens=1,1,1-16 n=3000", { { 94, 132 }, { 93, 121 } } },
	{ "runs lens=1,123 max=128", { { 71, 58 }, { 67, 36 } } },
	{ "runs lens=1,10", { { 59, 94 }, { 59, 68 } } },
	{ "runs lens=3,40,7 any", { { 59, 68 }, { 59, 60 } } },
	{ "runs lens=1-16 whole", { { 101, 101 }, { 101, 102 } } },
	{ "runs lens=1,32 any whole", { { 101, 101 }, { 101, 101 } } },
	{ "runs lens=16,16,16,16,3,3,3,3,3,3,3,3,3,3,3,3 looks", { { 59, 66 }, { 58, 51 } } },
	{ "runs lens=4 file=8192 n=8000", { { 73, 101 }, { 76, 101 } } },
	{ "runs lens=4 file=8192 n=1500", { { 62, 101 }, { 65, 101 } } },
	{ "runs lens=4 file=8192 n=8000 max=1024", { { 93, 101 }, { 94, 101 } } },
	{ "runs lens=4 file=8192 n=8000 cache=7373", { { 75, 92 }, { 78, 92 } } },
	{ "runs lens=4 file=8192 n=8000 cache=4096", { { 67, 64 }, { 67, 60 } } },
	{ "runs mixed lens=16", { { 58, 34 }, { 60, 28 } } },
	{ "runs lens=16 disk n=300", { { 83, 46 }, { 67, 28 } } },
	/* Streams in turns, parts of a file, several threads */
	{ "turns pages=1", { { 101, 101 }, { 101, 101 } } },
	{ "turns pages=8 n=4000", { { 100, 101 }, { 101, 101 } } },
	{ "turns pages=16 n=4000", { { 103, 101 }, { 103, 101 } } },
	{ "turns pages=32 n=2000", { { 38, 101 }, { 99, 101 } } },
	{ "turns pages=1024 n=400 max=1024", { { 101, 101 }, { 102, 100 } } },
	{ "turns streams=64 pages=1 n=16384 separate cache=2500", { { 101, 101 }, { 101, 101 } } },
	{ "turns streams=16 pages=1 n=32000 cache=250", { { 101, 101 }, { 101, 101 } } },
	{ "skip one=30 of=100 n=20000", { { 21, 144 }, { 30, 121 } } },
	{ "skip one=15 of=100 n=20000", { { 31, 303 }, { 31, 245 } } },
	{ "shared threads=8 max=256 n=16000", { { 102, 101 }, { 101, 101 } } },
	{ "turns streams=5 pages=35 n=1142", { { 100, 101 }, { 101, 101 } } },
	{ "turns streams=11 pages=7 n=5714", { { 103, 101 }, { 101, 101 } } },
	{ "skip one=14 of=100 max=128 n=20000", { { 29, 302 }, { 56, 176 } } },
	/* Faults */
	{ "runs mapped lens=1", { { 101, 102 }, { 101, 101 } } },
	{ "runs mapped lens=4", { { 31, 56 }, { 70, 14 } } },
	{ "runs mapped lens=16", { { 88, 27 }, { 88, 27 } } },
	{ "runs mapped lens=64", { { 99, 80 }, { 99, 76 } } },
	{ "runs mapped lens=256 n=200", { { 96, 92 }, { 101, 92 } } },
	{ "runs mapped lens=16*", { { 95, 65 }, { 95, 63 } } },
	{ "runs mapped lens=1,10", { { 31, 52 }, { 78, 23 } } },
	{ "runs mapped lens=64,64,1,1", { { 106, 97 }, { 106, 90 } } },
	{ "runs mapped lens=30000 n=1", { { 101, 101 }, { 101, 101 } } },
	{ "runs mapped lens=16 down", { { 101, 101 }, { 101, 101 } } },
	{ "runs mapped lens=1 file=50000 n=50000", { { 42, 151 }, { 121, 101 } } },
	{ "runs mapped lens=16 file=3000 n=300", { { 100, 100 }, { 100, 100 } } },
	{ "runs mapped lens=4 file=8192 n=1500", { { 44, 117 }, { 141, 117 } } },
	{ "runs mapped lens=1 n=20000 file=800000", { { 101, 129 }, { 101, 100 } } },
	{ "runs mapped lens=4 n=20000 file=800000", { { 29, 120 }, { 73, 17 } } },
	{ "runs mapped lens=1 threads=8", { { 101, 102 }, { 101, 101 } } },
	{ "skip mapped even of=20 n=6000", { { 101, 101 }, { 101, 101 } } },
	{ "skip mapped even of=5 n=20000", { { 101, 101 }, { 101, 101 } } },
	{ "skip mapped one=5 of=100 n=6000", { { 100, 103 }, { 101, 96 } } },
	{ "skip mapped one=50 of=100 n=20000", { { 101, 101 }, { 101, 101 } } },
	{ "turns mapped pages=8 n=4000", { { 103, 101 }, { 103, 101 } } },
};

static char *next_word(char **text)
{
	char *word;

	while ((word = strsep(text, " ")) && !*word)
		;
	return word;
}

/* In a process of its own, which begins with nothing. */
static void check_trace(const struct bound *bound, bool old)
{
	const struct outcome *runs = &outcomes[RUNS], *doubling = &outcomes[DOUBLING];
	unsigned int time = bound->base[old].time, pages = bound->base[old].pages;
	char text[256], *rest = text, *word;
	const struct kind *kind;

	snprintf(text, sizeof(text), "%s", bound->words);
	printf("%-46s %s ", bound->words, old ? "6.1" : "7.3");
	kind = kind_of(next_word(&rest));
	words.by = kind->by;
	words.old = old;
	while ((word = next_word(&rest)))
		if (!read_word(word))
			die("unknown word %s", word);
	steps_left = TRACE_STEPS;
	replay_made(kind, false);
	if (100 * runs->us > time * doubling->us)
		wrong("%s: %llu us, more than %u %% of %llu", bound->words, runs->us, time,
		      doubling->us);
	if (100 * runs->pages > pages * doubling->pages)
		wrong("%s: %lu pages, more than %u %% of %lu", bound->words, runs->pages, pages,
		      doubling->pages);
	exit(0);
}

static int check(void)
{
	int i, status, ret = 0;

	for (i = 0; i < 2 * ARRAY_SIZE(bounds); i++) {
		fflush(stdout);
		switch (fork()) {
		case -1:
			die("no process: %s", strerror(errno));
		case 0:
			check_trace(&bounds[i / 2], i % 2);
		}
		wait(&status);
		ret |= !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
	}
	return ret;
}

/* Words for a trace of some thousand pages, as a line that "try" takes */
static void draw_words(char *text, size_t size)
{
	static const unsigned long maxes[] = { 32, 32, 32, 128, 256, 1024 };
	unsigned long max = maxes[pick(ARRAY_SIZE(maxes))], most = 1 + pick(2 * max);
	unsigned long n = 1 + pick(4), len, sum = 0, i;
	char lens[128] = "";

	for (i = 0; i < n; i++) {
		len = 1 + pick(pick(2) ? most : 8);
		sum += len;
		snprintf(lens + strlen(lens), sizeof(lens) - strlen(lens), "%s%lu%s", i ? "," : "",
			 len, pick(4) ? "" : "*");
	}
	len = sum / n + 1;
	switch (pick(8)) {
	default:
		snprintf(text, size, "runs lens=%s%s%s max=%lu n=%lu file=%lu", lens,
			 pick(2) ? " any" : "", pick(3) ? "" : " whole", max,
			 min(20000 / len + 50, 2000UL), 100000UL << pick(5));
		break;
	/* A file that is read often enough to come to be in memory, if that is large enough */
	case 4:
		i = max(16 * most, 2048UL << pick(5));
		snprintf(text, size, "runs lens=%s%s max=%lu n=%lu file=%lu cache=%lu", lens,
			 pick(2) ? " any" : "", max, min(i * (1 + pick(3)) / len + 50, 20000UL), i,
			 i * (25 + pick(100)) / 100);
		return;
	case 0:
	case 1:
		i = 1 + pick(16);
		snprintf(text, size, "turns streams=%lu pages=%lu max=%lu n=%lu%s", i, most, max,
			 max(40000 / most, 40 * i), pick(2) ? " separate" : "");
		break;
	case 2:
		i = 10 + pick(90);
		snprintf(text, size, "skip one=%lu of=100 max=%lu n=20000", i, max);
		break;
	case 3:
		i = 1UL << pick(7);
		snprintf(text, size, "shared by=%lu threads=%lu group=%lu max=%lu n=%lu", i,
			 1 + pick(16), 1 + pick(8), max, max(40000 / i, 500UL));
		break;
	}
	if (!pick(3))
		snprintf(text + strlen(text), size - strlen(text), " mapped");
	if (!pick(3)) {
		i = max * (4 + pick(60));
		snprintf(text + strlen(text), size - strlen(text), " cache=%lu%s", i,
			 pick(2) ? " fifo" : "");
	}
}

/* Replay a line in a process of its own; what came of it is in @found. */
static void search_one(const char *line, struct outcome *found)
{
	char text[256], *rest = text, *word;
	bool old = words.old;
	const struct kind *kind;
	int status;

	fflush(stdout);
	switch (fork()) {
	case -1:
		die("no process: %s", strerror(errno));
	case 0:
		snprintf(text, sizeof(text), "%s", line);
		words = defaults;
		words.old = old;
		kind = kind_of(next_word(&rest));
		words.by = kind->by;
		while ((word = next_word(&rest)))
			if (!read_word(word))
				die("unknown word %s", word);
		if (!freopen("/dev/null", "w", stdout))
			die("/dev/null: %s", strerror(errno));
		replay_made(kind, false);
		memcpy(found, outcomes, sizeof(outcomes));
		_exit(0);
	}
	wait(&status);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die("%s: the replay ended with %d", line, status);
}

/* Of the traces of a kind: how many there are, and lose; and sums of logarithms */
static struct tally {
	unsigned int n, slower, slow, more;
	double time, pages, best_time, best_pages;
} tallies[2][ARRAY_SIZE(kinds) + 1];

static void count(struct tally *t, const struct outcome *o)
{
	double time = (double)o[RUNS].us / o[DOUBLING].us;
	double pages = (double)o[RUNS].pages / o[DOUBLING].pages;

	t->n++;
	t->slower += time > 1.05;
	t->slow += time > 1.25;
	t->more += pages > 1.1;
	t->time += log(time);
	t->pages += log(pages);
	t->best_time += log((double)o[FUTURE].us / o[DOUBLING].us);
	t->best_pages += log((double)o[FUTURE].pages / o[DOUBLING].pages);
}

static void tell(const char *mapped, const char *name, const struct tally *t)
{
	if (t->n)
		printf("%-6s %-9s %6u %6.3f %6.3f %6.3f %6.3f %6u %6u %6u\n", mapped, name, t->n,
		       exp(t->time / t->n), exp(t->pages / t->n), exp(t->best_time / t->n),
		       exp(t->best_pages / t->n), t->slower, t->slow, t->more);
}

/* Draw traces; all are told by kind, and those that lose line by line, unless @what tells which. */
static void search(const char *what, struct outcome *found)
{
	unsigned long n, seed = words.seed;
	unsigned int mapped, kind;
	char line[256];

	memset(tallies, 0, sizeof(tallies));
	for (n = words.count; n; n--) {
		draw_words(line, sizeof(line));
		search_one(line, found);
		mapped = !!strstr(line, " mapped");
		for (kind = 0; strncmp(line, kinds[kind].name, strlen(kinds[kind].name)); kind++)
			;
		count(&tallies[mapped][kind], found);
		count(&tallies[mapped][ARRAY_SIZE(kinds)], found);
		if (!what && (100 * found[RUNS].us > 105 * found[DOUBLING].us ||
			      100 * found[RUNS].pages > 110 * found[DOUBLING].pages))
			printf("time %.2f pages %.2f try %s\n",
			       (double)found[RUNS].us / found[DOUBLING].us,
			       (double)found[RUNS].pages / found[DOUBLING].pages, line);
	}
	words.seed = seed;
	for (mapped = 0; mapped < 2; mapped++)
		for (kind = what ? ARRAY_SIZE(kinds) : 0; kind <= ARRAY_SIZE(kinds); kind++)
			tell(mapped ? "faults" : "reads",
			     what ? what : kind < ARRAY_SIZE(kinds) ? kinds[kind].name : "all",
			     &tallies[mapped][kind]);
}

static int search_all(bool ablate)
{
	static const struct { const char *name; unsigned int hidden; } parts[] = {
		{ "nothing", 0 }, { "memory", RA_HIDE_LENGTHS }, { "history", RA_HIDE_HISTORY },
		{ "used", RA_HIDE_USED }, { "warm", RA_HIDE_WARM }, { "shadows", RA_HIDE_SHADOWS },
		{ "marks", RA_HIDE_MARKS }, { "reads", RA_HIDE_READS },
		{ "faults", RA_HIDE_FAULTS },
	};
	struct outcome *found;
	unsigned int i;

	found = mmap(NULL, sizeof(outcomes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (found == MAP_FAILED)
		die("no memory");
	printf("# seed=%lu, by the rules of %s: how many; time and pages of stock's; of the best;\n"
	       "# how many lose more than 5, and 25 %% of time, 10 %% of pages%s\n",
	       words.seed, words.old ? "6.1" : "7.3", ablate ? ";\n# without:" : "");
	for (i = 0; i < (ablate ? ARRAY_SIZE(parts) : 1); i++) {
		ra_hidden = parts[i].hidden;
		search(ablate ? parts[i].name : NULL, found);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = "", *what = "";
	const struct kind *kind = NULL;
	FILE *in = stdin;
	int i = 1;

	words = defaults;
	ra_reads = runs_force;
	made = stdout;
	if (argc == 2 && !strcmp(argv[1], "check"))
		return check();
	if (argc > 2 && (!strcmp(argv[1], "gen") || !strcmp(argv[1], "try"))) {
		verb = argv[1];
		what = argv[2];
		i = 3;
	}
	if (*verb == 'g' || *verb == 't') {
		kind = kind_of(what);
		words.by = kind->by;
	}
	if (argc > 1 && (!strcmp(argv[1], "search") || !strcmp(argv[1], "ablate"))) {
		verb = argv[1];
		i = 2;
	}
	for (; i < argc; i++) {
		if (read_word(argv[i]))
			continue;
		if (kind || in != stdin || strchr(argv[i], '='))
			die("unknown word %s", argv[i]);
		in = fopen(argv[i], "r");
		if (!in)
			die("%s: %s", argv[i], strerror(errno));
	}
	if (*verb == 's' || *verb == 'a')
		return search_all(*verb == 'a');
	if (*verb == 'g')
		kind->generate();
	else if (*verb == 't')
		replay_made(kind, false);
	else
		replay_trace(in, true);
	return 0;
}
