/* SPDX-License-Identifier: GPL-2.0 */
/*
 * -h: how a program is called, on stdout. Who calls it wrongly reads the same on stderr.
 */
#ifndef DIO_HELP_H
#define DIO_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does not return if one of the words asks for help. */
static inline void help_if_asked(int argc, char **argv, const char *usage)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-h") && strcmp(argv[i], "--help"))
			continue;
		exit(puts(usage) < 0 || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
	}
}

#endif
