/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel as mm/readahead_runs.c and its KUnit test use, in user space.
 *
 * A mapping is a set of pages. Who searches it for a gap that is not there is told what older
 * kernels say if ra_miss_old is set. What is in ra_hidden the policy does not see.
 */
#ifndef RA_KERNEL_H
#define RA_KERNEL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT	12
#define PAGE_SIZE	4096UL
#define SZ_128K		0x00020000
#define SZ_256K		0x00040000
#define VM_READAHEAD_PAGES	ra_wait	/* what a wait is worth */

#define __init		__attribute__((__unused__))
#define __read_mostly
#define __noreturn	__attribute__((__noreturn__))
#define __printf(f, a)	__attribute__((__format__(printf, f, a)))

typedef uint16_t u16;
typedef uint64_t u64;
typedef int64_t s64;
#define loff_t long long
typedef unsigned long pgoff_t;

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_down(n, to)	((n) & ~((__typeof__(n))(to) - 1))

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); (void)(&_a == &_b);	\
		     _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); (void)(&_a == &_b);	\
		     _a > _b ? _a : _b; })
#define min3(a, b, c)	min(min(a, b), c)

/* A page, or what is kept in its place when memory was short; of a page, its flags */
#define XA_PAGE		1
#define XA_SHADOW	2
#define XA_MARK		4
#define XA_MAPPED	8
#define XA_USED		16

#define RA_HIDE_LENGTHS	1	/* of all runs but the last one */
#define RA_HIDE_HISTORY	2	/* pages before a missing one */
#define RA_HIDE_USED	4	/* that a page was used */
#define RA_HIDE_WARM	8	/* how much of a file is there */
#define RA_HIDE_SHADOWS	16
#define RA_HIDE_MARKS	32	/* that a read has come to one */
#define RA_HIDE_READS	64	/* all of reads */
#define RA_HIDE_FAULTS	128

static unsigned int ra_hidden;
static unsigned long ra_wait = SZ_128K / PAGE_SIZE;
static bool ra_miss_old;

struct xarray {
	u16 *present;		/* of each page one of the first two, or 0 */
	pgoff_t pages;
};

static inline void *xa_load(struct xarray *xa, unsigned long index)
{
	u16 entry = index < xa->pages ? xa->present[index] : 0;

	if (ra_hidden & RA_HIDE_SHADOWS)
		return NULL;
	return entry == XA_SHADOW ? (void *)1 : entry ? xa : NULL;
}

#define xa_for_each_range(xa, index, entry, start, last)			\
	for (index = (start); index <= (last); index++)				\
		if (!(entry = xa_load(xa, index))) {				\
		} else

struct backing_dev_info {
	unsigned int ra_pages;
};

struct super_block {
	struct backing_dev_info *s_bdi;
};

struct inode {
	struct super_block *i_sb;
	long long i_size;
};

#define inode_to_bdi(inode)	((inode)->i_sb->s_bdi)
#define i_size_read(inode)	((inode)->i_size)
#define xa_init(xa)		((void)(xa))
#define xa_is_value(entry)	((unsigned long)(entry) & 1)

struct address_space {
	struct xarray i_pages;
	unsigned long nrpages;
	struct inode *host;
};

struct file_ra_state {
	pgoff_t start;
	unsigned int size, async_size, ra_pages;
	unsigned short order, mmap_miss;
	loff_t prev_pos;
	u64 runs;
};

/* A page's entry in struct xarray */
struct folio {
	u16 flags;
};

struct readahead_control {
	struct file_ra_state *ra;
	struct address_space *mapping;
	pgoff_t _index;
};

#define readahead_index(ractl)	((ractl)->_index)

struct ctl_table {
	const char *procname;
	void *data;
	unsigned int maxlen, mode;
	int proc_handler, extra1, extra2;
};

#define proc_dointvec_minmax	0
#define SYSCTL_ZERO		0
#define SYSCTL_ONE		1
#define register_sysctl_init(path, table)	((void)(table))
#define late_initcall(f)	typedef int late_initcall_##f
#define rcu_read_lock()
#define rcu_read_unlock()

static inline bool page_in_cache(const struct address_space *mapping, pgoff_t index)
{
	return index < mapping->i_pages.pages && mapping->i_pages.present[index] & XA_PAGE;
}

#define IS_ERR_OR_NULL(p)	(!(p))

static inline struct folio *filemap_get_folio(struct address_space *mapping, pgoff_t index)
{
	return page_in_cache(mapping, index) ? (struct folio *)&mapping->i_pages.present[index] :
					       NULL;
}

#define folio_put(folio)		((void)(folio))
#define folio_test_readahead(folio)	((folio)->flags & XA_MARK)
#define folio_set_readahead(folio)	((folio)->flags |= XA_MARK)
#define folio_clear_readahead(folio)	((folio)->flags &= ~XA_MARK)
#define folio_mapped(folio)		((folio)->flags & XA_MAPPED)
#define folio_test_referenced(folio)	\
	((folio)->flags & XA_USED && !(ra_hidden & RA_HIDE_USED))
#define folio_nr_pages(folio)		1UL
#define folio_test_active(folio)	false
#define folio_test_dirty(folio)		false
#define folio_test_writeback(folio)	false

/* Who lets pages be read says how. */
static void (*ra_reads)(struct readahead_control *ractl, unsigned long pages)
	__attribute__((__unused__));
#define force_page_cache_ra	ra_reads

static inline pgoff_t page_cache_prev_miss(struct address_space *mapping, pgoff_t index,
					   unsigned long max_scan)
{
	if (ra_hidden & RA_HIDE_HISTORY)
		return index;
	for (; max_scan; max_scan--, index--)
		if (!page_in_cache(mapping, index))
			return index;
	return index + ra_miss_old;
}

#define trace_readahead_run(inode, origin, used, end)	\
	((void)(inode), (void)(origin), (void)(used), (void)(end))

#endif
