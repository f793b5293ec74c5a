/* SPDX-License-Identifier: GPL-2.0 */
struct request_queue
{
	elevator_t		elevator;
	void			* queuedata;
	char			head_active;

	/* sleepers */
	wait_queue_head_t	wait_for_requests;
};
