/* SPDX-License-Identifier: GPL-2.0 */
#define AIC7XXX	{ detect: ahc_linux_detect }
