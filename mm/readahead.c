// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading files ahead
 *
 * Copyright (C) 2002, Linus Torvalds
 */

/**
 * DOC: Readahead Overview
 *
 * Pages are read into the page cache before a program asks for them. This file reads; how far it
 * reads is decided in mm/readahead_runs.h.
 *
 * The life of one readahead: a read or a fault finds a page missing (page_cache_sync_ra()) or meets
 * a page that carries a mark (page_cache_async_ra()). Both ask the policy for a window, which is
 * written to struct file_ra_state: start, size, and async_size, the distance of the next mark from
 * the window's end. Locked pages are then added to the cache for each page of the window that is
 * not there, large folios if the file system can take them, and each stretch without a gap goes to
 * ->readahead() in one call, or page by page to ->read_folio(). Nobody waits for the reads here:
 * who needs a page waits for its lock, and reads it again if it did not come up to date. Errors are
 * therefore of no interest at this point.
 *
 * A file system may leave pages of a window unread, best those after the mark. They are unlocked
 * here; those after the mark leave the cache, so that a later window takes them up again.
 *
 * What the user said goes first. POSIX_FADV_RANDOM reads what is asked for and no more.
 * POSIX_FADV_SEQUENTIAL doubles ra_pages, and while that is larger than the device's no short runs
 * are expected. ra_pages of zero (DAX, file systems without a backing device, read_ahead_kb 0, a
 * medium with errors) reads single pages.
 *
 * Locking: the mapping's invalidate_lock is held shared from the first page added to the last one
 * sent, so no page shows what a truncation or a hole took away. file_ra_state has no lock. Memory
 * is allocated as if within the file system: reclaim would wait for pages that are locked here.
 */

#include <linux/backing-dev.h>
#include <linux/blk-cgroup.h>
#include <linux/blkdev.h>
#include <linux/export.h>
#include <linux/fadvise.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm_inline.h>
#include <linux/pagemap.h>
#include <linux/psi.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/syscalls.h>

#include "internal.h"
#include "readahead_runs.h"

#define CREATE_TRACE_POINTS
#include <trace/events/readahead.h>

/* Forced readahead goes in units of this, lest it lock too much memory at once. */
#define FORCED_PAGES	(SZ_2M / PAGE_SIZE)

/**
 * file_ra_state_init - prepare the readahead state of an open file
 * @ra: the state, all zero
 * @mapping: the file's pages; its device says how long a window may be
 */
void file_ra_state_init(struct file_ra_state *ra, struct address_space *mapping)
{
	ra->ra_pages = inode_to_bdi(mapping->host)->ra_pages;
	ra->prev_pos = -1;
	ra->run_start = RA_NO_RUN;
}
EXPORT_SYMBOL_GPL(file_ra_state_init);

/* Sets @last to the page with the last byte of the file; false if the file is empty. */
static bool last_page(struct address_space *mapping, pgoff_t *last)
{
	loff_t size = i_size_read(mapping->host);

	*last = (size - 1) >> PAGE_SHIFT;
	return size > 0;
}

/*
 * Unlock what ->readahead() has left. The window shrinks by that, so the next one is sized by what
 * was really read.
 */
static void take_back(struct readahead_control *ractl)
{
	struct file_ra_state *ra = ractl->ra;
	struct folio *folio;
	unsigned int nr;

	while ((folio = readahead_folio(ractl))) {
		nr = folio_nr_pages(folio);
		folio_get(folio);
		if (ra) {
			ra->size -= min(ra->size, nr);
			if (ra->async_size >= nr) {
				ra->async_size -= nr;
				filemap_remove_folio(folio);
			}
		}
		folio_unlock(folio);
		folio_put(folio);
	}
}

/* Send the locked folios of @ractl. What waits for them may be stalled by a lack of memory. */
static void send_batch(struct readahead_control *ractl)
{
	const struct address_space_operations *aops = ractl->mapping->a_ops;
	struct blk_plug plug;
	struct folio *folio;

	if (!readahead_count(ractl))
		return;

	if (unlikely(ractl->_workingset))
		psi_memstall_enter(&ractl->_pflags);
	blk_start_plug(&plug);

	if (aops->readahead) {
		aops->readahead(ractl);
		take_back(ractl);
	} else {
		while ((folio = readahead_folio(ractl)))
			aops->read_folio(ractl->file, folio);
	}

	blk_finish_plug(&plug);
	if (unlikely(ractl->_workingset))
		psi_memstall_leave(&ractl->_pflags);
	ractl->_workingset = false;
}

