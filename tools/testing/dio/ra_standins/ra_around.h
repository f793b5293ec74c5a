/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What base/6.1 and base/6.12 make of mm/readahead_runs.h, where RA_OLD_BASE is true.
 */
#ifndef RA_AROUND_H
#define RA_AROUND_H

#include "ra_kernel.h"
#include "readahead_runs.h"

enum {
	RA_NEW_DENSE = RA_DENSE,
	RA_NEW_SOME = RA_SOME,
	RA_NEW_MUCH = RA_MUCH,
};

#undef RA_DENSE
#undef RA_SOME
#undef RA_MUCH
#define RA_DENSE	(RA_OLD_BASE ? 2UL : RA_NEW_DENSE)
#define RA_SOME		(RA_OLD_BASE ? 32UL : RA_NEW_SOME)
#define RA_MUCH		(RA_OLD_BASE ? 4UL : RA_NEW_MUCH)

#endif
