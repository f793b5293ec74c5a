/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks for who counts the instructions of this machine from outside (tools/lab/insn_count.c): a
 * call of code at an address that it knows. To all others it is a function that does nothing.
 *
 * Include after words.h.
 */
#ifndef DIO_MARK_H
#define DIO_MARK_H

#include <errno.h>
#include <sys/mman.h>

#define MARK_ADDRESS	0x6d61726b0000UL

static void (*mark)(void), (*mark_end)(void);

/* Before the first one: what it takes to map it is not to be counted. */
static inline void mark_setup(void)
{
#ifdef __x86_64__
	unsigned char *code = mmap((void *)MARK_ADDRESS, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (code != (void *)MARK_ADDRESS)
		die(1, "nothing can be mapped at %lx: %s", MARK_ADDRESS, strerror(errno));
	code[0] = 0xc3;	/* ret */
	code[1] = 0xc3;
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		die(1, "a mark cannot be executed: %s", strerror(errno));
	mark = (void (*)(void))MARK_ADDRESS;
	mark_end = (void (*)(void))(MARK_ADDRESS + 1);
	mark();
#else
	die(EXIT_USAGE, "marks are for x86_64");
#endif
}

#endif
