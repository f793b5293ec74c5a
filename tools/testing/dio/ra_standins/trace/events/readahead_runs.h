/* SPDX-License-Identifier: GPL-2.0 */
#define trace_readahead_run(inode, origin, used, end)	\
	((void)(inode), (void)(origin), (void)(used), (void)(end))
