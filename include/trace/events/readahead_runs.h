/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM readahead
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE readahead_runs

#if !defined(_TRACE_READAHEAD_RUNS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_READAHEAD_RUNS_H

#include <linux/fs.h>
#include <linux/tracepoint.h>

/* A run has ended: pages beyond its first request were used, others were read for it in vain. */
TRACE_EVENT(readahead_run,
	TP_PROTO(struct inode *inode, pgoff_t origin, pgoff_t used, pgoff_t end),
	TP_ARGS(inode, origin, used, end),

	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, ino)
		__field(pgoff_t, origin)
		__field(unsigned long, used)
		__field(unsigned long, wasted)
	),
	TP_fast_assign(
		__entry->dev = S_ISBLK(inode->i_mode) ? inode->i_rdev : inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->origin = origin;
		__entry->used = used - origin;
		__entry->wasted = end - used;
	),
	TP_printk("dev %d:%d ino %llu origin %lu used %lu wasted %lu",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino, __entry->origin,
		  __entry->used, __entry->wasted)
);

#endif

#include <trace/define_trace.h>
