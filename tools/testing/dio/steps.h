/* SPDX-License-Identifier: GPL-2.0 */
/* See steps.c. A program sets @steps_left where it begins something that must end. */
#ifndef STEPS_H
#define STEPS_H

extern unsigned long steps_left;

/* Says what is wrong, and ends the program; most have their own. */
void wrong(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