/* Add a locked folio at @index, the end of the batch. Returns 0, -EEXIST or -ENOMEM. */
static __always_inline int add_folio(struct readahead_control *ractl, pgoff_t index,
				     unsigned int order, bool mark, gfp_t gfp)
{
	struct folio *folio = filemap_alloc_folio(gfp, order);
	int err;

	if (!folio)
		return -ENOMEM;
	if (mark)
		folio_set_readahead(folio);
	err = filemap_add_folio(ractl->mapping, folio, index, gfp);
	if (err) {
		folio_put(folio);
		return err;
	}
	ractl->_workingset |= folio_test_workingset(folio);
	ractl->_nr_pages += 1UL << order;
	return 0;
}

/*
 * The first page from @index to @last that is in the cache, or @last + 1. Looked up once for a gap:
 * a page that comes into it later is noticed when its place is to be taken.
 */
static pgoff_t next_cached(struct address_space *mapping, pgoff_t index, pgoff_t last)
{
	XA_STATE(xas, &mapping->i_pages, index);
	void *entry;

	rcu_read_lock();
	do {
		entry = xas_find(&xas, last);
	} while (entry && (xas_retry(&xas, entry) || xa_is_value(entry)));
	rcu_read_unlock();
	return entry ? xas.xa_index : last + 1;
}

/**
 * page_cache_ra_unbounded - read pages ahead, beyond the end of the file too
 * @ractl: where; its index is the first page
 * @nr_to_read: number of pages
 * @lookahead_size: the mark goes this many pages before the end; 0 for none
 *
 * For file systems that keep things after i_size, and for those only. What is in the cache already
 * is left alone, and not marked.
 *
 * Context: The caller holds a reference to the file and may hold mutexes. Sleeps. Memory reclaim
 *	does not call into the file system.
 */
void page_cache_ra_unbounded(struct readahead_control *ractl, unsigned long nr_to_read,
			     unsigned long lookahead_size)
{
	struct address_space *mapping = ractl->mapping;
	pgoff_t index = readahead_index(ractl), last = index + nr_to_read - 1, cached;
	pgoff_t mark = index + nr_to_read - lookahead_size;
	gfp_t gfp = readahead_gfp_mask(mapping);
	unsigned int nofs;
	int err = 0;

	if (!nr_to_read)
		return;

	nofs = memalloc_nofs_save();
	filemap_invalidate_lock_shared(mapping);
	cached = next_cached(mapping, index, last);
	for (; nr_to_read && err != -ENOMEM; nr_to_read--, index++) {
		err = -EEXIST;
		if (index == cached)
			cached = next_cached(mapping, index + 1, last);
		else
			err = add_folio(ractl, index, 0, index == mark, gfp);
		if (err) {
			send_batch(ractl);
			ractl->_index = index + 1;
		}
	}
	send_batch(ractl);
	filemap_invalidate_unlock_shared(mapping);
	memalloc_nofs_restore(nofs);
}
EXPORT_SYMBOL_GPL(page_cache_ra_unbounded);

/* The same within the file. */
static void read_single_pages(struct readahead_control *ractl, unsigned long nr_to_read,
			      unsigned long lookahead_size)
{
	pgoff_t index = readahead_index(ractl), last;

	if (!last_page(ractl->mapping, &last) || index > last)
		return;
	if (nr_to_read > last - index)
		nr_to_read = last - index + 1;
	page_cache_ra_unbounded(ractl, nr_to_read, lookahead_size);
}

/**
 * force_page_cache_ra - read what is asked for, neither more nor in windows
 * @ractl: where; its index is the first page
 * @nr_to_read: number of pages; cut to what the device takes in one request, or to a window
 *
 * ->ra keeps its window, but for pages that the file system leaves unread.
 */
void force_page_cache_ra(struct readahead_control *ractl, unsigned long nr_to_read)
{
	struct address_space *mapping = ractl->mapping;
	unsigned long most = max_t(unsigned long, inode_to_bdi(mapping->host)->io_pages,
				   ractl->ra->ra_pages);
	pgoff_t index = readahead_index(ractl);
	unsigned long chunk;

	if (unlikely(!mapping->a_ops->readahead && !mapping->a_ops->read_folio))
		return;
	for (nr_to_read = min(nr_to_read, most); nr_to_read; nr_to_read -= chunk) {
		chunk = min(nr_to_read, FORCED_PAGES);
		ractl->_index = index;
		read_single_pages(ractl, chunk, 0);
		index += chunk;
	}
}

