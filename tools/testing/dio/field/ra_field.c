// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Report 1, buffered, on the harness
 *
 *	ra_field
 *
 * Eight programs read a disk each, 8 KiB at a time in sequence, through the real readahead policy
 * (mm/readahead_runs.c) and eight modelled disks on a loop (array.h). A page is there when the disk
 * is done with its window. Copying and looking up pages cost no time, so this is the report's
 * "nocopy".
 *
 * Prints JSON objects as dio_field does. Exit status: 0 done, 1 a reader waits for ever.
 */
#include "ra_kernel.h"
#include "readahead_runs.c"
#include "ra_stock.h"
#include "array.h"

#define DISKS		8
#define PAGES		16384UL		/* 64 MiB a disk */
#define WINDOW		32UL		/* read_ahead_kb 128 */
#define READ_PAGES	2UL
#define PAGE_SECTORS	(PAGE_SIZE / DISK_SECTOR)

struct reader {
	struct file_ra_state ra;
	u16 present[PAGES];		/* as in struct xarray */
	u8 arrived[PAGES];
	pgoff_t at, mark;
	u64 base;			/* sector */
};

/* A window on its way */
struct window {
	struct transfer transfer;
	struct reader *reader;
	pgoff_t start, end;
};

static struct reader readers[DISKS];
static struct array array;

static void window_done(struct transfer *transfer)
{
	struct window *w = (struct window *)transfer;

	memset(w->reader->arrived + w->start, 1, w->end - w->start);
	free(w);
}

/* Streams are as ever: the policy reads nothing of its own. */
static void no_run(struct readahead_control *ractl, unsigned long pages)
{
	fprintf(stderr, "ra_field: %lu pages of a stream are a run\n", pages);
	exit(1);
}

/* Ask the policy, as page_cache_ra does at a miss or a mark, and read the window. */
static void read_window(struct reader *r, pgoff_t index, unsigned long pages, bool missed)
{
	struct backing_dev_info bdi = { .ra_pages = WINDOW };
	struct super_block sb = { .s_bdi = &bdi };
	struct inode inode = { .i_sb = &sb, .i_size = PAGES * PAGE_SIZE };
	struct address_space mapping = {
		.i_pages = { .present = r->present, .pages = PAGES }, .host = &inode,
	};
	struct readahead_control ractl = { .ra = &r->ra, .mapping = &mapping, ._index = index };
	struct window *w;
	pgoff_t i;

	r->ra.ra_pages = WINDOW;
	if (missed) {
		ra_runs_miss(&ractl, pages, WINDOW);
		r->ra.start = index;
		r->ra.size = ra_opening(pages, WINDOW);
		r->ra.async_size = r->ra.size > pages ? r->ra.size - pages : r->ra.size / 2;
	} else {
		ra_runs_mark(&ractl, (struct folio *)&r->present[index], WINDOW);
		r->ra.start += r->ra.size;
		r->ra.size = ra_doubled(r->ra.size, WINDOW);
		r->ra.async_size = r->ra.size;
	}
	if (r->ra.start >= PAGES)
		return;			/* past the end */
	w = malloc(sizeof(*w));
	if (!w)
		abort();
	*w = (struct window){
		.transfer.done = window_done, .reader = r, .start = r->ra.start,
		.end = min(r->ra.start + r->ra.size, PAGES),
	};
	if (r->ra.async_size)
		r->mark = r->ra.start + r->ra.size - r->ra.async_size;
	for (i = w->start; i < w->end; i++)
		r->present[i] = XA_PAGE;
	array_submit(&array, r->base + w->start * PAGE_SECTORS, (w->end - w->start) * PAGE_SECTORS,
		     false, &w->transfer);
}

/* As far as there are pages */
static void read_on(struct reader *r)
{
	while (r->at < PAGES) {
		unsigned long pages = READ_PAGES - r->at % READ_PAGES;

		if (!r->present[r->at])
			read_window(r, r->at, pages, true);
		if (r->at == r->mark) {
			r->mark = PAGES;
			read_window(r, r->at, pages, false);
		}
		if (!r->arrived[r->at])
			return;
		r->at++;
		r->ra.prev_pos = (loff_t)r->at << PAGE_SHIFT;
	}
}

static void emit(const char *metric, const char *unit, double value)
{
	printf("{\"report\": \"field-1\", \"case\": \"nocopy-harness\", ");
	printf("\"metric\": \"%s\", \"unit\": \"%s\", ", metric, unit);
	printf("\"value\": %.4f, \"command\": \"ra_field\"}\n", value);
}

int main(void)
{
	double mib = DISKS * PAGES * PAGE_SIZE / 1048576.0, seconds;
	bool more = true;
	unsigned int i;

	ra_reads = no_run;
	array_init(&array, &disk_fc_2002, DISKS, 0, true, FC_LOOP);
	for (i = 0; i < DISKS; i++) {
		readers[i].ra.prev_pos = -1;
		readers[i].mark = PAGES;
		readers[i].base = i * array.chunk;
	}
	while (more) {
		more = false;
		for (i = 0; i < DISKS; i++) {
			read_on(&readers[i]);
			more |= readers[i].at < PAGES;
		}
		if (more && !array_step(&array)) {
			fprintf(stderr, "ra_field: a reader waits for ever\n");
			return 1;
		}
	}
	seconds = array.now / 1e9;
	emit("mb_per_s", "MiB/s", mib / seconds);
	emit("latency_us", "us", seconds * 1e6 / (DISKS * PAGES / READ_PAGES));
	emit("ios_per_mib", "I/Os/MiB", array.requests / mib);
	return 0;
}
