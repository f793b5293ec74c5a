/* SPDX-License-Identifier: GPL-2.0 */
/* See steps.c. A program sets @steps_left where it begins something that must end. */
#ifndef STEPS_H
#define STEPS_H

#include <stdint.h>

extern unsigned long steps_left;

/* Says what is wrong, and ends the program; most have their own. */
void wrong(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The same numbers everywhere (splitmix64) */
static inline uint64_t next_number(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

#endif
