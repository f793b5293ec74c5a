/* SPDX-License-Identifier: GPL-2.0 */
static inline int get_blkdev_varyio(int major, int minor)
{
	return blkdev_varyio[major] ? blkdev_varyio[major][minor] : 0;
}
