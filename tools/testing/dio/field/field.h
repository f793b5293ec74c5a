/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the field reports have of a kernel: standins.c runs the real engine, dio_field.c has the
 * reports. The compiler's command line includes this in front of both, and of the engine.
 */
#ifndef FIELD_H
#define FIELD_H

#define DIO_TRUE_SCALE
#include "../kernel.h"

/* The engine clears memory by memset() only: it is counted. */
void *count_memset(void *to, int byte, size_t bytes);
#ifdef FIELD_ENGINE
#define memset	count_memset
#endif

#define MIB		1048576ULL
#define MAX_STRUCT	1024	/* bytes of a struct dio */
#define USER_BASE	0x10000000UL	/* of an I/O's memory */

struct array;

/**
 * struct seen - what the engine did
 * @bios: submitted
 * @bytes: of them
 * @cleared: bytes, by memset()
 * @structs: struct dio that were allocated
 * @touched: which bytes of those were ever written
 * @dio_bytes: of a struct dio, in front of its bio if it has one in it
 */
struct seen {
	u64 bios, bytes, cleared, structs;
	bool touched[MAX_STRUCT];
	unsigned int dio_bytes;
};

extern struct seen seen;
extern struct array *array;	/* NULL: bios end at once */
extern bool huge;		/* user memory lies in pieces of 2 MiB, not of a page */
extern void (*look_at_bio)(struct bio *bio);
extern struct block_device the_disk;

struct page *user_page(unsigned long addr);
void boot(void);
ssize_t direct_io(struct kiocb *iocb, struct inode *inode, bool write, size_t bytes,
		  get_block_t *get_block);
void check_all_given_back(void);

/* A new struct dio gets a pattern, in one of two ways: what was written shows in the end. */
unsigned int mark_struct(u8 *memory, size_t bytes);
void look_at_struct(const u8 *memory, unsigned int way);

#endif