/* The order of the folio to add at @index: aligned, not beyond @last, and never 1. */
static unsigned int order_at(pgoff_t index, pgoff_t last, unsigned int order)
{
	if (index & ((1UL << order) - 1))
		order = __ffs(index);
	while (order && index + (1UL << order) - 1 > last)
		order--;
	return order == 1 ? 0 : order;
}

/**
 * page_cache_ra_order - read a window ahead, in large folios where they can be had
 * @ractl: where; its index is the first page
 * @ra: size and async_size of the window
 * @new_order: order of the folio that led here; folios become four times as large
 */
void page_cache_ra_order(struct readahead_control *ractl, struct file_ra_state *ra,
			 unsigned int new_order)
{
	struct address_space *mapping = ractl->mapping;
	pgoff_t start = readahead_index(ractl), index = start, last;
	pgoff_t mark = start + ra->size - ra->async_size;
	unsigned long size = ra->size, async_size = ra->async_size;
	gfp_t gfp = readahead_gfp_mask(mapping);
	unsigned int nofs, order;
	int err = 0;

	if (!mapping_large_folio_support(mapping) || size < 4) {
		read_single_pages(ractl, size, async_size);
		return;
	}
	if (!last_page(mapping, &last))
		return;
	last = min(last, start + size - 1);
	new_order = min3(new_order + 2, MAX_PAGECACHE_ORDER + 0U, ilog2(size) + 0U);

	nofs = memalloc_nofs_save();
	filemap_invalidate_lock_shared(mapping);
	while (!err && index <= last) {
		order = order_at(index, last, new_order);
		err = add_folio(ractl, index, order, index == round_down(mark, 1UL << order), gfp);
		if (!err)
			index += 1UL << order;
	}
	send_batch(ractl);
	filemap_invalidate_unlock_shared(mapping);
	memalloc_nofs_restore(nofs);

	/* Something is in the way: go round it, page by page. */
	if (err) {
		ractl->_index = index;
		read_single_pages(ractl, start + size - index, async_size);
	}
}

/*
 * Leave out of the window what lies beyond the end of the file. If the file grows, a reader that
 * gets there has arrived at the end of the window, and has not lost pages of it.
 */
static void end_with_file(struct file_ra_state *ra, struct address_space *mapping)
{
	pgoff_t last;

	if (!last_page(mapping, &last) || ra->start > last) {
		ra->size = 0;
		ra->async_size = 0;
	} else if (ra->start + ra->size - 1 > last) {
		ra->size = last - ra->start + 1;
		ra->async_size = 0;
	}
}

/* Ask the policy, and read. @folio carries a mark; NULL at a miss. */
static void read_window(struct readahead_control *ractl, struct folio *folio,
			unsigned long req_count)
{
	struct backing_dev_info *bdi = inode_to_bdi(ractl->mapping->host);
	struct file_ra_state *ra = ractl->ra;
	unsigned int order = folio ? folio_order(folio) : 0;
	pgoff_t run_start = ra->run_start;
	struct ra_ask ask = {
		.mapping = ractl->mapping,
		.index = readahead_index(ractl),
		.pages = max(req_count, 1UL),
		.max = ra->ra_pages,
		.streams = ra->ra_pages > bdi->ra_pages,
	};

	/* A request larger than the window may become as large as the device can take. */
	if (ask.pages > ask.max && bdi->io_pages > ask.max)
		ask.max = min(ask.pages, bdi->io_pages);

	if (!folio)
		ra_plan_miss(ra, &ask);
	else if (!ra_plan_mark(ra, &ask, order))
		return;
	if (ask.ended)
		trace_readahead_run(ractl->mapping->host, run_start, ask.ended, ask.spent,
				    ra->run_mean);
	end_with_file(ra, ractl->mapping);
	trace_readahead_window(ractl->mapping->host, ask.index, ask.pages, ra, !folio);

	ractl->_index = ra->start;
	page_cache_ra_order(ractl, ra, order);
}

