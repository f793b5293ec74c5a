/* SPDX-License-Identifier: GPL-2.0 */
#define SYM53C8XX {		\
	name: "",		\
	detect: sym53c8xx_detect,	\
	highmem_io: 1}
