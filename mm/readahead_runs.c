// SPDX-License-Identifier: GPL-2.0-only
/* How far to read ahead: where it costs least, over the last runs (consecutive pages) of a file */

#include <linux/backing-dev.h>
#include <linux/sysctl.h>
#include "internal.h"
#include "readahead_runs.h"
#define CREATE_TRACE_POINTS
#include <trace/events/readahead_runs.h>

#define RA_RUNS		4	/* are remembered: with that under way as many as 8 bytes hold */
#define RA_LONG		4095UL	/* pages, 16 MiB: a stream's, to which one wait is nothing */
#define RA_WAIT		VM_READAHEAD_PAGES	/* could be read in the time of a wait */
#define RA_AT_ONCE	(SZ_256K / PAGE_SIZE)	/* pages that a program waits for at once */
#define RA_DENSE	(SZ_64K / PAGE_SIZE)	/* a fault maps so many: one is touched in a run */
#define RA_AROUND	100UL	/* misses less hits: filemap.c's MMAP_LOTSAMISS */

enum ra_state {
	RA_UNKNOWN,	/* nothing is known of the run under way */
	RA_SINGLE,	/* nothing was read beyond its first request; the window is another's */
	RA_READS,	/* it is known where it began, and the window is its last one */
	RA_FAULTS,	/* the same, of faults: the pages behind the first have marks */
};

/* ->runs: where the run's first request ended, to @start: 13 bits; 12 bits a length; 2 of state */
struct ra_view {
	pgoff_t start, mark, end, prev_end, origin, gap;	/* faults may leave out a gap */
	enum ra_state state;
	unsigned long len[RA_RUNS];	/* pages beyond the first request, the last run first */
};

static int sysctl_readahead_runs __read_mostly = 1;

/* False: windows are as ever, as it is switched off, or POSIX_FADV_SEQUENTIAL made them longer. */
static bool ra_load(const struct readahead_control *ractl, struct ra_view *view)
{
	const struct file_ra_state *ra = ractl->ra;
	u64 runs = READ_ONCE(ra->runs);

	view->start = READ_ONCE(ra->start);
	view->end = view->start + READ_ONCE(ra->size);
	view->mark = view->end - READ_ONCE(ra->async_size);
	view->prev_end = ((u64)READ_ONCE(ra->prev_pos) + PAGE_SIZE - 1) >> PAGE_SHIFT;
	view->origin = view->start - ((s64)runs >> 51);
	view->state = runs & 3;
	for (int i = 0; i < RA_RUNS; i++)
		view->len[i] = runs >> (2 + 12 * i) & RA_LONG;
	return READ_ONCE(sysctl_readahead_runs) &&
	       ra->ra_pages <= inode_to_bdi(ractl->mapping->host)->ra_pages;
}

static void ra_store(struct file_ra_state *ra, const struct ra_view *view, pgoff_t start)
{
	long before = min_t(long, start - view->origin, RA_LONG);
	u64 runs = before + (long)RA_LONG < 0 ? RA_UNKNOWN : (u64)before << 51 | view->state;

	for (int i = 0; i < RA_RUNS; i++)
		runs |= (u64)view->len[i] << (2 + 12 * i);
	WRITE_ONCE(ra->runs, runs);
}

/* It goes to @end, or, with @most pages, to a part of that, and its mark is on page @mark of it. */
static void ra_set_window(struct file_ra_state *ra, const struct ra_view *view, pgoff_t start,
			  pgoff_t end, unsigned long most, unsigned long mark)
{
	unsigned long size = min(end - start, most);

	ra_store(ra, view, start);
	WRITE_ONCE(ra->start, start);
	WRITE_ONCE(ra->size, size);
	WRITE_ONCE(ra->async_size, start + size < end ? size - mark : 0);
	WRITE_ONCE(ra->order, 0);
}

/*
 * What it costs to read on for runs of @len pages, of which @need were wanted and @have are there.
 * @end, or 0, is the best of their ends: shorter ones read in vain, longer ones wait, and go on.
 */
