/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel as mm/readahead_runs.c and its KUnit test use, in user space.
 *
 * A mapping is a set of pages: page_in_cache() says which of them are there. Who searches it for a
 * gap that is not there is told what older kernels say if RA_MISS_OLD is defined.
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
#define SZ_256K		0x00040000
#define SZ_512K		0x00080000
#define SZ_1M		0x00100000
#define SZ_8G		(8UL << 30)
#define GFP_KERNEL	0xcc0

#define __init		__attribute__((__unused__))
#define __read_mostly
#define __noreturn	__attribute__((__noreturn__))
#define __printf(f, a)	__attribute__((__format__(printf, f, a)))

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define loff_t long long
typedef unsigned long pgoff_t;
typedef unsigned long vm_flags_t;

#define VM_EXEC		4UL
#define VM_HUGEPAGE	0x20000000UL

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define sizeof_field(type, f)	sizeof(((type *)0)->f)
#define static_assert(e)	_Static_assert(e, #e)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define mult_frac(n, by, over)	((n) / (over) * (by) + (n) % (over) * (by) / (over))
#define round_up(n, to)		((((n) - 1) | ((__typeof__(n))(to) - 1)) + 1)
#define round_down(n, to)	((n) & ~((__typeof__(n))(to) - 1))

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); (void)(&_a == &_b);	\
		     _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); (void)(&_a == &_b);	\
		     _a > _b ? _a : _b; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define min3(a, b, c)		min((__typeof__(a))min(a, b), c)
#define max3(a, b, c)		max((__typeof__(a))max(a, b), c)
#define clamp(v, lo, hi)	min((__typeof__(v))max(v, lo), hi)

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n < 2 ? 1 : 1UL << (64 - __builtin_clzl(n - 1));
}

static inline unsigned long rounddown_pow_of_two(unsigned long n)
{
	return 1UL << (63 - __builtin_clzl(n));
}

static inline unsigned int __ffs(unsigned long n)
{
	return __builtin_ctzl(n);
}

static inline unsigned int ilog2(unsigned long n)
{
	return 63 - __builtin_clzl(n);
}

static inline unsigned int order_base_2(unsigned long n)
{
	return n < 2 ? 0 : 64 - __builtin_clzl(n - 1);
}

static inline u32 hash_64(u64 value, unsigned int bits)
{
	return value * 0x61C8864680B583EBull >> (64 - bits);
}

/* How much memory there is for more pages of files, all of it free */
static unsigned long free_pages = ~0UL >> 1;

#define global_zone_page_state(item)	free_pages
#define global_node_page_state(item)	0

/*
 * A page, or what is kept in its place when memory was short; of a page, its flags, and above them
 * the order of its folio, whose pages all have the same.
 */
#define XA_PAGE		1
#define XA_SHADOW	2
#define XA_MARK		4
#define XA_MAPPED	8
#define XA_LOCKED	16
#define XA_USED		32
#define XA_ORDER_SHIFT	8

struct xarray {
	u16 *present;		/* of each page one of the first two, or 0; NULL: none is there */
	pgoff_t pages;
};

static inline void xa_init(struct xarray *xa)
{
	memset(xa, 0, sizeof(*xa));
}

static inline void *xa_mk_value(unsigned long value)
{
	return (void *)(2 * value + 1);
}

static inline bool xa_is_value(const void *entry)
{
	return (unsigned long)entry & 1;
}

/* Only the test stores, and destroys: NULL, as nothing was there before. */
static inline void *xa_store(struct xarray *xa, unsigned long index, void *entry, unsigned int gfp)
{
	if (index >= xa->pages) {
		xa->present = realloc(xa->present, (index + 1) * sizeof(*xa->present));
		memset(xa->present + xa->pages, 0, (index + 1 - xa->pages) * sizeof(*xa->present));
		xa->pages = index + 1;
	}
	xa->present[index] = xa_is_value(entry) ? XA_SHADOW : entry ? XA_PAGE : 0;
	return NULL;
}

/* There are no large folios, but pages one after the other. */
#define IS_ENABLED(option)	1

static inline void *xa_store_range(struct xarray *xa, unsigned long first, unsigned long last,
				   void *entry, unsigned int gfp)
{
	while (first <= last)
		xa_store(xa, first++, entry, gfp);
	return NULL;
}

static inline void *xa_load(struct xarray *xa, unsigned long index)
{
	u16 entry = index < xa->pages ? xa->present[index] : 0;

	return entry == XA_SHADOW ? xa_mk_value(0) : entry ? xa : NULL;
}

struct xa_state {
	struct xarray *xa;
	unsigned long xa_index;
};

#define XA_STATE(name, array, index)	struct xa_state name = { array, index }

static inline bool xas_retry(struct xa_state *xas, const void *entry)
{
	return false;
}

static inline unsigned int xas_get_order(struct xa_state *xas)
{
	return 0;	/* each page of a folio is found */
}

#define xas_for_each(xas, entry, last)						\
	for (; (xas)->xa_index <= (last); (xas)->xa_index++)			\
		if (!(entry = xa_load((xas)->xa, (xas)->xa_index))) {		\
		} else

#define xa_for_each_range(xa, index, entry, start, last)			\
	for (index = (start); index <= (last); index++)				\
		if (!(entry = xa_load(xa, index))) {				\
		} else

