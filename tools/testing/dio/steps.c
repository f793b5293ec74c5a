// SPDX-License-Identifier: GPL-2.0
/*
 * A loop that does not end is found by counting, not by a clock: the compiler has what is tested
 * call this wherever its way parts (-fsanitize-coverage=trace-pc). It does not where a loop has
 * become empty. So the count is looked at, too, each few seconds of processor time: nothing here
 * takes as long between two steps, on however slow a machine.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include "steps.h"

#define STILL_SECONDS	10

unsigned long steps_left = ~0UL;
static bool counted;	/* not all programs are built so */

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	counted = true;
	if (steps_left--)
		return;
	steps_left = ~0UL;
	wrong("livelock: it goes on and on");
}

/* wrong() prints, which a handler may not; but what it interrupts is a loop with nothing in it. */
static void look(int sig)
{
	static unsigned long before;

	(void)sig;
	if (counted && steps_left == before)
		wrong("livelock: a loop with nothing in it goes on and on");
	before = steps_left;
}

static void __attribute__((constructor)) look_now_and_then(void)
{
	struct itimerval each = { { STILL_SECONDS, 0 }, { STILL_SECONDS, 0 } };

	signal(SIGVTALRM, look);
	setitimer(ITIMER_VIRTUAL, &each, NULL);
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
