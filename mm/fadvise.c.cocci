// SPDX-License-Identifier: GPL-2.0
// Advice is told, so that readahead need not guess it from ra_pages.

@include_runs@
@@
 #include "internal.h"
+#include "readahead_runs.h"

@no_advice depends on include_runs@
expression bdi;
@@
 file->f_ra.ra_pages = bdi->ra_pages;
+ra_runs_advise(&file->f_ra, false);

@sequential depends on no_advice@
expression bdi;
@@
 file->f_ra.ra_pages = bdi->ra_pages * 2;
+ra_runs_advise(&file->f_ra, true);
