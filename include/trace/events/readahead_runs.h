/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM readahead
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE readahead_runs

#if !defined(_TRACE_READAHEAD_RUNS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_READAHEAD_RUNS_H

#include <linux/fs.h>
#include <linux/tracepoint.h>

/* A run was found to have ended: its pages were used, and others were read for it in vain. */
TRACE_EVENT(readahead_run,
	TP_PROTO(struct inode *inode, pgoff_t start, unsigned long used, unsigned long spent,
		 unsigned int mean),
	TP_ARGS(inode, start, used, spent, mean),

	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, ino)
		__field(pgoff_t, start)
		__field(unsigned long, used)
		__field(unsigned long, wasted)
		__field(unsigned int, mean)
	),
	TP_fast_assign(
		__entry->dev = S_ISBLK(inode->i_mode) ? inode->i_rdev : inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->start = start;
		__entry->used = used;
		__entry->wasted = spent - used;
		__entry->mean = mean;
	),
	TP_printk("dev %d:%d ino %llu start %lu used %lu wasted %lu expected-next %u/16",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino, __entry->start,
		  __entry->used, __entry->wasted, __entry->mean)
);

#endif

#include <trace/define_trace.h>
