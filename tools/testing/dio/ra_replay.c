// SPDX-License-Identifier: GPL-2.0
/*
 * Readahead policies on a trace of reads: what each would have had the disk read.
 *
 *	ra_replay [max=32] [cache=N] [disk] [TRACE]	replay (or stdin); a table, and bars
 *	ra_replay check					replay made traces, and hold the times
 *	ra_replay gen database|log|scan|build [n=1000] [seed=1]	make a trace, on stdout
 *	ra_replay import blktrace|fio [TRACE]		make a trace of blkparse's or fio's log
 *
 * A trace has a line a read: microseconds, open file, file, byte, length. Open file and file are
 * words without blanks; an open file is of one file. Lines that begin with # are skipped.
 *
 * The policies: "runs" is the kernel's own code, mm/readahead_runs.h. "doubling" is what 6.1 does,
 * as we understand it: windows that double, and no memory of runs. "average" is the heuristic of
 * 2.6.6 with its faults: a mean that is rounded down, the next window as long as what was used of
 * the last one and a page, and a second window opened with the first. "future" knows the whole
 * trace, and reads each run in as few windows as can be, the next one begun when the program
 * enters the one before: as few reads as there can be without a page that is not used.
 *
 * The model: a page cache of so many pages that forgets what was used longest ago; a disk that
 * takes 200 us for each read and 4 us for each page, reads in parallel; a program that goes on 2 us
 * after it has its page, not before the trace says. A stall is a wait for a page. With "disk" all
 * files lie on one U320 disk of 2004 (model_disk.h), which does one read after the other.
 *
 * "check" says "not ok" if "runs" takes more of the time of "doubling" than it should on one of the
 * traces that gen makes, or reads more of its pages: see bounds[].
 *
 * Exit: 0 done, 1 not ok, 2 usage or a bad trace.
 */
#include "ra_kernel.h"
#include "readahead_runs.h"
#include "../selftests/dio/model_disk.h"
#include "steps.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_US		200
#define READ_PAGE_US	4
#define USE_PAGE_US	2
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
	unsigned long ahead;	/* pages from index to the end of the run that this is part of */
};

/* A page of a file; lists by age, over all files */
struct page {
	unsigned long long arrives;
	struct page *newer, *older;
	unsigned int file;
	pgoff_t index;
	bool mark, used;
};

struct file {
	char name[64];
	pgoff_t pages;
	u64 sector;		/* where it begins on the disk */
	u8 *present;
	struct page **page;
};

struct open_file {
	char name[64];
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
};

static struct access *trace;
static struct file *files;
static struct open_file *opens;
static unsigned int nr_accesses, nr_files, nr_opens;
static unsigned long max_pages = 32, cache_pages = 65536, seed = 1, count = 1000;

static bool on_disk;
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

static void evict(struct page *page)
{
	struct file *f = &files[page->file];

	unused_pages += !page->used;
	unlink_page(page);
	f->page[page->index] = NULL;
	f->present[page->index] = 0;
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
	page->mark = mark;
	page->arrives = arrives;
	files[file].page[index] = page;
	files[file].present[index] = 1;
	link_newest(page);
	if (++cached > cache_pages)
		evict(oldest);
}

/* When @pages that are asked for now will be there */
static unsigned long long time_of(struct file *f, pgoff_t index, unsigned long pages)
{
	unsigned long long begin = max(now * 1000, disk.free + 0ULL);
	struct disk_request rq = {
		.sector = f->sector + index * (PAGE_SIZE / DISK_SECTOR),
		.count = pages * (PAGE_SIZE / DISK_SECTOR),
	};

	if (!on_disk)
		return now + READ_US + READ_PAGE_US * pages;
	return disk_transfer(&disk_link, begin, disk_serve(&disk, &rq, begin),
			     pages * PAGE_SIZE) / 1000;
}

