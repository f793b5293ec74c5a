/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cases of raw_io share; raw_io.c says what it is about. To be included first.
 */
#ifndef DIO_RAW_IO_H
#define DIO_RAW_IO_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "claim.h"
#define PROGRAM		"raw_io"
#include "words.h"

enum { EXIT_SKIP = 4 };

/* What is being tried is said, too. */
#define async_die	fail
#define async_skip(...)	die(EXIT_SKIP, __VA_ARGS__)
void fail(const char *fmt, ...) __printf(1, 2) __noreturn;
void trying(const char *fmt, ...) __printf(1, 2);
#include "async.h"
#include "load.h"
#include "raw_ioctl.h"
#include "stamp.h"

#define KIB		1024UL
#define MIB		(1024 * KIB)
#define MAX_IO		(3 * MIB + 4 * KIB)
#define TIME_LIMIT	300	/* seconds a case may take: far more than any needs */
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The ways to send a request. */
enum way { SYNC, VECTOR, AIO, URING, NR_WAYS };

/* Sizes served from one bio on the stack, from one allocated bio, and from several */
#define NR_SIZES	5
extern const size_t sizes[NR_SIZES];
extern const char * const way_names[NR_WAYS];

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
	const char *args;	/* names of case_args, separated by blanks */
};

extern const struct raw_case ctl_cases[], io_cases[];

/* @result is a count, or a negative error number. */
void expect(long result, long wanted, const char *what);
#define expect_call(call, wanted, what)	expect(sys_result(call), wanted, what)

/* Stamps (stamp.h) of a generation in place of a disk */
void check(const char *buf, size_t len, __u64 pos, unsigned int gen, const char *what);

/* A process that goes on in the caller, too, and one that ended well, or we do not. */
pid_t fork_child(void);
void child_done(pid_t child);
void sleep_ms(long ms);

/* The disk itself, not through the raw device */
void disk_io(int write, void *buf, size_t len, __u64 pos);
void disk_fill(__u64 pos, size_t len, unsigned int gen);
void disk_check(__u64 pos, size_t len, unsigned int gen, const char *what);

/* One request to a file: bytes moved, or a negative error number */
long rw_file(int fd, enum way way, int write, void *buf, size_t len, __u64 pos);
/* The same to the raw device */
long rw(enum way way, int write, void *buf, size_t len, __u64 pos);
const char *rw_name(int write);

int open_node(const char *name, int flags);
int open_raw(int flags);

#endif
