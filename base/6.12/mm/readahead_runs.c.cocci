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

// There is no order in the state until 6.15 to be kept.

@no_order_is_kept@
expression state;
@@
-WRITE_ONCE(state->order, 0);

// Here page_cache_ra_order() reads as much as it was asked for from a page on that it finds in the
// cache, not what is left.

@behind_faults@
identifier ask;
@@
+if (ra->state == RA_FAULTS && ra_cached(ask, ra->start, ra->size))
+	return 0;
 if (ra->state == RA_FAULTS)
 	return ask->first && !ask->waits ? order : 0;

// A disk is asked whether it does not turn.

@turns@
expression bdev;
@@
-bdev_rot(bdev)
+!bdev_nonrot(bdev)
