/* SPDX-License-Identifier: GPL-2.0 */
#define AIC7XXX	{	\
	next: NULL,	\
	highmem_io: 1	\
}
