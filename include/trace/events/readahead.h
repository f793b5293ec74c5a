/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM readahead

#if !defined(_TRACE_READAHEAD_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_READAHEAD_H

#include <linux/fs.h>
#include <linux/tracepoint.h>

/* A window is about to be read. All but the numbers of device and inode is in pages. */
TRACE_EVENT(readahead_window,
	TP_PROTO(struct inode *inode, pgoff_t index, unsigned long wanted,
		 const struct file_ra_state *ra, bool missed),
	TP_ARGS(inode, index, wanted, ra, missed),

	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(unsigned long, ino)
		__field(unsigned long, index)
		__field(unsigned long, wanted)
		__field(unsigned long, start)
		__field(unsigned int, size)
		__field(unsigned int, async_size)
		__field(bool, missed)
	),
	TP_fast_assign(
		__entry->dev = S_ISBLK(inode->i_mode) ? inode->i_rdev : inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->index = index;
		__entry->wanted = wanted;
		__entry->start = ra->start;
		__entry->size = ra->size;
		__entry->async_size = ra->async_size;
		__entry->missed = missed;
	),
	TP_printk("dev %d:%d ino %lu %s at %lu wanted %lu: start %lu size %u async_size %u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino,
		  __entry->missed ? "miss" : "mark", __entry->index, __entry->wanted,
		  __entry->start, __entry->size, __entry->async_size)
);

/* A run was found to have ended: its pages were used, and others were read for it in vain. */
TRACE_EVENT(readahead_run,
	TP_PROTO(struct inode *inode, pgoff_t start, unsigned long used, unsigned long spent,
		 unsigned int mean),
	TP_ARGS(inode, start, used, spent, mean),

	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(unsigned long, ino)
		__field(unsigned long, start)
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
	TP_printk("dev %d:%d ino %lu start %lu used %lu wasted %lu expected-next %u/16",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino, __entry->start,
		  __entry->used, __entry->wasted, __entry->mean)
);

#endif

#include <trace/define_trace.h>
