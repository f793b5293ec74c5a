// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: many requests at once
 */
#define _GNU_SOURCE
#include <sys/eventfd.h>
#include <sys/wait.h>
#include "raw_io.h"

#define DEPTH 512

static size_t slot_limit = 128 * KIB;

/* Cut the disk into DEPTH slots, each with a request of its own size. */
static size_t slot_size(void)
{
	size_t size = disk_size / DEPTH / block * block;

	return size > slot_limit ? slot_limit : size;
}

static size_t slot_len(unsigned int i)
{
	return (1 + i * 7 % (slot_size() / block)) * block;
}

static void try_aio(aio_context_t ctx, char *mem, int write, unsigned int gen, int notify)
{
	size_t slot = slot_size();
	struct io_event events[DEPTH];
	struct iocb cbs[DEPTH], *list[DEPTH];
	__u64 count, total = 0;
	unsigned int i;

	for (i = 0; i < DEPTH; i++) {
		char *buf = mem + i * slot;

		list[i] = &cbs[i];
		fill(buf, slot, i * slot, write ? gen : 0);
		aio_prepare(&cbs[i], raw_fd, write, buf, slot_len(i), i * slot);
		cbs[i].aio_flags = IOCB_FLAG_RESFD;
		cbs[i].aio_resfd = notify;
	}
	trying("%d requests, %s", DEPTH, rw_name(write));
	aio_submit(ctx, list, DEPTH);
	aio_reap(ctx, events, DEPTH, DEPTH, NULL);
	for (i = 0; i < DEPTH; i++) {
		struct iocb *cb = (struct iocb *)(uintptr_t)events[i].data;

		expect(events[i].res, cb->aio_nbytes, "one of them");
		cb->aio_data = 0;
	}
	for (i = 0; i < DEPTH; i++) {
		if (cbs[i].aio_data)
			die("request %u was not completed", i);
		if (!write)
			check(mem + i * slot, slot_len(i), i * slot, gen, "what was read");
	}
	while (total < DEPTH) {
		if (read(notify, &count, sizeof(count)) != sizeof(count))
			die("eventfd: %s", strerror(errno));
		total += count;
	}
	if (total != DEPTH)
		die("eventfd counted %llu", (unsigned long long)total);
}

static void case_aio(void)
{
	size_t slot = slot_size();
	char *mem = get_memory(slot * DEPTH);
	aio_context_t ctx = aio_setup(DEPTH);
	int notify = eventfd(0, 0);
	struct iocb cb;
	unsigned int i;

	disk_fill(0, slot * DEPTH, 1);
	try_aio(ctx, mem, 0, 1, notify);
	try_aio(ctx, mem, 1, 2, notify);
	for (i = 0; i < DEPTH; i++) {
		disk_check(i * slot, slot_len(i), 2, "what was written");
		disk_check(i * slot + slot_len(i), slot - slot_len(i), 1, "what is behind it");
	}
	trying("fsync");
	aio_prepare(&cb, raw_fd, 0, NULL, 0, 0);
	cb.aio_lio_opcode = IOCB_CMD_FSYNC;
	expect(aio_one(&cb), 0, "IOCB_CMD_FSYNC");

	/* Freed while in flight: the kernel must wait for the disk, not for us. */
	trying("io_destroy with requests in flight");
	for (i = 0; i < 16; i++) {
		struct iocb *list = &cb;

		aio_prepare(&cb, raw_fd, 0, mem + i * slot, slot, i * slot);
		aio_submit(ctx, &list, 1);
	}
	if (syscall(SYS_io_destroy, ctx))
		die("io_destroy: %s", strerror(errno));
}

