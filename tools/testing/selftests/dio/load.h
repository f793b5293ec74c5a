/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs that put load on disks share: the clock, random numbers, memory and its pins */
#ifndef DIO_LOAD_H
#define DIO_LOAD_H

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "words.h"

#define PAGE		4096UL
#define HUGE_PAGE	(2UL << 20)

#ifndef RWF_ATOMIC
#define RWF_ATOMIC	0x40	/* later than glibc's headers */
#endif

/* CLOCK_MONOTONIC came with 2.6; libraries differ in how they say that it is not there. */
static inline unsigned long long now_ns(void)
{
	struct timespec ts;
	struct timeval tv;

	if (!clock_gettime(CLOCK_MONOTONIC, &ts))
		return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	gettimeofday(&tv, NULL);
	return tv.tv_sec * 1000000000ULL + tv.tv_usec * 1000ULL;
}

static inline void stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die(1, "CPU %d alone: %s", cpu, strerror(errno));
}

/* The state is counted up, the result is well mixed. */
static inline unsigned long long next_random(unsigned long long *state)
{
	unsigned long long x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/*
 * Keep what is mapped now in memory. Pages of a program are read again under pressure, and where a
 * guest's come from the host, its clock leaps while it idles.
 */
static inline void stay_in_memory(void)
{
	if (mlockall(MCL_CURRENT))
		die(1, "mlockall: %s", strerror(errno));
}

/* Zeroed memory of @size bytes, not touched; with MAP_SHARED children share it. */
static inline void *map_memory(size_t size, int how)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die(1, "no memory");
	return memory;
}

static inline void *get_memory(size_t size)
{
	return map_memory(size, MAP_PRIVATE);
}

/*
 * The same touched, at a cost that does not depend on luck: huge pages, or small ones of which no
 * two neighbours lie side by side, whatever the allocator had.
 */
static inline char *load_memory(size_t size, int huge)
{
	size_t page;
	char *memory;

	size = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	memory = get_memory(size + HUGE_PAGE);
	memory = (char *)(((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
	madvise(memory, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (page = 0; page < size && !huge; page += 2 * PAGE)
		memory[size - PAGE - page] = 0;
	memset(memory, 0, size);
	return memory;
}

/* Pins taken less pins dropped, as the kernel has counted them since it was booted */
static inline long pinned_now(void)
{
	int refresh = open("/proc/sys/vm/stat_refresh", O_WRONLY), found = 0;
	unsigned long value, acquired = 0, released = 0;
	char name[64];
	FILE *file;

	/* What each CPU has counted, if there may be several */
	if (refresh >= 0 && (write(refresh, "1", 1) < 0 || close(refresh)))
		die(1, "/proc/sys/vm/stat_refresh: %s", strerror(errno));
	file = fopen("/proc/vmstat", "r");
	while (file && fscanf(file, "%63s %lu", name, &value) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired") && ++found)
			acquired = value;
		else if (!strcmp(name, "nr_foll_pin_released") && ++found)
			released = value;
	}
	if (file)
		fclose(file);
	if (found != 2)
		die(4, "this kernel does not count pins in /proc/vmstat");
	return acquired - released;
}

/*
 * What is pinned more than @before, if that is @slack or more for five seconds, else 0: work queues
 * unpin what AIO has read.
 */
static inline long pins_left(long before, long slack)
{
	unsigned long long end = now_ns() + 5000000000ULL;
	long left;

	do {
		left = pinned_now() - before;
		if (labs(left) < slack)
			return 0;
	} while (now_ns() < end);
	return left;
}

/*
 * Have huge pages of load_memory() mapped by PTEs: a mapping that ends within one splits how it is
 * mapped, not the page. They stay so, as nobody joins what is told not to be huge.
 */
static inline void split_memory(char *memory, size_t size)
{
	size_t huge;

	for (huge = 0; huge < size; huge += HUGE_PAGE)
		if (madvise(memory + huge, PAGE, MADV_NOHUGEPAGE))
			die(1, "MADV_NOHUGEPAGE: %s", strerror(errno));
	if (madvise(memory, size, MADV_NOHUGEPAGE))
		die(1, "MADV_NOHUGEPAGE: %s", strerror(errno));
}

#endif
