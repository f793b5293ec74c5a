/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A case: one direct I/O, and the world it meets. All that happens is drawn from one source of
 * numbers (a seeded generator, or a fuzzer's bytes), so that a case can be had again.
 */
#ifndef WORLD_H
#define WORLD_H

#define NR_SECTORS	24576		/* of the disks */
#define FILE_SECTORS	4096		/* at most, of a file */
#define NR_PAGES	1024		/* of memory */
#define MAX_SEGS	8
#define MAX_BIOS	4096
#define USER_BASE	0x100000UL	/* user addresses */
#define VMALLOC_BASE	0x900000UL	/* kernel addresses for the same pages */
#define NEVER		(-1)

struct source {
	u64 state;
	const u8 *bytes;
	size_t left;
	bool fuzz;
};

enum memory_kind { USER_UBUF, USER_IOVEC, KERNEL_BVEC, KERNEL_KVEC, KERNEL_VMALLOC, A_PIPE };
enum hole_report { HOLE_SILENT, HOLE_LENGTH, HOLE_ZERO };	/* what get_block says in b_size */
enum timing { AT_ONCE, SOON, LATE };	/* when bios end */

/* A block of the file */
struct block {
	unsigned int where;	/* on the disks, in blocks: now, or once it is allocated */
	bool hole;
	bool boundary;		/* metadata that lies behind it is read next */
};

/* What get_block answers */
struct mapping {
	bool mapped, fresh, boundary;
	size_t blocks;
	unsigned int where;
};

struct segment {
	unsigned int start, len;	/* addresses and bytes; start counts from 0 */
};

struct dio_case {
	/* the request */
	unsigned int priority, hint;
	bool write, async, nowait, dsync, locking, skip_holes, has_end_io, has_bdev;
	enum memory_kind memory;
	bool nofault;
	size_t pos, count;
	struct segment segs[MAX_SEGS];
	unsigned int nr_segs;
	/* the file */
	unsigned int blkbits, lbits;
	size_t i_size;
	struct block blocks[FILE_SECTORS];
	size_t i_size_before;	/* until the inode lock is had: somebody else had it */
	unsigned int nr_blocks, max_map;
	unsigned int second_disk, disk_sectors;	/* where the second disk begins, where it ends */
	enum hole_report report;
	bool defer;
	bool cached;
	/* memory: which page is behind an address, and of which kind */
	unsigned int nr_pages, page_of[NR_PAGES];
	bool endless;			/* they repeat themselves */
	bool readonly[NR_PAGES], absent[NR_PAGES];
	unsigned int folio;		/* its pages, in order of frames */
	unsigned int section;		/* the page whose frame does not follow the one before */
	bool xen, kmsan;
	/* what fails: the how-manieth call, or NEVER */
	int map_fails, bio_fails, bio_fails_too;
	int map_error, write_back_error, end_io_error;
	bool wq_fails, bio_again, memory_tight, none_is_zero;
	bool busy;		/* IOCB_NOWAIT finds the inode locked */
	bool soiled;		/* ... or cached data in the way */
	/* when things happen */
	enum timing timing;
	u8 poison;
};

/* A bio that was submitted, or should be */
struct bio_record {
	unsigned int sector, bytes, vecs;
	bool failed;
};

struct record {
	unsigned int nr_bios;
	int get_blocks, works;
	size_t cleaned;			/* blocks: of old aliases */
	u64 private;
	ssize_t ret, end_io_bytes;
	loff_t ki_pos;
	bool queued, waited, end_io_called;
	bool dirty[NR_PAGES];		/* written to by the disk, and said so */
	/* Not cleared before a run */
	struct bio_record bios[MAX_BIOS];
	struct block blocks[FILE_SECTORS];
	u64 disk[NR_SECTORS];
	char memory[NR_PAGES][PAGE_SIZE];
};

extern struct source source;
extern struct dio_case c;
extern struct record got;

u64 pick(u64 below);
bool chance(unsigned int one_in);

void draw_case(void);
struct mapping map_blocks(struct block *blocks, unsigned int block, size_t want, bool create);
u64 old_data(unsigned int sector);
void fill_memory(char (*memory)[PAGE_SIZE]);
int page_at(unsigned int addr, bool write_to);
unsigned int memory_bits(void);

/* world.c: the real engine does not begin without memory */
void check_boot(void);
/* ... runs on the case, and leaves what it did in @got */
void run_case(void);
/* ... with another file system */
void run_request(get_block_t *map);

/* If set: in place of moving data */
extern void (*on_bio)(struct bio *bio);
extern struct block_device disks[2];

/* reference.c: what the engine ought to do with the case; wrong() if @got differs */
void check_case(void);

#endif