static unsigned long ra_cost(const unsigned long *len, unsigned long need, unsigned long have,
			     unsigned long *end)
{
	unsigned long least = ULONG_MAX, cost, to, next, longer, i, k;

	for (*end = 0, i = 0; i < RA_RUNS; i++) {
		if (len[i] < need || len[i] == RA_LONG)
			continue;
		to = max(len[i], have);
		for (cost = 0, longer = 0, k = 0; k < RA_RUNS; k++) {
			longer += len[k] > to;
			cost += len[k] < need || len[k] > to ? 0 : to - max(len[k], have);
		}
		cost += longer * RA_WAIT + ra_cost(len, to + 1, 0, &next);
		if (cost < least || (cost == least && to < *end)) {
			least = cost;
			*end = to;
		}
	}
	return least == ULONG_MAX ? 0 : least;
}

/* How far the last window was used, one page in RA_DENSE at least. If the run is over marks go. */
static pgoff_t ra_used_to(struct address_space *mapping, struct ra_view *view, bool over)
{
	unsigned long from = over ? view->origin : max(view->start, view->origin), end = from;
	unsigned long last = from + RA_AT_ONCE, used = 1, index;

	for (index = from; index < min(view->end, last); index++) {
		struct folio *folio = filemap_get_folio(mapping, index);

		if (IS_ERR_OR_NULL(folio))
			continue;
		if (view->state == RA_FAULTS ? !folio_test_readahead(folio) :
		    folio_test_referenced(folio) || folio_test_active(folio))
			end = ++used * RA_DENSE > index - from ? index + 1 : end;
		else if (index + 1 >= view->origin + RA_AT_ONCE)
			last = index;	/* all else there has no marks */
		if (over && index != view->mark && !folio_test_dirty(folio) &&
		    !folio_test_writeback(folio))
			folio_clear_readahead(folio);
		folio_put(folio);
	}
	view->gap = max(used * RA_DENSE, index - from + 1) - (index - from + 1);
	return end == from + RA_AT_ONCE ? view->end : end;
}

/* The run under way has ended: where prev_pos says, or as far as its pages were used. */
static void ra_learn(const struct readahead_control *ractl, struct ra_view *view)
{
	pgoff_t end = view->state == RA_SINGLE ? view->origin : view->prev_end;

	if (view->state == RA_UNKNOWN)
		return;
	if (view->state == RA_FAULTS || end < view->origin || end > max(view->end, view->origin))
		end = ra_used_to(ractl->mapping, view, view->state == RA_FAULTS);
	memmove(view->len + 1, view->len, (RA_RUNS - 1) * sizeof(*view->len));
	view->len[0] = min(end - view->origin, RA_LONG);
	if (view->state >= RA_READS)
		trace_readahead_run(ractl->mapping->host, view->origin, end, view->end);
}

/* Pages that are there before a missing one; the search may count the last of them as missing. */
static unsigned long ra_history(struct readahead_control *ractl, unsigned long max)
{
	pgoff_t index = readahead_index(ractl), miss;

	rcu_read_lock();
	miss = page_cache_prev_miss(ractl->mapping, index - 1, max + 1);
	rcu_read_unlock();
	return min(index - 1 - miss, max);
}

