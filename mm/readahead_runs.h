/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readahead that knows how long the last runs of an open file were: what mm/readahead.c and
 * mm/filemap.c ask for.
 */
#ifndef _MM_READAHEAD_RUNS_H
#define _MM_READAHEAD_RUNS_H

#include <linux/types.h>

struct folio;
struct readahead_control;

bool ra_runs_miss(struct readahead_control *ractl, unsigned long pages, unsigned long max);
bool ra_runs_mark(struct readahead_control *ractl, struct folio *folio, unsigned long max);
bool ra_runs_fault(struct readahead_control *ractl, unsigned int misses);
void ra_runs_read(struct readahead_control *ractl, unsigned long pages);
bool ra_runs_touched(struct readahead_control *ractl, struct folio *folio);

#endif
