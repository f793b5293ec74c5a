/* SPDX-License-Identifier: GPL-2.0 */
/* See steps.c. A program sets @steps_left where it begins something that must end. */
#ifndef STEPS_H
#define STEPS_H

extern unsigned long steps_left;

/* The program's own: says what is wrong, and ends it. */
void wrong(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
