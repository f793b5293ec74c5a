// SPDX-License-Identifier: GPL-2.0
/*
 * A loop that does not end is found by counting, not by a clock: the compiler has what is tested
 * call this wherever its way parts (-fsanitize-coverage=trace-pc).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "steps.h"

unsigned long steps_left = ~0UL;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	if (steps_left--)
		return;
	steps_left = ~0UL;
	wrong("livelock: it goes on and on");
}

/* In TAP, for programs that have no other way to say it */
void __attribute__((weak)) wrong(const char *fmt, ...)
{
	va_list ap;

	printf("not ok ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}
