/* SPDX-License-Identifier: GPL-2.0 */

void page_cache_readahead(struct file_ra_state *ra, unsigned long offset)
{
	unsigned max;
	int first_access=0;
	unsigned long average;

	max = get_max_readahead(ra);
	if (offset == ra->prev_page + 1) {
		ra->serial_cnt++;
	} else {
		average = ra->average;
		if (average < ra->serial_cnt) {
			average++;
		}
		ra->average = (average + ra->serial_cnt) / 2;
		ra->serial_cnt = 1;
	}
	ra->prev_page = offset;

	if (offset < ra->start || offset >= (ra->start + ra->size)) {
		if (!first_access) {
			ra->next_size = min(ra->average , (unsigned long)max);
		}
		ra->start = offset;
		ra->size = ra->next_size;
	} else {
		if (ra->ahead_start == 0) {
			average = ra->average;
			if (ra->serial_cnt > average)
				average = (ra->serial_cnt + ra->average + 1) / 2;

			if (average > max) {
				ra->ahead_start = ra->start + ra->size;
				ra->ahead_size = ra->next_size;
			}
		}
	}
}
