/* SPDX-License-Identifier: GPL-2.0 */
#define trace_readahead_run(inode, start, used, spent, mean)	\
	((void)(inode), (void)(start), (void)(used), (void)(spent), (void)(mean))
