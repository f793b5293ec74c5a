/* SPDX-License-Identifier: GPL-2.0 */

void submit_bh_blknr(int rw, struct buffer_head *bh)
{
	bh->b_rdev = bh->b_dev;
	bh->b_rsector = bh->b_blocknr;
	generic_make_request(rw, bh);
}
