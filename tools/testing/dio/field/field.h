/* SPDX-License-Identifier: GPL-2.0 */
/* The harness' kernel in the kernel's scale: the compiler includes it in front of all. */
#ifndef FIELD_H
#define FIELD_H

#define DIO_TRUE_SCALE
#include "../kernel.h"

/* The engine clears memory by memset() only: it is counted. */
void *count_memset(void *to, int byte, size_t bytes);
#ifdef FIELD_ENGINE
#define memset	count_memset
#endif

#endif