static inline void xa_destroy(struct xarray *xa)
{
	free(xa->present);
	xa_init(xa);
}

#define S_IFDIR		0040000
#define S_IFBLK		0060000
#define S_IFREG		0100000
#define S_ISDIR(mode)	(((mode) & 0170000) == S_IFDIR)
#define S_ISBLK(mode)	(((mode) & 0170000) == S_IFBLK)
#define S_ISREG(mode)	(((mode) & 0170000) == S_IFREG)

struct block_device {
	bool rot;
};

static inline bool bdev_rot(const struct block_device *bdev)
{
	return bdev->rot;
}

/* No block device is mapped. */
#define I_BDEV(inode)		((inode)->i_sb->s_bdev)

struct super_block {
	struct block_device *s_bdev;
};

struct inode {
	struct super_block *i_sb;
	unsigned short i_mode;
	u8 i_blkbits;
	long long i_size;
	u64 i_ra_runs;
};

struct address_space {
	struct xarray i_pages;
	unsigned long nrpages;
	struct inode *host;
};

static inline unsigned long mapping_min_folio_nrpages(const struct address_space *mapping)
{
	return 1;
}

struct file_ra_state {
	pgoff_t start;
	unsigned int size;
	unsigned int async_size;
	unsigned int ra_pages;
	unsigned short order;
	unsigned short mmap_miss;
	loff_t prev_pos;
	u64 runs;
};

#define FMODE_RANDOM	0x1000

struct file {
	unsigned int f_mode;
	struct inode *f_inode;
	struct address_space *f_mapping;
	struct file_ra_state f_ra;
};

static inline struct inode *file_inode(const struct file *file)
{
	return file->f_inode;
}

/* A page's entry in struct xarray */
struct folio {
	u16 flags;
};

struct readahead_control {
	struct file *file;
	struct file_ra_state *ra;
	struct address_space *mapping;
	pgoff_t _index;
};

static inline unsigned int folio_order(const struct folio *folio)
{
	return folio->flags >> XA_ORDER_SHIFT;
}

static inline pgoff_t readahead_index(const struct readahead_control *ractl)
{
	return ractl->_index;
}

static inline loff_t i_size_read(const struct inode *inode)
{
	return inode->i_size;
}

struct ctl_table {
	const char *procname;
	void *data;
	unsigned int maxlen;
	unsigned int mode;
	int proc_handler;
	int extra1, extra2;
};

#define proc_dointvec_minmax	0
#define SYSCTL_ZERO		0
#define SYSCTL_ONE		1
#define register_sysctl_init(path, table)	((void)(table))
#define late_initcall(f)	typedef int late_initcall_##f

static inline void rcu_read_lock(void) {}
static inline void rcu_read_unlock(void) {}

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

static inline void folio_put(struct folio *folio) {}

static inline bool folio_test_readahead(const struct folio *folio)
{
	return folio->flags & XA_MARK;
}

static inline void folio_set_readahead(struct folio *folio)
{
	folio->flags |= XA_MARK;
}

static inline void folio_clear_readahead(struct folio *folio)
{
	folio->flags &= ~XA_MARK;
}

static inline bool folio_mapped(const struct folio *folio)
{
	return folio->flags & XA_MAPPED;
}

static inline unsigned long folio_nr_pages(const struct folio *folio)
{
	return 1UL << folio_order(folio);
}

static inline bool folio_test_locked(const struct folio *folio)
{
	return folio->flags & XA_LOCKED;
}

static inline bool folio_test_referenced(const struct folio *folio)
{
	return folio->flags & XA_USED;
}

static inline bool folio_test_active(const struct folio *folio)
{
	return false;
}

static inline bool folio_test_dirty(const struct folio *folio)
{
	return false;
}

static inline bool folio_test_writeback(const struct folio *folio)
{
	return false;
}

/* Who lets pages be read says how. */
static void (*ra_reads)(struct readahead_control *ractl, unsigned long pages)
	__attribute__((__unused__));

static inline void force_page_cache_ra(struct readahead_control *ractl, unsigned long pages)
{
	ra_reads(ractl, pages);
}

static void (*ra_orders)(struct readahead_control *ractl) __attribute__((__unused__));

static inline void page_cache_ra_order(struct readahead_control *ractl, struct file_ra_state *ra)
{
	ra_orders(ractl);
}

static inline pgoff_t page_cache_next_miss(struct address_space *mapping, pgoff_t index,
					   unsigned long max_scan)
{
	for (; max_scan; max_scan--, index++)
		if (!page_in_cache(mapping, index))
			return index;
#ifdef RA_MISS_OLD
	index--;
#endif
	return index;
}

static inline pgoff_t page_cache_prev_miss(struct address_space *mapping, pgoff_t index,
					   unsigned long max_scan)
{
	for (; max_scan; max_scan--, index--)
		if (!page_in_cache(mapping, index))
			return index;
#ifdef RA_MISS_OLD
	index++;
#endif
	return index;
}

struct rnd_state {
	u64 state;
};

static inline void prandom_seed_state(struct rnd_state *rnd, u64 seed)
{
	rnd->state = seed;
}

static inline u32 prandom_u32_state(struct rnd_state *rnd)
{
	u64 x = rnd->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) >> 32;
}

#endif
