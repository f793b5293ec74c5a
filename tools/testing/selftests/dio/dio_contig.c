// SPDX-License-Identifier: GPL-2.0
/*
 * Read 1 MiB of a disk with O_DIRECT into memory that is physically contiguous, where there are
 * neither huge pages nor large folios: the ring of a packet socket, which the kernel allocates as
 * one block.
 *
 *	dio_contig DEVICE
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

#define BYTES	1048576U	/* 1 MiB */

int main(int argc, char **argv)
{
	struct tpacket_req ring = {
		.tp_block_size = BYTES, .tp_block_nr = 1, .tp_frame_size = 4096, .tp_frame_nr = 256,
	};
	void *memory;
	ssize_t got;
	int sock, fd;

	help_if_asked(argc, argv, "usage: dio_contig DEVICE");
	if (argc != 2 || argv[1][0] == '-')
		die(2, "usage: dio_contig DEVICE");
	sock = socket(AF_PACKET, SOCK_RAW, 0);
	if (sock < 0 || setsockopt(sock, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		die(4, "no ring of a packet socket: %s", strerror(errno));
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, sock, 0);
	if (memory == MAP_FAILED)
		die(4, "the ring cannot be mapped: %s", strerror(errno));
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	if (fd < 0)
		die(1, "%s: %s", argv[1], strerror(errno));
	got = read(fd, memory, BYTES);
	if (got != BYTES)
		die(1, "%s: read %zd of %u bytes: %s", argv[1], got, BYTES, strerror(errno));
	return 0;
}
