/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readahead that knows how long the runs of a file are: what mm/readahead.c asks for.
 */
#ifndef _MM_READAHEAD_RUNS_H
#define _MM_READAHEAD_RUNS_H

#include <linux/types.h>

struct file_ra_state;
struct folio;
struct readahead_control;

/*
 * Does mm/filemap.c stop reading around faults that find nothing in the cache? If not, all of a
 * mapped file is soon in memory wherever there is room for it.
 */
#ifndef RA_AROUND_STOPS		/* its test in user space has both */
#define RA_AROUND_STOPS	1
#endif

/**
 * enum ra_runs_verdict - what is to be read now
 * @RA_RUNS_OFF: vm.readahead_runs is 0, nothing was decided
 * @RA_RUNS_NOTHING: nothing
 * @RA_RUNS_RUN: the window as it is, for a run whose end is thought to be known
 * @RA_RUNS_STREAM: the window, which may end elsewhere if that suits large folios
 */
enum ra_runs_verdict {
	RA_RUNS_OFF,
	RA_RUNS_NOTHING,
	RA_RUNS_RUN,
	RA_RUNS_STREAM,
};

enum ra_runs_verdict ra_runs_miss(struct readahead_control *ractl, unsigned long req_count,
				  unsigned long max_pages);
enum ra_runs_verdict ra_runs_mark(struct readahead_control *ractl, struct folio *folio,
				  unsigned long req_count, unsigned long max_pages);
bool ra_runs_maps(const struct readahead_control *ractl);
void ra_runs_fault(struct readahead_control *ractl);
bool ra_runs_touched(struct readahead_control *ractl, struct folio *folio);
void ra_runs_go_on(const struct readahead_control *ractl);
void ra_runs_advise(struct file_ra_state *ra, bool sequential);

#endif