/* Read what of a window is not there, a device read for each stretch without a gap. */
static void read_window(unsigned int file, pgoff_t start, unsigned long size, unsigned long async)
{
	struct file *f = &files[file];
	pgoff_t end = min(start + size, f->pages), mark = start + size - async, from, to;
	unsigned long long arrives = now;

	for (from = start; from < end; from = to + 1) {
		for (to = from; to < end && !f->present[to]; to++)
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

static void clip(struct open_file *o)
{
	struct file_ra_state *ra = &o->ra;
	pgoff_t end = files[o->file].pages;

	if (ra->start + ra->size > end) {
		ra->size = ra->start < end ? end - ra->start : 0;
		ra->async_size = 0;
	}
}

static void runs_read(struct open_file *o, pgoff_t index, unsigned long pages, bool missed)
{
	struct file *f = &files[o->file];
	struct address_space mapping = { .i_pages = { .present = f->present, .pages = f->pages } };
	struct ra_ask ask = {
		.mapping = &mapping, .index = index, .pages = pages, .max = max_pages,
	};

	if (missed)
		ra_plan_miss(&o->ra, &ask);
	else if (!ra_plan_mark(&o->ra, &ask, 0))
		return;
	clip(o);
	read_window(o->file, o->ra.start, o->ra.size, o->ra.async_size);
}

static void runs_miss(struct open_file *o, const struct access *a, pgoff_t index,
		      unsigned long pages)
{
	(void)a;
	runs_read(o, index, pages, true);
}

static void runs_mark(struct open_file *o, const struct access *a, pgoff_t index,
		      unsigned long pages)
{
	(void)a;
	runs_read(o, index, pages, false);
}

static unsigned long history_of(struct open_file *o, pgoff_t index)
{
	unsigned long n = 0;

	while (n < max_pages && n < index && files[o->file].present[index - 1 - n])
		n++;
	return n;
}

static void doubling_send(struct open_file *o, pgoff_t index)
{
	struct file_ra_state *ra = &o->ra;
	unsigned long more = ra_doubled(ra->size, max_pages);

	if (index == ra->start && ra->size == ra->async_size) {
		if (ra->size + more <= max_pages) {
			ra->async_size = more;
			ra->size += more;
		} else {
			ra->size = max_pages;
			ra->async_size = max_pages / 2;
		}
	}
	read_window(o->file, ra->start, ra->size, ra->async_size);
}

static bool doubling_next(struct open_file *o, pgoff_t index)
{
	struct file_ra_state *ra = &o->ra;

	if (!index || (index != ra->start + ra->size &&
		       index != ra->start + ra->size - ra->async_size))
		return false;
	ra->start += ra->size;
	ra->size = ra_doubled(ra->size, max_pages);
	ra->async_size = ra->size;
	doubling_send(o, index);
	return true;
}

static void doubling_miss(struct open_file *o, const struct access *a, pgoff_t index,
			  unsigned long pages)
{
	struct file_ra_state *ra = &o->ra;
	unsigned long history;

	(void)a;
	if (doubling_next(o, index))
		return;
	if (!index || pages > max_pages || index - (ra->prev_pos >> PAGE_SHIFT) <= 1) {
		ra->start = index;
		ra->size = ra_opening(pages, max_pages);
		ra->async_size = ra->size > pages ? ra->size - pages : ra->size;
		doubling_send(o, index);
		return;
	}
	history = history_of(o, index);
	if (history <= pages) {
		read_window(o->file, index, pages, 0);
		return;
	}
	ra->start = index;
	ra->size = min((history >= index ? 2 * history : history) + pages, max_pages);
	ra->async_size = 1;
	doubling_send(o, index);
}

static void doubling_mark(struct open_file *o, const struct access *a, pgoff_t index,
			  unsigned long pages)
{
	struct file *f = &files[o->file];
	pgoff_t miss = index + 1;

	(void)a;
	if (doubling_next(o, index))
		return;
	while (miss < f->pages && miss - index <= max_pages && f->present[miss])
		miss++;
	if (miss - index > max_pages)
		return;
	o->ra.start = miss;
	o->ra.size = ra_doubled(miss - index + pages, max_pages);
	o->ra.async_size = o->ra.size;
	doubling_send(o, index);
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
	o->window = min(max(max(o->used + 1, o->average), pages), max_pages);
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
	unsigned long rest = a->index + a->ahead - index, size = min(rest, max_pages);

	(void)pages;
	read_window(o->file, index, size, rest > size ? size - 1 : 0);
}

static void future_mark(struct open_file *o, const struct access *a, pgoff_t index,
			unsigned long pages)
{
	pgoff_t start = index, end = a->index + a->ahead;
	unsigned long size;

	(void)pages;
	while (start < end && files[o->file].present[start])
		start++;
	size = min(end - start, max_pages);
	if (size)
		read_window(o->file, start, size, end - start > size ? size : 0);
}

enum { DOUBLING, AVERAGE, RUNS, FUTURE, POLICIES };

static const struct policy policies[POLICIES] = {
	[DOUBLING] = { "doubling", doubling_miss, doubling_mark },
	[AVERAGE] = { "average", average_miss, average_mark },
	[RUNS] = { "runs", runs_miss, runs_mark },
	[FUTURE] = { "future", future_miss, future_mark },
};

/* What came of each */
static struct outcome {
	unsigned long long us;
	unsigned long pages;
} outcomes[POLICIES];

/* The replay */

static void use_page(const struct policy *policy, struct open_file *o, const struct access *a,
		     pgoff_t index)
{
	struct file *f = &files[o->file];
	unsigned long pages = a->index + a->pages - index;
	struct page *page;

	if (!f->present[index])
		policy->miss(o, a, index, pages);
	if (!f->present[index])
		read_window(o->file, index, 1, 0);
	page = f->page[index];
	if (page->mark) {
		page->mark = false;
		policy->mark(o, a, index, pages);
		page = f->page[index];
	}
	if (!page)
		return;		/* thrown out by what was read ahead of it */
	if (page->arrives > now) {
		stalls++;
		stalled += page->arrives - now;
		now = page->arrives;
	}
	used_pages += !page->used;
	page->used = true;
	unlink_page(page);
	link_newest(page);
	now += USE_PAGE_US;
	o->serial++;
	o->used++;
	o->next = index + 1;
	o->ra.prev_pos = (loff_t)(index + 1) << PAGE_SHIFT;
}

static void forget_all(void)
{
	unsigned int i;

	while (oldest)
		evict(oldest);
	disk_link = (struct disk_link){ .rate = DISK_RATE };
	disk_init(&disk, &disk_u320_2004, &disk_link);
	if (on_disk && files_end > disk.sectors)
		die("the files do not fit on the disk");
	for (i = 0; i < nr_opens; i++) {
		memset(&opens[i].ra, 0, sizeof(opens[i].ra));
		opens[i].ra.prev_pos = -1;
		opens[i].ra.run_start = RA_NO_RUN;
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

static void replay(const struct policy *policy)
{
	const struct access *a;
	pgoff_t index;

	forget_all();
	for (a = trace; a < trace + nr_accesses; a++) {
		now = max(now, a->us);
		for (index = a->index; index < a->index + a->pages; index++)
			use_page(policy, &opens[a->open], a, index);
	}
	while (oldest)
		evict(oldest);
}

static void replay_all(void)
{
	double worst = 0, ms[POLICIES];
	unsigned int i;

	printf("%-10s %10s %10s %10s %10s %10s %10s\n", "policy", "reads", "pages", "unused",
	       "stalls", "stall-ms", "total-ms");
	for (i = 0; i < POLICIES; i++) {
		replay(&policies[i]);
		printf("%-10s %10lu %10lu %10lu %10lu %10.1f %10.1f\n", policies[i].name, reads,
		       read_pages, unused_pages, stalls, stalled / 1000.0, now / 1000.0);
		outcomes[i] = (struct outcome){ .us = now, .pages = read_pages };
		ms[i] = stalled / 1000.0;
		worst = max(worst, ms[i]);
	}
	printf("\nwaiting for the disk:\n");
	for (i = 0; i < POLICIES; i++)
		printf("%-10s |%.*s\n", policies[i].name, worst ? (int)(60 * ms[i] / worst) : 0,
		       "############################################################");
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

static unsigned int find_open(const char *name, const char *file)
{
	unsigned int i;

	for (i = nr_opens; i--;)
		if (!strcmp(opens[i].name, name))
			return i;
	opens = grow(opens, nr_opens, sizeof(*opens));
	memset(&opens[nr_opens], 0, sizeof(*opens));
	snprintf(opens[nr_opens].name, sizeof(opens->name), "%s", name);
	opens[nr_opens].file = find_file(file);
	return nr_opens++;
}

static void add_access(unsigned long long us, const char *open, const char *file,
		       unsigned long long byte, unsigned long long length)
{
	struct access *a;

	trace = grow(trace, nr_accesses, sizeof(*trace));
	a = &trace[nr_accesses++];
	a->us = us;
	a->open = find_open(open, file);
	a->file = opens[a->open].file;
	a->index = byte >> PAGE_SHIFT;
	a->pages = ((byte + length - 1) >> PAGE_SHIFT) - a->index + 1;
	files[a->file].pages = max(files[a->file].pages, a->index + a->pages);
}

static void load_trace(FILE *in)
{
	unsigned long long us, byte, length;
	char line[512], open[64], file[64];
	unsigned int number = 0, i;

	while (fgets(line, sizeof(line), in)) {
		number++;
		if (*line == '#' || *line == '\n')
			continue;
		if (sscanf(line, "%llu %63s %63s %llu %llu", &us, open, file, &byte,
			   &length) != 5 || !length || byte >> 44 || length >> 44)
			die("line %u is not: microseconds open-file file byte length", number);
		add_access(us, open, file, byte, length);
	}
	if (!nr_accesses)
		die("the trace is empty");
	for (i = 0; i < nr_files; i++) {
		files[i].present = calloc(files[i].pages, 1);
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
	unsigned long long x = seed += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) % below;
}

static unsigned long long clock_us;
static FILE *made;	/* where the trace goes */

static void put_run(const char *open, const char *file, pgoff_t index, unsigned long pages)
{
	while (pages--)
		fprintf(made, "%llu %s %s %lu %lu\n", clock_us++, open, file, index++ * PAGE_SIZE,
			PAGE_SIZE);
}

/* Look-ups: a page of an index, then rows that lie together; now and then a report scans a part. */
static void gen_database(void)
{
	pgoff_t scanned = 0;

	while (count--) {
		put_run("index", "index", pick(20000), 1);
		put_run("table", "table", pick(400000), 8 + pick(25));
		if (!pick(50)) {
			put_run("report", "table", scanned, 256);
			scanned = (scanned + 256) % 400000;
		}
	}
}

/* Five logs are followed at once by one program each, in small steps; sometimes one is searched. */
static void gen_log(void)
{
	pgoff_t at[5] = { 0 };
	char name[16], search[16];
	unsigned int i, step;

	while (count--) {
		i = pick(5);
		snprintf(name, sizeof(name), "log%u", i);
		snprintf(search, sizeof(search), "search%u", i);
		step = 1 + pick(4);
		put_run(name, name, at[i], step);
		at[i] += step;
		if (!pick(20))
			put_run(search, name, pick(at[i] + 1000), 2 + pick(6));
	}
}

/* Tables are scanned from end to end, two at a time. */
static void gen_scan(void)
{
	pgoff_t at[2] = { 0 };
	unsigned int i;

	while (count--) {
		i = pick(2);
		put_run(i ? "scan1" : "scan0", i ? "table1" : "table0", at[i], 32);
		at[i] += 32;
	}
}

/* Small files are read whole, headers again and again; of objects the symbols at the end. */
static void gen_build(void)
{
	char open[32], file[32];
	unsigned int n = 0;

	while (count--) {
		unsigned long size = 1 + pick(12), which = pick(4);

		snprintf(open, sizeof(open), "open%u", n++);
		if (which) {
			snprintf(file, sizeof(file), "%s%lu", which > 1 ? "header" : "source",
				 which > 1 ? pick(200) : count);
			put_run(open, file, 0, size);
		} else {
			snprintf(file, sizeof(file), "object%lu", pick(300));
			put_run(open, file, 0, 1);
			put_run(open, file, 40 + pick(40), 4);
		}
	}
}

static void generate(const char *what)
{
	if (!strcmp(what, "database"))
		gen_database();
	else if (!strcmp(what, "log"))
		gen_log();
	else if (!strcmp(what, "scan"))
		gen_scan();
	else if (!strcmp(what, "build"))
		gen_build();
	else
		die("gen %s: one of database, log, scan, build", what);
}

/*
 * Percent of what "doubling" takes. Of the runs of a database, and of searches in a log, there is
 * something to learn; scans and files that are opened once are to lose nothing.
 */
static const struct bound {
	const char *trace;
	unsigned int time, pages;
} bounds[] = {
	{ "database", 80, 65 }, { "log", 95, 100 }, { "scan", 100, 100 }, { "build", 100, 100 },
};

static void replay_trace(FILE *in)
{
	load_trace(in);
	look_ahead();
	replay_all();
}

/* In a process of its own, which begins with nothing. */
static void check_trace(const struct bound *bound)
{
	const struct outcome *runs = &outcomes[RUNS], *doubling = &outcomes[DOUBLING];

	printf("# %s\n", bound->trace);
	made = tmpfile();
	if (!made)
		die("no file for a trace: %s", strerror(errno));
	generate(bound->trace);
	rewind(made);
	steps_left = TRACE_STEPS;
	replay_trace(made);
	if (100 * runs->us > bound->time * doubling->us)
		wrong("%s: %llu us, more than %u %% of %llu", bound->trace, runs->us, bound->time,
		      doubling->us);
	if (100 * runs->pages > bound->pages * doubling->pages)
		wrong("%s: %lu pages, more than %u %% of %lu", bound->trace, runs->pages,
		      bound->pages, doubling->pages);
	exit(0);
}

static int check(void)
{
	int i, status, ret = 0;

	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		fflush(stdout);
		switch (fork()) {
		case -1:
			die("no process: %s", strerror(errno));
		case 0:
			check_trace(&bounds[i]);
		}
		wait(&status);
		ret |= !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
	}
	return ret;
}

/* blkparse: device cpu sequence seconds pid action flags sector + sectors [program]; Q is queued */
static bool import_blktrace(char *line)
{
	unsigned long long sector, sectors;
	char device[32], action[8], flags[16];
	double seconds;

	if (sscanf(line, "%31s %*s %*s %lf %*s %7s %15s %llu + %llu", device, &seconds, action,
		   flags, &sector, &sectors) != 6 || !sectors)
		return false;
	if (strcmp(action, "Q") || !strchr(flags, 'R'))
		return false;
	printf("%.0f %s %s %llu %llu\n", seconds * 1e6, device, device, sector * 512,
	       sectors * 512);
	return true;
}

/* fio: [milliseconds] file action byte length */
static bool import_fio(char *line)
{
	unsigned long long byte, length;
	char *word = line, file[64], action[16];
	double ms = 0;

	if (isdigit((unsigned char)*line)) {
		ms = strtod(line, &word);
		if (*word != ' ')
			return false;
	}
	if (sscanf(word, " %63s %15s %llu %llu", file, action, &byte, &length) != 4 ||
	    strcmp(action, "read") || !length)
		return false;
	printf("%.0f %s %s %llu %llu\n", ms * 1000, file, file, byte, length);
	return true;
}

static void import_log(const char *what, FILE *in)
{
	bool (*one)(char *line);
	unsigned long n = 0;
	char line[1024];

	if (!strcmp(what, "blktrace"))
		one = import_blktrace;
	else if (!strcmp(what, "fio"))
		one = import_fio;
	else
		die("%s is not a kind of log: blktrace or fio", what);
	while (fgets(line, sizeof(line), in))
		n += one(line);
	if (!n)
		die("no reads in this %s log", what);
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

int main(int argc, char **argv)
{
	const char *verb = "", *what = "";
	FILE *in = stdin;
	int i = 1;

	made = stdout;
	if (argc == 2 && !strcmp(argv[1], "check"))
		return check();
	if (argc > 2 && (!strcmp(argv[1], "gen") || !strcmp(argv[1], "import"))) {
		verb = argv[1];
		what = argv[2];
		i = 3;
	}
	for (; i < argc; i++) {
		if (!strncmp(argv[i], "max=", 4))
			max_pages = number(argv[i], argv[i] + 4, RA_RUN_MAX);
		else if (!strncmp(argv[i], "cache=", 6))
			cache_pages = number(argv[i], argv[i] + 6, 1UL << 40);
		else if (!strncmp(argv[i], "n=", 2))
			count = number(argv[i], argv[i] + 2, 1UL << 30);
		else if (!strncmp(argv[i], "seed=", 5))
			seed = number(argv[i], argv[i] + 5, ULONG_MAX);
		else if (!strcmp(argv[i], "disk"))
			on_disk = true;
		else if (in != stdin || strchr(argv[i], '='))
			die("unknown word %s", argv[i]);
		else
			in = fopen(argv[i], "r");
		if (!in)
			die("%s: %s", argv[i], strerror(errno));
	}
	if (*verb == 'g')
		generate(what);
	else if (*verb == 'i')
		import_log(what, in);
	else
		replay_trace(in);
	return 0;
}