/* As many io_uring requests as the ring takes, of either kind of buffer. */
static void try_uring(struct ring *r, char *mem, int write, int fixed, unsigned int gen)
{
	int op = write ? IORING_OP_WRITE : IORING_OP_READ;
	char seen[DEPTH] = { 0 };
	size_t slot = slot_size();
	unsigned int i;
	__u64 index;
	long ret;

	trying("%d requests, %s%s", DEPTH, rw_name(write), fixed ? ", registered memory" : "");
	if (fixed)
		op = write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
	for (i = 0; i < DEPTH; i++) {
		fill(mem + i * slot, slot, i * slot, write ? gen : 0);
		ring_queue(r, raw_fd, op, mem + i * slot, slot_len(i), i * slot, i);
	}
	ring_enter(r, 1);
	for (i = 0; i < DEPTH; i++) {
		ret = ring_reap(r, &index);
		if (index >= DEPTH || seen[index]++)
			die("completion of request %llu came twice", (unsigned long long)index);
		expect(ret, slot_len(index), "one of them");
	}
	for (i = 0; i < DEPTH; i++) {
		if (write)
			disk_check(i * slot, slot_len(i), gen, "what was written");
		else
			check(mem + i * slot, slot_len(i), i * slot, gen, "what was read");
	}
}

/* Registered memory of 3 MiB in one request, from anywhere in it. */
static void try_fixed_big(struct ring *r, char *mem, size_t room)
{
	size_t len = 3 * MIB < room / 2 ? 3 * MIB : room / 2 / block * block;
	size_t offsets[] = { 0, PAGE, 3 * PAGE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		trying("registered memory, %zu bytes at offset %zu", len, offsets[i]);
		disk_fill(0, len, i + 1);
		memset(mem, 0xa5, offsets[i] + len + PAGE);
		ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem + offsets[i], len, 0, 0);
		ring_enter(r, 1);
		expect(ring_reap(r, NULL), len, "read");
		check(mem + offsets[i], len, 0, i + 1, "what was read");
		check_bytes((unsigned char *)mem, offsets[i], 0xa5, "memory before it");
		check_bytes((unsigned char *)mem + offsets[i] + len, PAGE, 0xa5,
			    "memory behind it");
		fill(mem + offsets[i], len, 0, i + 11);
		ring_queue(r, raw_fd, IORING_OP_WRITE_FIXED, mem + offsets[i], len, 0, 0);
		ring_enter(r, 1);
		expect(ring_reap(r, NULL), len, "write");
		disk_check(0, len, i + 11, "what was written");
	}
	trying("registered memory at the end of the disk");
	disk_fill(disk_size - block, block, 5);
	ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem, 4 * block, disk_size - block, 0);
	ring_enter(r, 1);
	expect(ring_reap(r, NULL), block, "read across the end");
	check(mem, block, disk_size - block, 5, "what was read");
	ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem, 4 * block, disk_size, 0);
	ring_enter(r, 1);
	expect(ring_reap(r, NULL), 0, "read at the end");
	ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem, block / 2, 0, 0);
	ring_enter(r, 1);
	expect(ring_reap(r, NULL), -EINVAL, "read of half a block");
}

static void run_rings(unsigned int flags)
{
	size_t room = slot_size() * DEPTH;
	char *mem = get_memory(room + 4 * PAGE);
	struct iovec iov = { mem, room + 4 * PAGE };
	struct ring ring;

	ring_setup(&ring, DEPTH, flags);
	ring_register(&ring, &iov, 1);
	disk_fill(0, room, 1);
	try_uring(&ring, mem, 0, 0, 1);
	try_uring(&ring, mem, 1, 0, 2);
	disk_fill(0, room, 3);
	try_uring(&ring, mem, 0, 1, 3);
	try_uring(&ring, mem, 1, 1, 4);
	if (!flags)
		try_fixed_big(&ring, mem, room);
	close(ring.fd);
}

static void case_uring(void)
{
	run_rings(0);
	trying("fsync");
	expect(ring_one(IORING_OP_FSYNC, NULL, 0, 0), 0, "IORING_OP_FSYNC");
}

/*
 * Polled completions, of more requests than the disk takes at a time. Each fits one request of the
 * disk: io_uring of 6.1 tries for ever what would have to be split.
 */
static void case_poll(void)
{
	if (!queue_attr("io_poll", 0))
		skip("%s cannot be polled", blk_name);
	slot_limit = 32 * KIB;
	raw_fd = open_node(raw_name, O_RDWR | O_DIRECT);
	run_rings(IORING_SETUP_IOPOLL);
}

