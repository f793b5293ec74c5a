// SPDX-License-Identifier: GPL-2.0
// A direct write to a file that goes on in the page cache reads blocks that it covers only in part,
// while another part of them may be on its way to the disk.
//
// File systems that use iomap go on in the page cache by themselves. ext4 and exfat wait there, as
// this does.
//
// What is added stands in front of the comment of what follows: so the line above that goes and
// comes back.

@wait_function@
declarer name EXPORT_SYMBOL;
symbol generic_perform_write;
@@
-EXPORT_SYMBOL(generic_perform_write);
+EXPORT_SYMBOL(generic_perform_write);
+
+/*
+ * What is left of a direct write of which @done bytes are done goes through the page cache, which
+ * reads blocks that are written in part: also that where the file ended, as file systems without
+ * holes fill up from there. Direct writes to another part of them are waited for, and what was
+ * cached before they ended is dropped if nobody uses it, or writing such a block back would undo
+ * them.
+ */
+static ssize_t write_rest(struct kiocb *iocb, struct iov_iter *from, ssize_t done)
+{
+	loff_t end = iocb->ki_pos + iov_iter_count(from) - 1;
+	struct address_space *mapping = iocb->ki_filp->f_mapping;
+	struct inode *inode = mapping->host;
+	loff_t start = min(iocb->ki_pos, i_size_read(inode));
+
+	if ((iocb->ki_flags & IOCB_NOWAIT) && atomic_read(&inode->i_dio_count))
+		return done ? done : -EAGAIN;
+	inode_dio_wait(inode);
+	invalidate_inode_pages2_range(mapping, start >> PAGE_SHIFT, end >> PAGE_SHIFT);
+	return direct_write_fallback(iocb, from, done, generic_perform_write(iocb, from));
+}

@wait depends on wait_function@
identifier iocb, from, ret;
@@
 __generic_file_write_iter(...)
 {
 	<+...
-	direct_write_fallback(iocb, from, ret, generic_perform_write(iocb, from))
+	write_rest(iocb, from, ret)
 	...+>
 }

// Who looks for the next, or the previous, page that is not there may begin within a large folio. Then
// the walk stands at the slot of its first page, and its index is that of another: pages looked at
// later are taken for others, or left out. Readahead of several streams left a page out so.

@walk_from_the_page@
identifier xas, entry;
@@
 page_cache_next_miss(...)
 {
 	<+...
 	void *entry = xas_next(&xas);
+
+	/* The entry of a large folio is found in the slot of its first page. */
+	xas_advance(&xas, xas.xa_index);
 	...+>
 }

// What had to go of a large folio has left one shadow, which is met last.

@walk_to_the_first_page depends on walk_from_the_page@
identifier xas, entry;
statement S;
@@
 page_cache_prev_miss(...)
 {
 	<+...
 	void *entry = xas_prev(&xas);
+
+	/* The entry of a large folio is found in the slot of its first page. */
+	xas_advance(&xas, xas.xa_index);
+	/* The other slots refer to it, also where it is a shadow. */
+	if (xa_is_sibling(entry))
+		entry = xas_reload(&xas);
-	if (!entry || xa_is_value(entry))
+	if (!entry || xa_is_value(entry))
 	S
 	...+>
 }

// Direct I/O writes back what is cached of a file, and waits, before each request. For a file that
// has pages in the cache, but none dirty or under writeback, it found that out by a search.
//
// Nothing is missed: whoever starts writeback of a page sets the tag for it before that for dirty
// is cleared, under the lock of the tree, and one load has both. Where the base has found no tag it
// has done nothing either, and errors of earlier writeback are looked for, and told, behind this
// question.

@ask_the_tags@
identifier mapping;
@@
 mapping_needs_writeback(struct address_space *mapping)
 {
-	return mapping->nrpages;
+	/* A page gets its tag for writeback before it loses that for dirty: one load has either. */
+	return READ_ONCE(mapping->i_pages.xa_flags) &
+	       (XA_FLAGS_MARK(PAGECACHE_TAG_DIRTY) | XA_FLAGS_MARK(PAGECACHE_TAG_WRITEBACK));
 }

// Who reads by one open file writes and reads where the last read ended, with nothing held.

@prev_pos_asked depends on ask_the_tags@
identifier ra;
expression E;
@@
(
 ra->prev_pos = E
|
-ra->prev_pos
+READ_ONCE(ra->prev_pos)
)

// places: 1-2
@prev_pos_told depends on prev_pos_asked@
identifier ra, in;
expression E;
@@
(
-	ra->prev_pos = E;
+	WRITE_ONCE(ra->prev_pos, E);
|
-	in->f_ra.prev_pos = E;
+	WRITE_ONCE(in->f_ra.prev_pos, E);
)

// What is read around a fault, where no advice says it, is mm/readahead_runs.c's to choose.

@include_runs@
@@
 #include "internal.h"
+#include "readahead_runs.h"

@around_faults depends on include_runs@
symbol ractl, fpin, mmap_miss, vm_flags;
expression E;
@@
 do_sync_mmap_readahead(struct vm_fault *vmf)
 {
 	<+...
-	if (mmap_miss < MMAP_LOTSAMISS * 10)
-		WRITE_ONCE(E, ++mmap_miss);
+	if (mmap_miss < MMAP_LOTSAMISS * 10)
+		WRITE_ONCE(E, ++mmap_miss);
+
+	if (!(vm_flags & (VM_EXEC | VM_HUGEPAGE)) && ra_runs_fault(&ractl, mmap_miss)) {
+		fpin = maybe_unlock_mmap_for_io(vmf, fpin);
+		ra_runs_read(&ractl, 1);
+		return fpin;
+	}
 	...+>
 }

@other_windows depends on around_faults@
type T;
@@
 do_sync_mmap_readahead(struct vm_fault *vmf)
 {
 	<+...
	T mmap_miss;
+
+	/* The windows of these are no run's. */
+	if (vm_flags & (VM_EXEC | VM_HUGEPAGE | VM_SEQ_READ))
+		WRITE_ONCE(ra->runs, 0);
 	...+>
 }

@marks_of_faults depends on other_windows@
identifier vmf, folio, ra, fpin;
symbol ractl;
@@
 do_async_mmap_readahead(struct vm_fault *vmf, struct folio *folio)
 {
 	<+...
 	if (vmf->vma->vm_flags & VM_RAND_READ || !ra->ra_pages)
-		return fpin;
+		return fpin;
+
+	/* It is neither a hit nor a reason to read. */
+	if (folio_test_readahead(folio) && ra_runs_touched(&ractl, folio))
+		return fpin;
 	...+>
 }
