/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pins of user pages that are held, by the counters of /proc/vmstat.
 */
#ifndef DIO_PINS_H
#define DIO_PINS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many pins the whole machine holds; -1 if this kernel does not count them. */
static inline int pins_now(long *pins)
{
	unsigned long value, acquired = 0, released = 0;
	FILE *file = fopen("/proc/vmstat", "r");
	char name[64];
	int found = 0;

	while (file && fscanf(file, "%63s %lu", name, &value) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired") && ++found)
			acquired = value;
		else if (!strcmp(name, "nr_foll_pin_released") && ++found)
			released = value;
	}
	if (file)
		fclose(file);
	*pins = acquired - released;
	return found == 2 ? 0 : -1;
}

/*
 * Pins more than @before, or fewer: what a round of @rounds loses shows, whatever else pins pages
 * at the same time and lets go within five seconds. 0 if there is no such loss.
 */
static inline long pins_lost(long before, int rounds)
{
	long now, lost = 0;
	int tries;

	for (tries = 0; tries < 50; tries++) {
		lost = pins_now(&now) ? 0 : now - before;
		if (labs(lost) < rounds / 2)
			return 0;
		usleep(100000);
	}
	return lost;
}

#endif /* DIO_PINS_H */