/**
 * page_cache_sync_ra - read pages, and what is likely to be wanted next
 * @ractl: where; its index is a page that is not in the cache
 * @req_count: how many pages from there on are wanted now
 */
void page_cache_sync_ra(struct readahead_control *ractl, unsigned long req_count)
{
	bool forced = ractl->file && (ractl->file->f_mode & FMODE_RANDOM);

	/* Reading one page, the one that is missing, is not reading ahead. */
	if (!ractl->ra->ra_pages || blk_cgroup_congested()) {
		if (!ractl->file)
			return;
		req_count = 1;
		forced = true;
	}

	if (forced)
		force_page_cache_ra(ractl, req_count);
	else
		read_window(ractl, NULL, req_count);
}
EXPORT_SYMBOL_GPL(page_cache_sync_ra);

/**
 * page_cache_async_ra - read on, as the program has arrived at a mark
 * @ractl: where; its index is @folio's
 * @folio: carries the mark, which is taken off
 * @req_count: how many pages from there on are wanted now
 */
void page_cache_async_ra(struct readahead_control *ractl, struct folio *folio,
			 unsigned long req_count)
{
	if (!ractl->ra->ra_pages)
		return;
	/* The bit of the mark has a second meaning while a folio is written back. */
	if (folio_test_writeback(folio))
		return;

	folio_clear_readahead(folio);
	if (!blk_cgroup_congested())
		read_window(ractl, folio, req_count);
}
EXPORT_SYMBOL_GPL(page_cache_async_ra);

ssize_t ksys_readahead(int fd, loff_t offset, size_t count)
{
	struct fd f = fdget(fd);
	struct address_space *mapping;
	umode_t mode;
	ssize_t ret = -EBADF;

	if (!f.file || !(f.file->f_mode & FMODE_READ))
		goto out;

	ret = -EINVAL;
	mode = file_inode(f.file)->i_mode;
	mapping = f.file->f_mapping;
	if (mapping && mapping->a_ops && (S_ISREG(mode) || S_ISBLK(mode)))
		ret = vfs_fadvise(f.file, offset, count, POSIX_FADV_WILLNEED);
out:
	fdput(f);
	return ret;
}

SYSCALL_DEFINE3(readahead, int, fd, loff_t, offset, size_t, count)
{
	return ksys_readahead(fd, offset, count);
}

#if defined(CONFIG_COMPAT) && defined(__ARCH_WANT_COMPAT_READAHEAD)
COMPAT_SYSCALL_DEFINE4(readahead, int, fd, compat_arg_u64_dual(offset), size_t, count)
{
	return ksys_readahead(fd, compat_arg_u64_glue(offset), count);
}
#endif

/* Add one page at @index to the request; false if it is there already, or there is no memory. */
static bool expand_by_one(struct readahead_control *ractl, pgoff_t index)
{
	struct address_space *mapping = ractl->mapping;
	gfp_t gfp = readahead_gfp_mask(mapping);
	bool stalled = ractl->_workingset;

	if (next_cached(mapping, index, index) == index || add_folio(ractl, index, 0, false, gfp))
		return false;
	/* The file system is being called: who waits for memory is accounted until it returns. */
	if (unlikely(ractl->_workingset && !stalled))
		psi_memstall_enter(&ractl->_pflags);
	return true;
}

/**
 * readahead_expand - make a request larger
 * @ractl: the request, in the hands of ->readahead()
 * @new_start: first byte wanted
 * @new_len: bytes wanted from there on
 *
 * Adds locked pages before and after those of the request. It stops at the first page that is in
 * the cache already or cannot be had: look at @ractl for what came of it.
 */
void readahead_expand(struct readahead_control *ractl, loff_t new_start, size_t new_len)
{
	struct file_ra_state *ra = ractl->ra;
	pgoff_t first = new_start / PAGE_SIZE;
	unsigned long nr;

	while (ractl->_index > first) {
		if (!expand_by_one(ractl, ractl->_index - 1))
			return;
		ractl->_index--;
	}

	nr = DIV_ROUND_UP(new_len + (new_start - readahead_pos(ractl)), PAGE_SIZE);
	while (ractl->_nr_pages < nr) {
		if (!expand_by_one(ractl, ractl->_index + ractl->_nr_pages))
			return;
		if (ra) {
			ra->size++;
			ra->async_size++;
		}
	}
}
EXPORT_SYMBOL(readahead_expand);
