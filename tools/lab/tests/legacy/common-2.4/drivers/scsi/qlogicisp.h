/* SPDX-License-Identifier: GPL-2.0 */
#define QLOGICISP {		\
	detect:		isp1020_detect	\
}
