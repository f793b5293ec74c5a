/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine to replay reads on: a page cache, a disk, and what the base's mm/readahead.c and
 * mm/filemap.c read, by the rules of 7.3 and of 6.1 as we understand them. See ra_replay.c.
 */
#define READ_US		200
#define READ_PAGE_US	4
#define USE_PAGE_US	2
#define FAULT_US	1	/* of which no page has to be read */
#define FAULT_AROUND	16UL	/* pages */
#define DISK_RATE	320000000ULL	/* of its wire, bytes a second */
#define GAP		(READ_US / READ_PAGE_US)	/* pages that cost a wait */

/* A page of a file; lists by age, over all files */
struct page {
	unsigned long long arrives;
	struct page *newer, *older;
	unsigned int file;
	pgoff_t index;
	bool used;
};

struct data_file {
	pgoff_t pages;
	unsigned long cached;
	u64 sector;		/* where it begins on the disk */
	u16 *present;		/* as in struct xarray */
	struct page *page;
	unsigned int *next;	/* of each page the read of the trace that uses it next, or 0 */
};

struct open_file {
	unsigned int file;
	struct file_ra_state ra;
	/* the average of 2.6.6 */
	unsigned long average, serial, used;
	pgoff_t next;
	pgoff_t far;		/* "future" has looked as far as here */
};

static struct machine {
	unsigned long max, cache;	/* pages */
	bool disk, fifo, old;
} machine;

static struct data_file *files;
static struct open_file *opens;
static unsigned int nr_files, nr_opens;
static u64 files_end;		/* the sector behind the last file */

/* The state of one replay */
static struct disk disk;
static struct disk_link disk_link;
static struct page *newest, *oldest;
static unsigned long cached, reads, read_pages, used_pages;
static unsigned long long now;

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

static void *zeroed(size_t n, size_t size)
{
	void *array = calloc(n, size);

	if (!array)
		die("no memory");
	return array;
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

	unlink_page(page);
	f->present[page->index] = XA_SHADOW;
	f->cached--;
	cached--;
}

