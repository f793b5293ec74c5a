// SPDX-License-Identifier: GPL-2.0
/*
 * The same as dio_test, but a fuzzer chooses: each decision of a case is a byte or two of its
 * input. libFuzzer's own options apply; what it finds can be given back to it as a file.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernel.h"
#include "world.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len);

void wrong(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len)
{
	static bool checked;

	if (!checked)
		check_boot();
	checked = true;
	source.fuzz = true;
	source.bytes = bytes;
	source.left = len;
	draw_case();
	run_case();
	check_case();
	return 0;
}
