/* SPDX-License-Identifier: GPL-2.0 */
/* The windows of mm/readahead.c: the first, and those that follow */
static unsigned long ra_opening(unsigned long pages, unsigned long max)
{
	unsigned long size = pages < 2 ? 1 : 1UL << (64 - __builtin_clzl(min(pages, max) - 1));

	return size <= max / 32 ? 4 * size : size <= max / 4 ? 2 * size : max;
}

static unsigned long ra_doubled(unsigned long size, unsigned long max)
{
	return size < max / 16 ? 4 * size : size <= max / 2 ? 2 * size : max;
}