/* Pages of later runs, too: with the part f of the file there one saves f / n waits, costs 1 - f */
static pgoff_t ra_warm_end(struct readahead_control *ractl, const struct ra_view *view,
			   pgoff_t end, unsigned long max)
{
	unsigned long file = DIV_ROUND_UP(i_size_read(ractl->mapping->host), PAGE_SIZE);
	unsigned long index = readahead_index(ractl), warm = index + min(max, RA_AT_ONCE);
	void *entry;

	if (warm <= end || index - view->prev_end < max || (u64)(end - index) * file >
	    (RA_WAIT + end - index) * READ_ONCE(ractl->mapping->nrpages))
		return end;
	xa_for_each_range(&ractl->mapping->i_pages, index, entry, index, warm - 1)
		if (xa_is_value(entry))
			return end;
	return warm;
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

/* Read the window that was chosen; apart what only some of the runs want: nobody waits for it. */
void ra_runs_read(struct readahead_control *ractl, unsigned long pages)
{
	pgoff_t index = readahead_index(ractl), from, end;
	struct file_ra_state *ra = ractl->ra;
	struct ra_view view;	/* maybe another thread's by now */

	ra_load(ractl, &view);
	end = view.end;
	for (int i = 0; i < RA_RUNS && view.state >= RA_READS && view.start == index; i++)
		if (view.origin + view.len[i] > index + pages - !!pages)
			end = min(end, view.origin + view.len[i]);
	WRITE_ONCE(ra->async_size, 0);	/* FUSE leaves out what nobody waits for */
	for (from = view.start; from < view.end && READ_ONCE(ra->start) == view.start; from = end) {
		end = from == view.start ? end : view.end;
		WRITE_ONCE(ra->size, end - view.start);
		ractl->_index = from;
		force_page_cache_ra(ractl, end - from);
	}
	WRITE_ONCE(ra->async_size, view.end - view.mark);
	if (view.mark < view.end)
		ra_set_mark(ractl->mapping, view.mark);
	end = min3(view.end, view.origin + RA_AT_ONCE, index + 1 + RA_AT_ONCE);
	while (view.state == RA_FAULTS && ++index < end)
		ra_set_mark(ractl->mapping, index);
}

/* A page is missing, @pages are wanted from there on. False: windows are as ever. */
bool ra_runs_miss(struct readahead_control *ractl, unsigned long pages, unsigned long max)
{
	unsigned long end = 0, history = 0, most = min(max, max(pages, RA_AT_ONCE));
	pgoff_t index = readahead_index(ractl);
	bool adjacent, goes_on, known;
	struct ra_view view;

	if (!ra_load(ractl, &view)) {
		WRITE_ONCE(ractl->ra->runs, 0);
		return false;
	}
	known = view.state != RA_UNKNOWN;
	adjacent = index - view.prev_end + 1 <= 1;
	goes_on = view.state == RA_READS ? index == view.end : adjacent && view.state == RA_SINGLE;
	if (!adjacent && !goes_on)
		ra_learn(ractl, &view);
	if (!index || pages > max) {
		view.state = pages > max ? RA_UNKNOWN : RA_READS;
		view.origin = index + pages;
	} else if (goes_on) {
		view.origin = view.state == RA_SINGLE ? index : view.origin;
		view.state = RA_READS;
		ra_cost(view.len, index + pages - view.origin, 0, &end);
	} else if (!adjacent || view.state != RA_READS || index < view.origin || index > view.end) {
		history = adjacent ? 0 : ra_history(ractl, max);
		if (!adjacent && history <= pages)
			ra_cost(view.len, 0, 0, &end);
		view.state = end ? RA_READS : adjacent || history > pages ? RA_UNKNOWN : RA_SINGLE;
		view.origin = index + pages;
	}
	if (end) {
		end = ra_warm_end(ractl, &view, view.origin + end, known ? max : 0);
	} else if (history > pages && !xa_is_value(xa_load(&ractl->mapping->i_pages, index))) {
		/* A stream's track, none that had to go: the next window is begun in this one. */
		most = min(history + pages, max);
		end = index + most + 1;
	}
	if (end) {
		ra_set_window(ractl->ra, &view, index, end, most, history > pages ? pages : 0);
		ra_runs_read(ractl, pages);
	} else {
		ra_store(ractl->ra, &view, index);
	}
	return end;
}

/* A read, or a fault, has come to the mark of @folio. False: windows are as ever. */
bool ra_runs_mark(struct readahead_control *ractl, struct folio *folio, unsigned long max)
{
	pgoff_t index = readahead_index(ractl);
	unsigned long have, end = 0;
	struct ra_view view;

	if (!ra_load(ractl, &view) || view.state < RA_READS)
		return false;
	have = view.end - view.origin;
	if (index != round_down(view.mark, folio_nr_pages(folio)))
		view.state = RA_UNKNOWN;
	else
		ra_cost(view.len, index < view.origin ? 0 : index + 1 - view.origin, have, &end);
	if (end > have) {
		ra_set_window(ractl->ra, &view, view.end, view.origin + end,
			      min(max, max(2 * (view.end - view.start), RA_AT_ONCE)), 0);
		ra_runs_read(ractl, 0);
	} else if (!end) {
		ra_store(ractl->ra, &view, view.end);
	}
	return end;
}

/* Choose what is read around the fault on a missing page, after @misses. False: as ever. */
bool ra_runs_fault(struct readahead_control *ractl, unsigned int misses)
{
	unsigned long max = ractl->ra->ra_pages, end = 0, history = 0, size;
	pgoff_t index = readahead_index(ractl);
	bool goes_on, back, given_up = misses > RA_AROUND;
	struct ra_view view = { };

	/* RA_AROUND windows, a quarter of a file or more, are stock's bet that it is all used. */
	if (!ra_load(ractl, &view) || !max ||
	    (!given_up && i_size_read(ractl->mapping->host) >> PAGE_SHIFT <= 4 * RA_AROUND * max)) {
		WRITE_ONCE(ractl->ra->runs, 0);
		return false;
	}
	back = view.start - index - 1 < max;
	if (back)	/* with the window that reading around had read, no miss but a hit */
		WRITE_ONCE(ractl->ra->mmap_miss, misses - min(misses, 2U));
	if (view.state == RA_FAULTS && (back || index - view.end < max))
		ra_used_to(ractl->mapping, &view, back);
	view.state = back ? RA_SINGLE : view.state;
	goes_on = view.state == RA_FAULTS && index - view.end < min(view.gap, max);
	if (!goes_on) {
		ra_learn(ractl, &view);
		history = index && index != view.end ? ra_history(ractl, max) : 0;
		view.origin = index + 1 - history;
	}
	size = index + 1 - view.origin;
	/* A step back, or ahead in what had no marks, is a scan's, of which nothing is known. */
	if (history < max && !back && (goes_on || given_up || index - view.end + RA_AT_ONCE >= max))
		ra_cost(view.len, size, 0, &end);
	view.state = back ? RA_SINGLE : end || !history ? RA_FAULTS : RA_UNKNOWN;
	if (end) {
		end = ra_warm_end(ractl, &view, view.origin + end, given_up ? 0 : max);
		ra_set_window(ractl->ra, &view, index, end, min(max, RA_AT_ONCE), 1);
		return true;
	}
	/* A stream, whose page did not have to go: as much again. Else around it, or it alone */
	goes_on |= history && !xa_is_value(xa_load(&ractl->mapping->i_pages, index));
	size = goes_on ? min3(size, max, max(RA_AT_ONCE, max / 2)) : given_up ? 1 : max;
	index -= goes_on ? 0 : min(index, size / 2);
	ra_set_window(ractl->ra, &view, index, index + size + (size > 1), size, size - size / 4);
	return size > 1;
}

/* A fault has come to a mark: does that only say that the page is touched? One of many is a hit. */
bool ra_runs_touched(struct readahead_control *ractl, struct folio *folio)
{
	pgoff_t index = readahead_index(ractl);
	struct ra_view view;

	if (!ra_load(ractl, &view) || view.state != RA_FAULTS || folio_test_writeback(folio) ||
	    index == view.mark || index - view.origin >= RA_AT_ONCE)
		return false;
	folio_clear_readahead(folio);
	return index % RA_DENSE;
}

static const struct ctl_table ra_runs_sysctl[] = { {
	.procname = "readahead_runs", .mode = 0644, .maxlen = sizeof(int), .extra1 = SYSCTL_ZERO,
	.data = &sysctl_readahead_runs, .proc_handler = proc_dointvec_minmax, .extra2 = SYSCTL_ONE,
} };

static int __init ra_runs_init(void)
{
	register_sysctl_init("vm", ra_runs_sysctl);
	return 0;
}
late_initcall(ra_runs_init);

#ifdef CONFIG_READAHEAD_KUNIT_TEST
#include "readahead_test.c"
#endif
