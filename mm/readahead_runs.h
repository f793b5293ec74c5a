/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readahead that knows how long the runs of a file are: what mm/readahead.c asks for.
 */
#ifndef _MM_READAHEAD_RUNS_H
#define _MM_READAHEAD_RUNS_H

#include <linux/mm_types.h>

struct file_ra_state;
struct folio;
struct readahead_control;

/*
 * How much of what lies around a fault, of 32 pages, has to be in the cache for all of it to be
 * read: RA_DENSE runs, or two that are half of it; one once 1/RA_SOME of the file is there, none
 * once 1/RA_MUCH is, if memory has room for the rest. On an array (150 us, 200 MB/s) to read them
 * all takes as long as to read 4.7 singly: who stops before they are used has lost that.
 */
#define RA_DENSE	8UL
#define RA_SOME		2UL
#define RA_MUCH		1UL

/**
 * enum ra_runs_verdict - what is to be read now
 * @RA_RUNS_OFF: vm.readahead_runs is 0, nothing was decided
 * @RA_RUNS_DONE: nothing more: if a run whose end is thought to be known has a window, it was read
 * @RA_RUNS_STREAM: the window, which may end elsewhere if that suits large folios
 */
enum ra_runs_verdict {
	RA_RUNS_OFF,
	RA_RUNS_DONE,
	RA_RUNS_STREAM,
};

enum ra_runs_verdict ra_runs_miss(struct readahead_control *ractl, unsigned long req_count,
				  unsigned long max_pages);
enum ra_runs_verdict ra_runs_mark(struct readahead_control *ractl, struct folio *folio,
				  unsigned long req_count, unsigned long max_pages);
bool ra_runs_maps(const struct readahead_control *ractl, vm_flags_t vm_flags, bool given_up);
void ra_runs_fault(struct readahead_control *ractl);
bool ra_runs_touched(struct readahead_control *ractl, struct folio *folio);
void ra_runs_go_on(const struct readahead_control *ractl);
void ra_runs_advise(struct file_ra_state *ra, bool sequential);

#endif
