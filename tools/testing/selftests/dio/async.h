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

static inline void aio_prepare(struct iocb *cb, int fd, int write, void *buf, size_t len,
			       __u64 pos)
{
	*cb = (struct iocb) {
		.aio_lio_opcode = write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
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
 * Events, as io_getevents() gives them. An io_uring that was closed interrupts later: the kernel
 * makes whoever used it forget it, by what looks like a signal to a task that waits.
 */
static inline long aio_wait(aio_context_t ctx, struct io_event *events, long min, long max,
			    struct timespec *limit)
{
	long ret;

	do {
		ret = syscall(SYS_io_getevents, ctx, min, max, events, limit);
	} while (ret < 0 && errno == EINTR);
	return sys_result(ret);
}

static inline int aio_reap(aio_context_t ctx, struct io_event *events, long min, long max,
			   struct timespec *limit)
{
	long ret = aio_wait(ctx, events, min, max, limit);

	if (ret < min)
		async_die("io_getevents gave %s, not %ld", result_name(ret), min);
	return ret;
}

/* One request, with a context of its own: what it gave */
static inline long aio_once(int fd, int write, void *buf, size_t len, __u64 pos)
{
	static aio_context_t ctx;
	struct io_event event;
	struct iocb cb, *cbs = &cb;

	if (!ctx)
		ctx = aio_setup(1);
	aio_prepare(&cb, fd, write, buf, len, pos);
	aio_submit(ctx, &cbs, 1);
	aio_reap(ctx, &event, 1, 1, NULL);
	return event.res;
}

/* Until @pid, a child, sleeps and cannot be woken, for want of a disk, say; 0 if it has ended */
static inline int wait_until_it_waits(pid_t pid)
{
	char path[40], text[400];
	ssize_t len;
	int stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		stat = open(path, O_RDONLY);
		len = stat < 0 ? -1 : read(stat, text, sizeof(text) - 1);
		if (len < 0)
			async_die("%s: %s", path, strerror(errno));
		close(stat);
		text[len] = 0;
		if (strstr(text, ") Z "))
			return 0;
	} while (!strstr(text, ") D "));
	return 1;
}

struct ring {
	int fd, wide;		/* wide: with entries of 128 bytes */
	unsigned int queued;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static inline void *ring_map(int fd, size_t len, off_t what)
{
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);

	if (mem == MAP_FAILED)
		async_die("io_uring cannot be mapped");
	return mem;
}

static inline void ring_setup(struct ring *r, unsigned int depth, unsigned int flags)
{
	struct io_uring_params p = { .flags = flags };
	char *sq, *cq;

	r->fd = syscall(SYS_io_uring_setup, depth, &p);
	if (r->fd < 0)
		die(ASYNC_NONE, "no io_uring: %s", strerror(errno));
	r->queued = 0;
	r->wide = !!(flags & IORING_SETUP_SQE128);
	sq = ring_map(r->fd, p.sq_off.array + p.sq_entries * sizeof(unsigned int),
		      IORING_OFF_SQ_RING);
	cq = ring_map(r->fd, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	r->sqes = ring_map(r->fd, p.sq_entries * sizeof(struct io_uring_sqe) << r->wide,
			   IORING_OFF_SQES);
	r->sq_tail = (unsigned int *)(sq + p.sq_off.tail);
	r->sq_mask = (unsigned int *)(sq + p.sq_off.ring_mask);
	r->sq_array = (unsigned int *)(sq + p.sq_off.array);
	r->cq_head = (unsigned int *)(cq + p.cq_off.head);
	r->cq_tail = (unsigned int *)(cq + p.cq_off.tail);
	r->cq_mask = (unsigned int *)(cq + p.cq_off.ring_mask);
	r->cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
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
	unsigned int tail = *r->sq_tail, index = tail & *r->sq_mask;
	struct io_uring_sqe *sqe = &r->sqes[index << r->wide];

	*sqe = (struct io_uring_sqe) {
		.opcode = op,
		.fd = fd,
		.addr = (uintptr_t)addr,
		.len = len,
		.off = pos,
		.user_data = data,
	};
	r->sq_array[index] = index;
	__atomic_store_n(r->sq_tail, tail + 1, __ATOMIC_RELEASE);
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
	return *r->cq_head == __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE);
}

/* The next completion; asks the kernel (and polls the disk, if that is the ring's way). */
static inline long ring_reap(struct ring *r, __u64 *data)
{
	struct io_uring_cqe *cqe;
	long result;

	while (ring_empty(r))
		ring_enter(r, 1);
	cqe = &r->cqes[*r->cq_head & *r->cq_mask];
	result = cqe->res;
	if (data)
		*data = cqe->user_data;
	__atomic_store_n(r->cq_head, *r->cq_head + 1, __ATOMIC_RELEASE);
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
