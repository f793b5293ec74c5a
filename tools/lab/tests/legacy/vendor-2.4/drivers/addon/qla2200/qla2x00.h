/* SPDX-License-Identifier: GPL-2.0 */
#define QLA2100_LINUX_TEMPLATE { \
	next: NULL, \
	emulated: 0 \
}
