/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cases of raw_io share; raw_io.c says what it is about.
 */
#ifndef DIO_RAW_IO_H
#define DIO_RAW_IO_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <linux/types.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define KIB		1024UL
#define MIB		(1024 * KIB)
#define PAGE		(4 * KIB)
#define MAX_IO		(3 * MIB + 4 * KIB)
#define TIME_LIMIT	300	/* seconds a case may take: far more than any needs */
#define __printf(f, a)	__attribute__((__format__(printf, f, a)))
#define __noreturn	__attribute__((__noreturn__))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The ways to send a request. */
enum engine { SYNC, VECTOR, AIO, URING, NR_ENGINES };

/* Sizes served from one bio on the stack, from one allocated bio, and from several */
#define NR_SIZES	5
extern const size_t sizes[NR_SIZES];
extern const char * const engine_names[NR_ENGINES];

extern const char *raw_name, *blk_name;
extern char **case_args;
extern int raw_fd, blk_fd, claim_fd;	/* blk_fd with O_DIRECT */
extern __u64 disk_size;
extern unsigned int block;		/* logical block size */
extern unsigned int mem_align;		/* what the disk demands of memory addresses */

/* A table of cases ends with one that has no name. */
struct raw_case {
	const char *name;
	void (*run)(void);
	const char *args;	/* names of case_args, if any, separated by blanks */
};

extern const struct raw_case cache_cases[], ctl_cases[], data_cases[], disk_cases[], file_cases[],
	limits_cases[], many_cases[], memory_cases[];

/* What is being tried, for the line that says what went wrong. */
void trying(const char *fmt, ...) __printf(1, 2);
void die(const char *fmt, ...) __printf(1, 2) __noreturn;
void skip(const char *fmt, ...) __printf(1, 2) __noreturn;

#define async_die	die
#define async_skip	skip
#include "async.h"

/* @result is a count, or a negative error number. */
void expect(long result, long wanted, const char *what);

/* Stamped data: each word depends on its position on the disk and on a generation. */
__u64 stamp(__u64 pos, unsigned int gen);
void fill(void *buf, size_t len, __u64 pos, unsigned int gen);
void check(const void *buf, size_t len, __u64 pos, unsigned int gen, const char *what);
void check_bytes(const unsigned char *buf, size_t len, int byte, const char *what);

void *get_memory(size_t len);
void make_hole(void *page);
/* A process that goes on in the caller, too, and one that ended well, or we do not. */
pid_t fork_child(void);
void child_done(pid_t child);
void sleep_ms(long ms);
long now_ms(void);

/* The disk itself, not through the raw device */
void disk_io(int write, void *buf, size_t len, __u64 pos);
void disk_fill(__u64 pos, size_t len, unsigned int gen);
void disk_check(__u64 pos, size_t len, unsigned int gen, const char *what);
unsigned long queue_attr(const char *name, unsigned long missing);

/* One request through the raw device: bytes moved, or a negative error number */
long rw(enum engine engine, int write, void *buf, size_t len, __u64 pos);
long aio_one(struct iocb *cb);
long ring_one(int op, void *addr, unsigned int len, __u64 pos);
/* The same request, but by O_DIRECT on the block device */
long disk_rw(enum engine engine, int write, void *buf, size_t len, __u64 pos);
const char *rw_name(int write);
int engine_there(enum engine engine);
enum engine next_engine(enum engine e);

int open_node(const char *name, int flags);
int open_raw(int flags);

#endif
