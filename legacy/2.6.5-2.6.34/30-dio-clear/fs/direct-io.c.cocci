// SPDX-License-Identifier: GPL-2.0

// places: 2
@clear_to_pages@
symbol dio, retval, out;
@@

-dio = kzalloc(sizeof(*dio), GFP_KERNEL);
+dio = kmalloc(sizeof(*dio), GFP_KERNEL);
 retval = -ENOMEM;
 if (!dio)
 	goto out;
+
+/*
+	 * Not the page array: clearing that at each request costs databases half
+	 * a percent, and people measure it. All else is cleared: there are fields
+	 * that are read before anybody sets them.
+	 */
+memset(dio, 0, offsetof(struct dio, pages));
