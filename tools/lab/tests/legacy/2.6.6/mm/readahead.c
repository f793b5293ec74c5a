/* SPDX-License-Identifier: GPL-2.0 */

void page_cache_readahead(struct file_ra_state *ra, unsigned long offset)
{
	unsigned max;
	int first_access=0;
	unsigned long preoffset=0;

	max = get_max_readahead(ra);
	if (offset == ra->prev_page + 1) {
		ra->serial_cnt++;
	} else {
		ra->average = (ra->average + ra->serial_cnt) / 2;
		ra->serial_cnt = 1;
	}
	preoffset = ra->prev_page;
	ra->prev_page = offset;

	if (offset < ra->start || offset >= (ra->start + ra->size)) {
		if ( !first_access && preoffset >= ra->start &&
				preoffset < (ra->start + ra->size)) {
			 /* This comment belongs to what goes away. */
			ra->next_size = preoffset - ra->start + 2;
		}
		ra->start = offset;
		ra->size = ra->next_size;
	} else {
		if (ra->ahead_start == 0) {
			/*
			 * This one too.
			 */
			unsigned long average = ra->average;
			if (ra->serial_cnt > average)
				average = (ra->serial_cnt + ra->average) / 2;

			if ((average >= max) || (offset == (ra->start +
							ra->size - 1))) {
				ra->ahead_start = ra->start + ra->size;
				ra->ahead_size = ra->next_size;
			}
		}
	}
}