/* One process of case_procs: keeps many requests in flight on its own slots of the disk. */
static void hammer(unsigned int self, unsigned int procs)
{
	enum { NR = 16, ROUNDS = 20 };
	size_t slot = slot_size();
	char *mem = get_memory(NR * slot);
	aio_context_t ctx = aio_setup(NR);
	struct io_event events[NR];
	struct iocb cbs[NR], *list[NR];
	unsigned int i, round, write;
	__u64 pos;

	for (round = 0; round < ROUNDS; round++) {
		for (write = 2; write-- > 0; ) {
			for (i = 0; i < NR; i++) {
				pos = (i * procs + self) * slot;
				list[i] = &cbs[i];
				fill(mem + i * slot, slot, pos, write ? 100 * self + round : 0);
				aio_prepare(&cbs[i], raw_fd, write, mem + i * slot, slot, pos);
			}
			trying("process %u, round %u, %s", self, round, rw_name(write));
			aio_submit(ctx, list, NR);
			aio_reap(ctx, events, NR, NR, NULL);
			for (i = 0; i < NR; i++)
				expect(events[i].res, slot, "a request");
		}
		for (i = 0; i < NR; i++)
			check(mem + i * slot, slot, (i * procs + self) * slot, 100 * self + round,
			      "what was read");
	}
}

static void wait_all(unsigned int procs)
{
	int status, bad = 0;

	while (procs--) {
		if (wait(&status) < 0)
			die("wait: %s", strerror(errno));
		bad |= status;
	}
	if (bad)
		exit(EXIT_FAILURE);	/* the child has said why */
}

static void case_procs(void)
{
	enum { PROCS = 8 };
	unsigned int i;

	for (i = 0; i < PROCS; i++) {
		if (fork())
			continue;
		/* Half of them share the file, half have their own. */
		if (i % 2) {
			raw_fd = open_raw(O_RDWR);
			if (raw_fd < 0)
				die("open: %s", strerror(errno));
		}
		alarm(TIME_LIMIT);
		hammer(i, PROCS);
		exit(0);
	}
	wait_all(PROCS);
}

/* BLOCKDEV holds reads back. Requests are sent, not carried out, by the calls that send them. */
static void case_async(void)
{
	enum { NR = 8 };
	char *mem = get_memory(NR * MAX_IO);
	aio_context_t ctx = aio_setup(NR);
	struct timespec none = { 0 };
	struct io_event events[NR];
	struct iocb cbs[NR], *list[NR];
	struct ring ring;
	unsigned int i, k;

	disk_fill(0, MAX_IO, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		trying("aio, %zu bytes", sizes[i]);
		for (k = 0; k < NR; k++) {
			list[k] = &cbs[k];
			aio_prepare(&cbs[k], raw_fd, 0, mem + k * MAX_IO, sizes[i], 0);
		}
		aio_submit(ctx, list, NR);
		if (aio_reap(ctx, events, 0, NR, &none) == NR)
			die("io_submit returned when all was read");
		while (k)
			k -= aio_reap(ctx, events, 1, k, NULL);
		for (k = 0; k < NR; k++)
			check(mem + k * MAX_IO, sizes[i], 0, 1, "what was read");
	}

	ring_setup(&ring, NR, 0);
	trying("io_uring");
	memset(mem, 0, NR * MAX_IO);
	for (k = 0; k < NR; k++)
		ring_queue(&ring, raw_fd, IORING_OP_READ, mem + k * MAX_IO, 1 * MIB, 0, k);
	ring_enter(&ring, 0);
	if (!ring_empty(&ring))
		die("io_uring_enter returned when a request was done");
	for (k = 0; k < NR; k++)
		expect(ring_reap(&ring, NULL), 1 * MIB, "a request");
	for (k = 0; k < NR; k++)
		check(mem + k * MAX_IO, 1 * MIB, 0, 1, "what was read");
}

const struct raw_case many_cases[] = {
	{ "aio", case_aio, NULL },
	{ "uring", case_uring, NULL },
	{ "poll", case_poll, NULL },
	{ "procs", case_procs, NULL },
	{ "async", case_async, NULL },
	{ }
};
