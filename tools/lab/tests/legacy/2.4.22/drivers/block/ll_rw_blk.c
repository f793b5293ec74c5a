/* SPDX-License-Identifier: GPL-2.0 */

void blk_init_queue(request_queue_t * q, request_fn_proc * rfn)
{
	q->request_fn     	= rfn;
	q->plugged        	= 0;

	/* the usual */
	q->plug_device_fn 	= generic_plug_device;
	q->head_active    	= 1;

	blk_queue_bounce_limit(q, BLK_BOUNCE_HIGH);
}
