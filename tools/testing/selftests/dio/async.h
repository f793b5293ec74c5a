/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AIO and io_uring by their system calls, with no library.
 *
 * Who has more to say when it fails defines async_die(fmt, ...), which does not return, before.
 */
#ifndef DIO_ASYNC_H
#define DIO_ASYNC_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <linux/types.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "words.h"

#ifndef ASYNC_NONE
#define ASYNC_NONE	4	/* exit status where a kernel has neither: a test is skipped */
#endif
#ifndef async_die
#define async_die(...)	die(1, __VA_ARGS__)
#endif

/* A result is a count, or a negative error number: in words */
static inline const char *result_name(long result)
{
	static char text[2][64];
	static int turn;
	char *out = text[turn ^= 1];

	if (result < 0)
		snprintf(out, sizeof(text[0]), "error %ld (%s)", -result, strerror(-result));
	else
		snprintf(out, sizeof(text[0]), "%ld", result);
	return out;
}

/* A system call's result in that form. */
static inline long sys_result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static inline aio_context_t aio_setup(unsigned int depth)
{
	aio_context_t ctx = 0;

	if (syscall(SYS_io_setup, depth, &ctx))
		die(ASYNC_NONE, "no AIO: %s", strerror(errno));
	return ctx;
}

/* @op: IOCB_CMD_: PREAD is 0, PWRITE 1; of others @buf is an iovec, and @len how many there are */
static inline void aio_prepare(struct iocb *cb, int fd, int op, void *buf, size_t len, __u64 pos)
{
	*cb = (struct iocb) {
		.aio_lio_opcode = op,
		.aio_fildes = fd,
		.aio_buf = (uintptr_t)buf,
		.aio_nbytes = len,
		.aio_offset = pos,
		.aio_data = (uintptr_t)cb,
	};
}

static inline void aio_submit(aio_context_t ctx, struct iocb **cbs, long nr)
{
	long done = 0, ret;

	while (done < nr) {
		ret = syscall(SYS_io_submit, ctx, nr - done, cbs + done);
		if (ret <= 0)
			async_die("io_submit gave %s", result_name(sys_result(ret)));
		done += ret;
	}
}

/*
 * Events, of which there must be @min. An io_uring that was closed interrupts later: the kernel
 * makes whoever used it forget it, by what looks like a signal to a task that waits.
 */
static inline int aio_reap(aio_context_t ctx, struct io_event *events, long min, long max,
			   struct timespec *limit)
{
	long ret;

	do {
		ret = syscall(SYS_io_getevents, ctx, min, max, events, limit);
	} while (ret < 0 && errno == EINTR);
	if (ret < min)
		async_die("io_getevents gave %s, not %ld", result_name(sys_result(ret)), min);
	return ret;
}

/* One request, with a context of its own: what it gave, or what io_submit() did */
static inline long aio_once(int fd, int op, void *buf, size_t len, __u64 pos)
{
	static aio_context_t ctx;
	struct io_event event;
	struct iocb cb, *cbs = &cb;

	if (!ctx)
		ctx = aio_setup(1);
	aio_prepare(&cb, fd, op, buf, len, pos);
	if (syscall(SYS_io_submit, ctx, 1, &cbs) < 1)
		return -errno;
	aio_reap(ctx, &event, 1, 1, NULL);
	return event.res;
}

/* Until @pid, a child, sleeps and cannot be woken, for want of a disk, say; 0 if it has ended */
static inline int wait_until_it_waits(pid_t pid)
{
	char path[40], state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		file = fopen(path, "r");
		if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
			async_die("%s: %s", path, strerror(errno));
		fclose(file);
	} while (state != 'D' && state != 'Z');
	return state == 'D';
}

struct ring {
	int fd, wide;		/* wide: with entries of 128 bytes */
	unsigned int queued;
	struct io_uring_params p;
	char *mem;		/* of both queues */
	struct io_uring_sqe *sqes;
};

/* What lies in the queues as struct io_uring_params says */
static inline unsigned int *ring_at(struct ring *r, unsigned int offset)
{
	return (unsigned int *)(r->mem + offset);
}

static inline void *ring_map(int fd, size_t len, off_t what)
{
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);

	if (mem == MAP_FAILED)
		async_die("io_uring cannot be mapped");
	return mem;
}

static inline void ring_setup(struct ring *r, unsigned int depth, unsigned int flags)
{
	size_t sq, cq;

	*r = (struct ring){ .wide = !!(flags & IORING_SETUP_SQE128), .p = { .flags = flags } };
	r->fd = syscall(SYS_io_uring_setup, depth, &r->p);
	if (r->fd < 0)
		die(ASYNC_NONE, "no io_uring: %s", strerror(errno));
	sq = r->p.sq_off.array + r->p.sq_entries * sizeof(unsigned int);
	cq = r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe);
	r->mem = ring_map(r->fd, sq > cq ? sq : cq, IORING_OFF_SQ_RING);
	r->sqes = ring_map(r->fd, r->p.sq_entries * sizeof(struct io_uring_sqe) << r->wide,
			   IORING_OFF_SQES);
}

/* Memory for IORING_OP_READ_FIXED and IORING_OP_WRITE_FIXED */
static inline void ring_register(struct ring *r, const struct iovec *memory, unsigned int nr)
{
	if (syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_BUFFERS, memory, nr))
		async_die("memory cannot be registered: %s", strerror(errno));
}

static inline struct io_uring_sqe *ring_queue(struct ring *r, int fd, int op, void *addr,
					      unsigned int len, __u64 pos, __u64 data)
{
	unsigned int *tail = ring_at(r, r->p.sq_off.tail), index = *tail & (r->p.sq_entries - 1);
	struct io_uring_sqe *sqe = &r->sqes[index << r->wide];

	*sqe = (struct io_uring_sqe) {
		.opcode = op,
		.fd = fd,
		.addr = (uintptr_t)addr,
		.len = len,
		.off = pos,
		.user_data = data,
	};
	ring_at(r, r->p.sq_off.array)[index] = index;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	r->queued++;
	return sqe;
}

static inline void ring_enter(struct ring *r, unsigned int wait)
{
	unsigned int flags = wait ? IORING_ENTER_GETEVENTS : 0;
	long ret;

	do {
		ret = syscall(SYS_io_uring_enter, r->fd, r->queued, wait, flags, NULL, 0);
	} while (ret < 0 && errno == EINTR);
	if (ret != r->queued)
		async_die("io_uring_enter gave %s of %u", result_name(sys_result(ret)), r->queued);
	r->queued = 0;
}

static inline int ring_empty(struct ring *r)
{
	return *ring_at(r, r->p.cq_off.head) ==
		__atomic_load_n(ring_at(r, r->p.cq_off.tail), __ATOMIC_ACQUIRE);
}

/* The next completion; asks the kernel (and polls the disk, if that is the ring's way). */
static inline long ring_reap(struct ring *r, __u64 *data)
{
	unsigned int *head = ring_at(r, r->p.cq_off.head);
	struct io_uring_cqe *cqe;
	long result;

	while (ring_empty(r))
		ring_enter(r, 1);
	cqe = (void *)ring_at(r, r->p.cq_off.cqes);
	cqe += *head & (r->p.cq_entries - 1);
	result = cqe->res;
	if (data)
		*data = cqe->user_data;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

/* One request of a ring that has no other: what it gave */
static inline long ring_once(struct ring *r, int fd, int op, void *addr, unsigned int len,
			     __u64 pos)
{
	ring_queue(r, fd, op, addr, len, pos, 0);
	ring_enter(r, 1);
	return ring_reap(r, NULL);
}

#endif
