// SPDX-License-Identifier: GPL-2.0
/*
 * Read 1 MiB of a disk with O_DIRECT into memory that is physically contiguous, where there are
 * neither huge pages nor large folios: the ring of a packet socket, which the kernel allocates as
 * one block. It prints the nanoseconds that a read took.
 *
 *	dio_contig [n=READS] DEVICE
 *
 * Exit status: 0 read; 1 not; 2 usage; 4 no such memory here.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_packet.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROGRAM	"dio_contig"
#include "words.h"
#include "load.h"

#define BYTES	1048576U	/* 1 MiB */

static unsigned long long reads = 1;
static const struct word words[] = { { .name = "n=", .number = &reads }, { .name = NULL } };
static const char usage[] = "usage: dio_contig [n=READS] DEVICE";

/* The ring of a packet socket, which lives as long as this program. */
static void *contiguous(void)
{
	struct tpacket_req ring = {
		.tp_block_size = BYTES, .tp_block_nr = 1, .tp_frame_size = 4096, .tp_frame_nr = 256,
	};
	int sock = socket(AF_PACKET, SOCK_RAW, 0);
	void *memory;

	if (sock < 0 || setsockopt(sock, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		die(4, "no ring of a packet socket: %s", strerror(errno));
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, sock, 0);
	if (memory == MAP_FAILED)
		die(4, "the ring cannot be mapped: %s", strerror(errno));
	return memory;
}

int main(int argc, char **argv)
{
	const char *device = NULL;
	unsigned long long n, start;
	void *memory;
	ssize_t got;
	int fd;

	parse_words(argc, argv, usage, words, &device, 1);
	if (!device || !reads)
		die(EXIT_USAGE, "%s", usage);
	memory = contiguous();
	fd = open(device, O_RDONLY | O_DIRECT);
	if (fd < 0)
		die(1, "%s: %s", device, strerror(errno));
	start = now_ns();
	for (n = 0; n < reads; n++) {
		got = pread(fd, memory, BYTES, 0);
		if (got != BYTES)
			die(1, "%s: read %zd of %u bytes: %s", device, got, BYTES, strerror(errno));
	}
	printf("%llu\n", (now_ns() - start) / reads);
	return 0;
}