static void add_page(unsigned int file, pgoff_t index, bool mark, unsigned long long arrives)
{
	struct page *page = &files[file].page[index];

	*page = (struct page){ .file = file, .index = index, .arrives = arrives };
	files[file].present[index] = XA_PAGE | (mark ? XA_MARK : 0);
	files[file].cached++;
	link_newest(page);
	if (++cached > machine.cache)
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

	if (!machine.disk)
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

/* The windows of mm/readahead.c: the first, and those that follow */
static unsigned long ra_opening(unsigned long pages, unsigned long max)
{
	unsigned long size = pages < 2 ? 1 : 1UL << (64 - __builtin_clzl(min(pages, max) - 1));

	return size <= max / 32 ? 4 * size : size <= max / 4 ? 2 * size : max;
}

static unsigned long ra_doubled(unsigned long size, unsigned long max)
{
	return size < max / 16 ? 4 * size : size <= max / 2 ? 2 * size : max;
}

/* What the base does, by 7.3's rules and by 6.1's */

static void read_state(struct open_file *o)
{
	read_window(o->file, o->ra.start, o->ra.size, o->ra.async_size);
}

/* 7.3: what is not there is read in folios as large as it makes them. */
static void read_planned(struct open_file *o)
{
	struct file_ra_state *ra = &o->ra;

	ra->order = min(ra->order + 0, ra->size > 1 ? 63 - __builtin_clzl(ra->size) : 0);
	read_state(o);
}

/* 7.3: after a mark the end of a window suits the order of its folios. */
static void round_window(struct file_ra_state *ra)
{
	unsigned long align, end = ra->start + ra->size;

	ra->order += 2;
	align = 1UL << min(ra->order + 0, __builtin_ffsl(machine.max) - 1);
	if (round_down(end, align) > ra->start)
		ra->size -= end - round_down(end, align);
	ra->async_size = ra->size;
}

/* 6.1: a mark that would be met at once is, and both windows are read. */
static void old_send(struct open_file *o, pgoff_t index)
{
	struct file_ra_state *ra = &o->ra;
	unsigned long more = ra_doubled(ra->size, machine.max);

	if (index == ra->start && ra->size == ra->async_size) {
		ra->async_size = ra->size + more <= machine.max ? more : machine.max / 2;
		ra->size = min(ra->size + more, machine.max);
	}
	read_state(o);
}

static bool old_next(struct open_file *o, pgoff_t index)
{
	struct file_ra_state *ra = &o->ra;

	if (!machine.old || !index)
		return false;
	if (index != ra->start + ra->size && index != ra->start + ra->size - ra->async_size)
		return false;
	ra->start += ra->size;
	ra->size = max(ra->size + 0UL, ra_doubled(ra->size, machine.max));
	ra->async_size = ra->size;
	old_send(o, index);
	return true;
}

static void base_miss(struct open_file *o, pgoff_t index, unsigned long pages)
{
	struct file_ra_state *ra = &o->ra;
	unsigned long history = 0;

	if (old_next(o, index))
		return;
	ra->order = 0;
	if (!index || pages > machine.max || index - ((u64)ra->prev_pos >> PAGE_SHIFT) <= 1) {
		ra->size = ra_opening(pages, machine.max);
		if (ra->size > pages)
			ra->async_size = ra->size - pages;
		else
			ra->async_size = machine.old ? ra->size : ra->size / 2;
	} else {
		while (history < min(machine.max, index) &&
		       is_cached(&files[o->file], index - 1 - history))
			history++;
		if (history <= pages) {
			read_window(o->file, index, pages, 0);
			return;
		}
		ra->size = min((history >= index ? 2 * history : history) + pages, machine.max);
		ra->async_size = 1;
	}
	ra->start = index;
	if (machine.old)
		old_send(o, index);
	else
		read_planned(o);
}

static void base_mark(struct open_file *o, pgoff_t index, unsigned long pages)
{
	struct file_ra_state *ra = &o->ra;
	struct data_file *f = &files[o->file];
	pgoff_t miss = index + 1;

	if (old_next(o, index))
		return;
	if (!machine.old && index == ra->start + ra->size - ra->async_size) {
		ra->start += ra->size;
		ra->size = max(ra->size + 0UL, ra_doubled(ra->size, machine.max));
	} else {
		while (miss < f->pages && miss - index <= machine.max && is_cached(f, miss))
			miss++;
		if (miss - index > machine.max)
			return;
		ra->start = miss;
		ra->size = ra_doubled(miss - index + pages, machine.max);
	}
	ra->async_size = ra->size;
	if (machine.old) {
		old_send(o, index);
	} else {
		round_window(ra);
		read_planned(o);
	}
}

/* Has it missed so much more than it has hit that nothing is read around its faults any more? */
static bool stock_missed(struct file_ra_state *ra)
{
	ra->mmap_miss = min(ra->mmap_miss + 1, 1000);
	return ra->mmap_miss > 100;
}

static void stock_missed_less(struct file_ra_state *ra, unsigned int pages)
{
	ra->mmap_miss -= min(ra->mmap_miss + 0U, pages);
}

static void read_around(struct open_file *o, pgoff_t index)
{
	o->ra.start = index - min(index, machine.max / 2);
	o->ra.size = machine.max;
	o->ra.async_size = machine.max / 4;
	o->ra.order = 0;
	read_state(o);
}

static void touched(struct open_file *o, pgoff_t index)
{
	if (machine.old || files[o->file].page[index].arrives <= now)
		stock_missed_less(&o->ra, 1);
}

static void wait_for(const struct page *page)
{
	now = max(now, page->arrives);
}

static void use(struct open_file *o, struct page *page)
{
	if (page->used || !machine.fifo) {
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

/* Map what is there of the 16 pages around a fault, but for marks. */
static void map_around(struct open_file *o, pgoff_t index, bool first)
{
	struct data_file *f = &files[o->file];
	pgoff_t i, from = round_down(index, FAULT_AROUND);
	unsigned int mapped = 0;

	for (i = from; i < min(from + FAULT_AROUND, f->pages); i++) {
		if (!is_cached(f, i) || f->page[i].arrives > now ||
		    f->present[i] & (XA_MARK | XA_MAPPED))
			continue;
		f->present[i] |= XA_MAPPED;
		mapped++;
	}
	if (machine.old)
		stock_missed_less(&o->ra, mapped);
	else if (first && f->present[index] & XA_MAPPED)
		stock_missed_less(&o->ra, 1);
}

static void forget_all(void)
{
	unsigned int i;

	newest = NULL;
	oldest = NULL;
	cached = 0;
	disk_link = (struct disk_link){ .rate = DISK_RATE };
	disk_init(&disk, &disk_u320_2004, &disk_link);
	if (machine.disk && files_end > disk.sectors)
		die("the files do not fit on the disk");
	for (i = 0; i < nr_files; i++) {
		memset(files[i].present, 0, files[i].pages * sizeof(*files[i].present));
		files[i].cached = 0;
	}
	for (i = 0; i < nr_opens; i++)
		opens[i] = (struct open_file){ .file = opens[i].file, .ra.prev_pos = -1,
					       .next = ULONG_MAX };
	reads = 0;
	read_pages = 0;
	used_pages = 0;
}

static unsigned int add_file(void)
{
	files = grow(files, nr_files, sizeof(*files));
	files[nr_files] = (struct data_file){ 0 };
	return nr_files++;
}

static unsigned int add_open(unsigned int file)
{
	opens = grow(opens, nr_opens, sizeof(*opens));
	opens[nr_opens].file = file;
	return nr_opens++;
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

static struct readahead_control *look_at(struct seen *seen, struct open_file *o, pgoff_t index)
{
	struct data_file *f = &files[o->file];

	*seen = (struct seen){ .open = o, .bdi.ra_pages = machine.max };
	seen->sb.s_bdi = &seen->bdi;
	seen->inode = (struct inode){ .i_sb = &seen->sb, .i_size = f->pages * PAGE_SIZE };
	seen->mapping = (struct address_space){
		.i_pages = { .present = f->present, .pages = f->pages },
		.nrpages = ra_hidden & RA_HIDE_WARM ? 0 : f->cached, .host = &seen->inode,
	};
	seen->ractl = (struct readahead_control){
		.ra = &o->ra, .mapping = &seen->mapping, ._index = index,
	};
	o->ra.ra_pages = machine.max;
	ra_miss_old = machine.old;
	/* One run that is remembered is the last of all: each length is the first. */
	if (ra_hidden & RA_HIDE_LENGTHS)
		o->ra.runs = (o->ra.runs & ~(((1ULL << 48) - 1) << 2)) |
			     (o->ra.runs >> 2 & 4095) * 0x1001001001ULL << 2;
	return &seen->ractl;
}

static struct folio *folio_at(struct open_file *o, pgoff_t index)
{
	return (struct folio *)&files[o->file].present[index];
}

static void runs_force(struct readahead_control *ractl, unsigned long pages)
{
	struct seen *seen = (struct seen *)((char *)ractl - offsetof(struct seen, ractl));

	read_window(seen->open->file, ractl->_index, pages, 0);
}
