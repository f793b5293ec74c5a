// SPDX-License-Identifier: GPL-2.0
// What direct I/O read into must be marked dirty, and let go in the end. Each page was locked for
// that, though memory that is used again is dirty from the last time.

// rules of block/bio.c.cocci: mark set release check rest
