/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What mm/readahead_runs.c and its KUnit test use besides what is in kernel.h, in user space.
 * Included in front of them, as kernel.h is of the engine.
 *
 * A mapping is a set of pages. Who searches it for a gap that is not there is told what older
 * kernels say if ra_miss_old is set. What is in ra_hidden the policy does not see.
 */
#ifndef RA_KERNEL_H
#define RA_KERNEL_H

#include "kernel.h"
#include <stdio.h>
#include <stdlib.h>

#define SZ_4K		0x00001000
#define SZ_64K		0x00010000
#define SZ_128K		0x00020000
#define SZ_256K		0x00040000
#define VM_READAHEAD_PAGES	ra_wait	/* what a wait is worth */

#define __read_mostly

typedef uint16_t u16;
typedef int64_t s64;

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define round_down(n, to)	((n) & ~((__typeof__(n))(to) - 1))
#define min3(a, b, c)		min(min(a, b), c)

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

static inline void *xa_load(struct xarray *xa, unsigned long index)
{
	u16 entry = index < xa->pages ? xa->present[index] : 0;

	if (ra_hidden & RA_HIDE_SHADOWS)
		return NULL;
	return entry == XA_SHADOW ? (void *)1 : entry ? xa : NULL;
}

/* The next index from @index on of which there is something, or what lies behind @last */
static inline unsigned long xa_next(struct xarray *xa, unsigned long index, unsigned long last,
				    void **entry)
{
	while (index <= last && !(*entry = xa_load(xa, index)))
		index++;
	return index;
}

#define xa_for_each_range(xa, index, entry, start, last)				\
	for (index = xa_next(xa, start, last, &(entry)); index <= (last);		\
	     index = xa_next(xa, index + 1, last, &(entry)))

#define inode_to_bdi(inode)	((inode)->i_sb->s_bdi)
#define xa_init(xa)		((void)(xa))
#define xa_is_value(entry)	((unsigned long)(entry) & 1)

struct backing_dev_info {
	unsigned int ra_pages;
};

struct file_ra_state {
	pgoff_t start;
	unsigned int size, async_size, ra_pages;
	unsigned short order, mmap_miss;
	loff_t prev_pos;
	u64 runs;
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
#define late_initcall		fs_initcall
#define rcu_read_lock()
#define rcu_read_unlock()

static inline bool is_cached(const struct address_space *mapping, pgoff_t index)
{
	return index < mapping->i_pages.pages && mapping->i_pages.present[index] & XA_PAGE;
}

#define IS_ERR_OR_NULL(p)	(!(p))

/* A folio is its entry in struct xarray. */
static inline struct folio *filemap_get_folio(struct address_space *mapping, pgoff_t index)
{
	return is_cached(mapping, index) ? (struct folio *)&mapping->i_pages.present[index] : NULL;
}

#define folio_flags(folio)		(*(u16 *)(folio))
#define folio_put(folio)		((void)(folio))
#define folio_test_readahead(folio)	(folio_flags(folio) & XA_MARK)
#define folio_set_readahead(folio)	(folio_flags(folio) |= XA_MARK)
#define folio_clear_readahead(folio)	(folio_flags(folio) &= ~XA_MARK)
#define folio_mapped(folio)		(folio_flags(folio) & XA_MAPPED)
#define folio_test_referenced(folio)	\
	(folio_flags(folio) & XA_USED && !(ra_hidden & RA_HIDE_USED))
#define folio_nr_pages(folio)		1UL
#define folio_test_active(folio)	false
#define folio_test_dirty(folio)		false
#define folio_test_writeback(folio)	false

/* Who lets pages be read says how. */
static void (*force_page_cache_ra)(struct readahead_control *ractl, unsigned long pages)
	__attribute__((__unused__));

static inline pgoff_t page_cache_prev_miss(struct address_space *mapping, pgoff_t index,
					   unsigned long max_scan)
{
	if (ra_hidden & RA_HIDE_HISTORY)
		return index;
	for (; max_scan; max_scan--, index--)
		if (!is_cached(mapping, index))
			return index;
	return index + ra_miss_old;
}

#define trace_readahead_run(inode, origin, used, end)	\
	((void)(inode), (void)(origin), (void)(used), (void)(end))

#ifdef CONFIG_READAHEAD_KUNIT_TEST

/* Three times what was seen */
#define CASE_STEPS	300000000UL

struct kunit {
	const char *name;
	bool failed;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(f)	{ f, #f }

#define kunit_skip(test, why)	printf("# %s: %s\n", (test)->name, why)

#define KUNIT_EXPECT_EQ(test, a, b) do {							\
	__typeof__(a) _l = (a);									\
	__typeof__(b) _r = (b);									\
												\
	if (_l != _r) {										\
		printf("# %s:%d: %s == %s: %llu, %llu\n", (test)->name, __LINE__, #a, #b,	\
		       (unsigned long long)_l, (unsigned long long)_r);				\
		(test)->failed = true;								\
	}											\
} while (0)

#define KUNIT_EXPECT_TRUE(t, a)		KUNIT_EXPECT_EQ(t, !!(a), true)
#define KUNIT_EXPECT_FALSE(t, a)	KUNIT_EXPECT_EQ(t, !!(a), false)

extern struct kunit_suite *tested;
#define kunit_test_suite(suite)		struct kunit_suite *tested = &(suite)

/* A KUnit suite as a program: one line of TAP a case; exit 1 if one failed. */
int main(void)
{
	struct kunit_case *c;
	int n = 0, bad = 0;

	puts("TAP version 13");
	for (c = tested->test_cases; c->run; c++) {
		struct kunit test = { .name = c->name };

		steps_left = CASE_STEPS;
		c->run(&test);
		bad += test.failed;
		printf("%sok %d %s\n", test.failed ? "not " : "", ++n, c->name);
	}
	printf("1..%d\n", n);
	return !!bad;
}

#endif
#endif
