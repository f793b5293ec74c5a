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
struct ra_page {
	unsigned long long arrives;
	struct ra_page *newer, *older;
	struct data_file *file;
};

struct data_file {
	struct inode inode;
	struct address_space mapping;
	u64 sector;		/* where it begins on the disk */
	struct ra_page *page;
	unsigned int *next;	/* of each page the read of the trace that uses it next, or 0 */
};

struct open_file {
	struct data_file *file;
	struct file_ra_state ra;
	pgoff_t far;		/* "future" has looked as far as here */
};

static struct machine {
	unsigned long max, cache;	/* pages */
	bool disk, fifo, old;
} machine;

#define FILES	4
#define STREAMS	4096		/* of a file */
static struct data_file files[FILES];
static struct open_file opens[FILES * STREAMS];
static unsigned int nr_files, nr_opens;
static u64 files_end;		/* the sector behind the last file */

/* The state of one replay */
static struct disk disk;
static struct disk_link disk_link;
static struct ra_page *newest, *oldest;
static unsigned long cached, read_pages, used_pages;
static unsigned long long now;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
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

/* The cache */

static void unlink_page(struct ra_page *page)
{
	*(page->newer ? &page->newer->older : &newest) = page->older;
	*(page->older ? &page->older->newer : &oldest) = page->newer;
}

static void link_newest(struct ra_page *page)
{
	page->newer = NULL;
	page->older = newest;
	*(newest ? &newest->newer : &oldest) = page;
	newest = page;
}

/* What is known of a page, which is what the policy takes for a folio */
static u16 *flags_of(const struct data_file *f, pgoff_t index)
{
	return &f->mapping.i_pages.present[index];
}

static void count_page(struct data_file *f, int one)
{
	cached += one;
	if (!(ra_hidden & RA_HIDE_WARM))
		f->mapping.nrpages += one;
}

static void evict(struct ra_page *page)
{
	unlink_page(page);
	*flags_of(page->file, page - page->file->page) = XA_SHADOW;
	count_page(page->file, -1);
}

static void add_page(struct data_file *f, pgoff_t index, bool mark, unsigned long long arrives)
{
	f->page[index] = (struct ra_page){ .file = f, .arrives = arrives };
	*flags_of(f, index) = XA_PAGE | (mark ? XA_MARK : 0);
	link_newest(&f->page[index]);
	count_page(f, 1);
	if (cached > machine.cache)
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
static void read_window(struct data_file *f, pgoff_t start, unsigned long size,
			unsigned long async)
{
	pgoff_t end = min(start + size, f->mapping.i_pages.pages), from, to;
	pgoff_t mark = start + size - async;
	unsigned long long arrives = now;

	for (from = start; from < end; from = to + 1) {
		for (to = from; to < end && !is_cached(&f->mapping, to); to++)
			;
		if (to > from)
			arrives = time_of(f, from, to - from);
		read_pages += to - from;
		for (start = from; start < to; start++)
			add_page(f, start, async && start == mark, arrives);
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
		       is_cached(&o->file->mapping, index - 1 - history))
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
	pgoff_t miss = index + 1;

	if (old_next(o, index))
		return;
	if (!machine.old && index == ra->start + ra->size - ra->async_size) {
		ra->start += ra->size;
		ra->size = max(ra->size + 0UL, ra_doubled(ra->size, machine.max));
	} else {
		while (miss - index <= machine.max && is_cached(&o->file->mapping, miss))
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
	if (machine.old || o->file->page[index].arrives <= now)
		stock_missed_less(&o->ra, 1);
}

static void wait_for(const struct ra_page *page)
{
	now = max(now, page->arrives);
}

static void use(struct data_file *f, pgoff_t index)
{
	u16 *flags = flags_of(f, index);

	if (*flags & XA_USED || !machine.fifo) {
		unlink_page(&f->page[index]);
		link_newest(&f->page[index]);
	}
	used_pages += !(*flags & XA_USED);
	*flags |= XA_USED;
	now += USE_PAGE_US;
}

/* Map what is there of the 16 pages around a fault, but for marks. */
static void map_around(struct open_file *o, pgoff_t index, bool first)
{
	pgoff_t i, from = round_down(index, FAULT_AROUND);
	struct data_file *f = o->file;
	unsigned int mapped = 0;

	for (i = from; i < from + FAULT_AROUND; i++) {
		if (!is_cached(&f->mapping, i) || f->page[i].arrives > now ||
		    *flags_of(f, i) & (XA_MARK | XA_MAPPED))
			continue;
		*flags_of(f, i) |= XA_MAPPED;
		mapped++;
	}
	if (machine.old)
		stock_missed_less(&o->ra, mapped);
	else if (first && *flags_of(f, index) & XA_MAPPED)
		stock_missed_less(&o->ra, 1);
}

static struct backing_dev_info bdi;
static struct super_block sb = { .s_bdi = &bdi };

/* Once it is known how long it is */
static void set_up_file(struct data_file *f)
{
	struct xarray *pages = &f->mapping.i_pages;

	pages->present = zeroed(pages->pages, sizeof(*pages->present));
	f->page = zeroed(pages->pages, sizeof(*f->page));
	f->next = zeroed(pages->pages, sizeof(*f->next));
	f->inode = (struct inode){ .i_sb = &sb, .i_size = pages->pages * PAGE_SIZE };
	f->mapping.host = &f->inode;
	f->sector = files_end;
	files_end += pages->pages * (PAGE_SIZE / DISK_SECTOR);
}

static void forget_files(void)
{
	struct data_file *f;

	for (f = files; f < files + nr_files; f++) {
		free(f->mapping.i_pages.present);
		free(f->page);
		free(f->next);
		*f = (struct data_file){ 0 };
	}
	nr_files = 0;
	nr_opens = 0;
	files_end = 0;
}

static void forget_all(void)
{
	struct data_file *f;
	struct open_file *o;

	newest = NULL;
	oldest = NULL;
	cached = 0;
	disk_link = (struct disk_link){ .rate = DISK_RATE };
	disk_init(&disk, &disk_u320_2004, &disk_link);
	if (machine.disk && files_end > disk.kind->sectors)
		die("the files do not fit on the disk");
	bdi.ra_pages = machine.max;
	ra_miss_old = machine.old;
	for (f = files; f < files + nr_files; f++) {
		memset(flags_of(f, 0), 0, f->mapping.i_pages.pages * sizeof(u16));
		f->mapping.nrpages = 0;
	}
	for (o = opens; o < opens + nr_opens; o++)
		*o = (struct open_file){ .file = o->file, .ra.prev_pos = -1,
					 .ra.ra_pages = machine.max };
	read_pages = 0;
	used_pages = 0;
}

/* What the policy sees of an open file */
static struct readahead_control *look_at(struct open_file *o, pgoff_t index)
{
	static struct readahead_control ractl;

	ractl = (struct readahead_control){
		.ra = &o->ra, .mapping = &o->file->mapping, ._index = index,
	};
	/* One run that is remembered is the last of all: each length is the first. */
	if (ra_hidden & RA_HIDE_LENGTHS)
		o->ra.runs = (o->ra.runs & ~(((1ULL << 48) - 1) << 2)) |
			     (o->ra.runs >> 2 & 4095) * 0x1001001001ULL << 2;
	return &ractl;
}

static void read_for_policy(struct readahead_control *ractl, unsigned long pages)
{
	struct open_file *o = container_of(ractl->ra, struct open_file, ra);

	read_window(o->file, ractl->_index, pages, 0);
}
