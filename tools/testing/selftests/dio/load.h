/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs that measure share: memory whose cost does not depend on luck, and the clock.
 *
 * Include after words.h.
 */
#ifndef DIO_LOAD_H
#define DIO_LOAD_H

#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE		4096UL
#define HUGE_PAGE	(2UL << 20)

/*
 * Memory of @size bytes, touched: huge pages, or small ones of which no two neighbours lie side by
 * side, so that the figure does not depend on what the allocator had.
 */
static inline char *load_memory(size_t size, int huge)
{
	size_t page;
	char *memory;

	size = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	memory = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		die(1, "no memory");
	memory = (char *)(((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
	madvise(memory, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (page = 0; page < size && !huge; page += 2 * PAGE)
		memory[size - PAGE - page] = 0;
	memset(memory, 0, size);
	return memory;
}

static inline unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif
