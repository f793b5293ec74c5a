// SPDX-License-Identifier: GPL-2.0
// Tables of sysctls were not const until 6.13.

@writable_table@
identifier table;
@@
-static const struct ctl_table table[] = {
+static struct ctl_table table[] = {
 	...
 };

// The order is an argument until 6.15, one that is not yet RA_ORDER_STEP larger, and is not bounded.

@order_is_told@
identifier order;
expression state;
@@
-WRITE_ONCE(state->order, order);
-page_cache_ra_order(ractl, state);
+if (order < RA_ORDER_STEP) {
+	ra_read_pages(ractl, ra);
+	return;
+}
+order = min_t(unsigned int, order, MAX_PAGECACHE_ORDER) - RA_ORDER_STEP;
+page_cache_ra_order(ractl, state, order);

// A disk is asked whether it does not turn.

@turns@
expression bdev;
@@
-bdev_rot(bdev)
+!bdev_nonrot(bdev)
