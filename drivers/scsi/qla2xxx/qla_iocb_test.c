// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the IOCB builders, included by qla_iocb.c, whose static functions it calls
 *
 * DOC: What it does
 *
 * A command for an adapter is one entry of the request ring, 64 bytes or, on 29xx, 128, with room
 * for a few data segment descriptors, followed by continuation entries with more; commands of type
 * 6 and those with protection information point to lists of 37 descriptors instead, of which each
 * ends in a link to the next. Each case gives a builder scatter lists of many shapes and reads
 * back what it wrote by byte offsets of the firmware interface, not through the driver's own
 * structures: every address and length, the number and type of continuation entries, and that
 * nothing behind them was touched.
 *
 * The scatter lists have DMA addresses and lengths, and no memory behind them: builders look at
 * nothing else. The last case is the limit of a segment that the driver states.
 */
#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/dmapool.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <scsi/scsi_host.h>

/* What QLA_DSD_MAX_LENGTH rests on */
static_assert(sizeof_field(struct dsd32, length) == sizeof(u32));
static_assert(sizeof_field(struct dsd64, length) == sizeof(u32));

#define RING_ENTRIES	128
#define START		(RING_ENTRIES - 3)	/* near the end of the ring: long commands wrap */
#define MAX_ENTRY_BYTES	128
#define POISON		0xa5
#define MAX_SEGMENTS	300
#define MAX_PIECES	8192
#define LIST_DSDS	37
#define MAX_LISTS	(MAX_SEGMENTS / LIST_DSDS + 1)
#define SECTOR		512
#define PROTECTION	0x7654300000000ULL	/* where it lies */

/* What a descriptor must hold */
struct piece {
	u64 address;
	u32 length;
};

struct context {
	struct qla_hw_data ha;
	struct scsi_qla_host vha;
	struct req_que req;
	struct qla_qpair qpair;
	struct scsi_cmnd cmd;
	srb_t sp;
	struct crc_context crc;
	struct scatterlist sgl[MAX_SEGMENTS];
	struct piece pieces[MAX_PIECES];
	int nr_pieces;
	struct list_head *lists;		/* struct dsd_dma, those of the last command */
	struct dsd_dma stock[MAX_LISTS];	/* for commands of type 6 */
	u8 stock_dsds[MAX_LISTS][(LIST_DSDS + 1) * 12];
	u8 allocated;				/* the driver says that it has allocated lists */
	u64 ring[RING_ENTRIES * MAX_ENTRY_BYTES / 8];
};

/* Scatter lists: how many segments, and how long each is. */
struct shape {
	int from, to;		/* counts of segments that are tried; 0 is the end of a table */
	int nr;			/* of lengths, which are gone through again and again */
	u32 lengths[8];
};

static const struct shape shapes[] = {
	{ 1, 1, 1, { QLA_DSD_MAX_LENGTH } }, { 256, 256, 1, { SZ_4K } }, { 1, 120, 1, { SECTOR } },
	{ 1, 300, 8, { SZ_4K, SZ_1M, SECTOR, SZ_64K + SECTOR, SZ_4M, SZ_64K, 4, SZ_2M - SECTOR } },
	{}
};

static const struct shape strip_shapes[] = {
	{ 1, 1, 1, { SZ_1M } }, { 256, 256, 1, { SZ_4K } },
	{ 8, 8, 2, { 100, SZ_64K - 100 } },	/* blocks in two segments */
	{}
};

/* A builder, and what it makes as the firmware sees it */
struct builder {
	const char *name;
	u32 isp_type;
	bool narrow;			/* 32-bit addresses */
	u8 entry_type, more_type;
	int first, first_offset;	/* descriptors of the command, and where they begin */
	int more, more_offset;		/* those of a continuation entry; 0: a link to lists */
	const struct shape *shapes;
	/* Return: the entries that the driver counts */
	u16 (*build)(struct context *c, void *entry, u16 dsds);
};

/* Fill the command's scatter list with @count segments of @shape; each address is used once. */
static void fill(struct context *c, const struct shape *shape, int count, u64 base)
{
	u32 total = 0;
	int i;

	sg_init_table(c->sgl, count);
	for (i = 0; i < count; i++) {
		struct piece *piece = c->pieces + i;

		piece->address = base + (u64)i * (SZ_4M + SZ_4K);
		piece->length = shape->lengths[i % shape->nr];
		sg_dma_address(&c->sgl[i]) = piece->address;
		sg_dma_len(&c->sgl[i]) = piece->length;
		total += piece->length;
	}
	c->nr_pieces = count;
	c->cmd.sdb.table.sgl = c->sgl;
	c->cmd.sdb.table.nents = count;
	c->cmd.sdb.length = total;
}

static u16 build_32(struct context *c, void *entry, u16 dsds)
{
	qla2x00_build_scsi_iocbs_32(&c->sp, entry, dsds);
	return qla2x00_calc_iocbs_32(dsds);
}

static u16 build_64(struct context *c, void *entry, u16 dsds)
{
	qla2x00_build_scsi_iocbs_64(&c->sp, entry, dsds);
	return qla2x00_calc_iocbs_64(dsds);
}

static u16 build_24xx(struct context *c, void *entry, u16 dsds)
{
	qla24xx_build_scsi_iocbs(&c->sp, entry, dsds, &c->req);
	return qla24xx_calc_iocbs(&c->vha, dsds);
}

static u16 build_29xx(struct context *c, void *entry, u16 dsds)
{
	qla29xx_build_scsi_iocbs(&c->sp, entry, dsds, &c->req);
	return qla29xx_calc_iocbs(&c->vha, dsds, 4);
}

/* Type 6 takes its lists from a stock that the driver keeps. */
static void fill_stock(struct context *c)
{
	struct ct6_dsd *ctx = &c->sp.u.scmd.ct6_ctx;
	int i;

	memset(c->stock_dsds, POISON, sizeof(c->stock_dsds));
	INIT_LIST_HEAD(&c->qpair.dsd_list);
	for (i = 0; i < MAX_LISTS; i++) {
		c->stock[i].dsd_list_dma = 0x700000 + i * SZ_4K;
		c->stock[i].dsd_addr = c->stock_dsds[i];
		list_add_tail(&c->stock[i].list, &c->qpair.dsd_list);
	}
	INIT_LIST_HEAD(&ctx->dsd_list);
	c->lists = &ctx->dsd_list;
}

static u16 build_type_6(struct context *c, void *entry, u16 dsds)
{
	fill_stock(c);
	return qla24xx_build_scsi_type_6_iocbs(&c->sp, entry, dsds) ? 0 : 1;
}

static u16 build_type_6_29xx(struct context *c, void *entry, u16 dsds)
{
	fill_stock(c);
	qla29xx_build_scsi_type_6_iocbs(&c->sp, entry, dsds);
	return 1;
}

/* T10-PI on 25xx and later: lists allocated as they are needed, freed with the command */
static void free_lists(struct context *c)
{
	struct dsd_dma *list, *next;

	list_for_each_entry_safe(list, next, &c->crc.dsd_list, list) {
		dma_pool_free(c->ha.dl_dma_pool, list->dsd_addr, list->dsd_list_dma);
		list_del(&list->list);
		kfree(list);
	}
}

static struct qla_tc_param protected_command(struct context *c)
{
	free_lists(c);
	c->lists = &c->crc.dsd_list;
	c->allocated = 0;
	return (struct qla_tc_param) {
		.vha = &c->vha,
		.blk_sz = SECTOR,
		.bufflen = scsi_bufflen(&c->cmd),
		.sg = c->sgl,
		.ctx = &c->crc,
		.ctx_dsd_alloced = &c->allocated,
	};
}

/* Data and protection in lists of their own ("bundling"): segments as they are */
static u16 build_pi_pass(struct context *c, void *entry, u16 dsds)
{
	struct qla_tc_param tc = protected_command(c);

	return qla24xx_walk_and_build_sglist(&c->ha, NULL, entry + 8, dsds, &tc) ? 0 : c->allocated;
}

/*
 * Insert and strip: the adapter wants the data of each block, then its eight bytes of protection.
 * Blocks that lie across two segments take one more descriptor.
 */
static void interleave(struct context *c)
{
	u32 left = scsi_bufflen(&c->cmd), in_block = SECTOR, used = 0;
	struct scatterlist *sg = c->sgl;
	struct piece *piece = c->pieces;
	u64 protection = PROTECTION;

	while (left) {
		u32 length = min(in_block, sg_dma_len(sg) - used);

		*piece++ = (struct piece){ sg_dma_address(sg) + used, length };
		left -= length;
		in_block -= length;
		used += length;
		if (used == sg_dma_len(sg)) {
			sg = sg_next(sg);
			used = 0;
		}
		if (!in_block) {
			*piece++ = (struct piece){ protection, 8 };
			protection += 8;
			in_block = SECTOR;
		}
	}
	c->nr_pieces = piece - c->pieces;
}

static u16 build_pi_strip(struct context *c, void *entry, u16 dsds)
{
	struct qla_tc_param tc = protected_command(c);
	struct scatterlist protection;

	interleave(c);
	sg_init_table(&protection, 1);
	sg_dma_address(&protection) = PROTECTION;
	sg_dma_len(&protection) = tc.bufflen / SECTOR * 8;
	tc.prot_sg = &protection;
	return qla24xx_walk_and_build_sglist_no_difb(&c->ha, NULL, entry + 8, c->nr_pieces, &tc) ?
		0 : c->allocated;
}

static const struct builder builders[] = { {
	.name = "type 2: 2100 to 2300 with 32-bit addresses", .isp_type = DT_ISP2100,
	.narrow = true, .entry_type = 0x11, .first = 3, .first_offset = 40,
	.more_type = 0x02, .more = 7, .more_offset = 8,
	.shapes = shapes, .build = build_32,
}, {
	.name = "type 3: the same with 64-bit ones", .isp_type = DT_ISP2300,
	.entry_type = 0x19, .first = 2, .first_offset = 40,
	.more_type = 0x0a, .more = 5, .more_offset = 4,
	.shapes = shapes, .build = build_64,
}, {
	.name = "type 7: 24xx and later", .isp_type = DT_ISP2422,
	.entry_type = 0x18, .first = 1, .first_offset = 52,
	.more_type = 0x0a, .more = 5, .more_offset = 4,
	.shapes = shapes, .build = build_24xx,
}, {
	.name = "type 7: 29xx", .isp_type = DT_ISP2099,
	.entry_type = 0x18, .first = 4, .first_offset = 80,
	.more_type = 0x0a, .more = 10, .more_offset = 8,
	.shapes = shapes, .build = build_29xx,
}, {
	.name = "type 6: 82xx and later with many segments", .isp_type = DT_ISP8021,
	.entry_type = 0x48, .first_offset = 52, .shapes = shapes, .build = build_type_6,
}, {
	.name = "type 6: 29xx", .isp_type = DT_ISP2099,
	.entry_type = 0x48, .first_offset = 80, .shapes = shapes, .build = build_type_6_29xx,
}, {	/* What follows makes the lists of a command alone. */
	.name = "protection in lists of its own",
	.first_offset = 8, .shapes = shapes, .build = build_pi_pass,
}, {
	.name = "protection behind each block",
	.first_offset = 8, .shapes = strip_shapes, .build = build_pi_strip,
} };

static void builder_name(const struct builder *b, char *name)
{
	strscpy(name, b->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(builders, builders, builder_name);

static int entry_bytes(struct context *c)
{
	return IS_QLA29XX(&c->ha) ? 128 : 64;
}

/* Entry @n of a command; the ring wraps. */
static u8 *entry(struct context *c, int n)
{
	return (u8 *)c->ring + (START + n) % RING_ENTRIES * entry_bytes(c);
}

/* The driver's own idea of the entry that it fills next */
static u8 *position(struct context *c)
{
	return IS_QLA29XX(&c->ha) ? (u8 *)c->req.ring_ext_ptr : (u8 *)c->req.ring_ptr;
}

static void read_dsd(const u8 *dsd, bool narrow, struct piece *piece)
{
	piece->address = narrow ? get_unaligned_le32(dsd) : get_unaligned_le64(dsd);
	piece->length = get_unaligned_le32(dsd + (narrow ? 4 : 8));
}

/* The @room descriptors from @dsd on, but no more than are left, are those of pieces from @k on. */
static const u8 *check_dsds(struct kunit *test, const u8 *dsd, bool narrow, int room, int *k)
{
	struct context *c = test->priv;
	struct piece got;

	for (; room && *k < c->nr_pieces; room--, ++*k, dsd += narrow ? 8 : 12) {
		read_dsd(dsd, narrow, &got);
		KUNIT_ASSERT_EQ_MSG(test, got.address, c->pieces[*k].address,
				    "address of piece %d of %d", *k, c->nr_pieces);
		KUNIT_ASSERT_EQ_MSG(test, got.length, c->pieces[*k].length,
				    "length of piece %d of %d", *k, c->nr_pieces);
	}
	return dsd;
}

static void check_ring(struct kunit *test, const struct builder *b, int entries)
{
	struct context *c = test->priv;
	int e, k = 0;

	KUNIT_ASSERT_EQ(test, entries,
			1 + DIV_ROUND_UP(max(c->nr_pieces - b->first, 0), b->more));
	check_dsds(test, entry(c, 0) + b->first_offset, b->narrow, b->first, &k);
	for (e = 1; e < entries; e++) {
		KUNIT_ASSERT_EQ(test, entry(c, e)[0], b->more_type);
		check_dsds(test, entry(c, e) + b->more_offset, b->narrow, b->more, &k);
	}
}

/*
 * @link points to the first of the lists; each is full but the last, the descriptor behind its last
 * one links to the next, and behind the last is an empty one.
 */
static void check_lists(struct kunit *test, const u8 *link)
{
	struct context *c = test->priv;
	struct dsd_dma *list;
	struct piece got;
	int k = 0;

	list_for_each_entry(list, c->lists, list) {
		int here = min(c->nr_pieces - k, LIST_DSDS);

		KUNIT_ASSERT_GT(test, here, 0);
		read_dsd(link, false, &got);
		KUNIT_ASSERT_EQ(test, got.address, (u64)list->dsd_list_dma);
		KUNIT_ASSERT_EQ(test, got.length, (u32)(here + 1) * 12);
		link = check_dsds(test, list->dsd_addr, false, here, &k);
	}
	KUNIT_EXPECT_EQ(test, k, c->nr_pieces);
	read_dsd(link, false, &got);
	KUNIT_EXPECT_EQ(test, got.address, 0ULL);
	KUNIT_EXPECT_EQ(test, got.length, 0U);
}

static void build_and_check(struct kunit *test, const struct builder *b, int dsds)
{
	struct context *c = test->priv;
	int entries;

	memset(c->ring, POISON, sizeof(c->ring));
	c->req.ring_index = START;
	c->req.ring_ptr = c->req.ring + START;
	c->req.ring_ext_ptr = c->req.ring_ext + START;
	memset(position(c), 0, entry_bytes(c));
	entries = b->build(c, position(c), dsds);

	KUNIT_ASSERT_EQ(test, entry(c, 0)[0], b->entry_type);
	if (b->more) {
		check_ring(test, b, entries);
	} else {
		KUNIT_ASSERT_EQ(test, entries, 1);
		check_lists(test, entry(c, 0) + b->first_offset);
	}
	KUNIT_EXPECT_EQ(test, (int)c->req.ring_index, (START + entries - 1) % RING_ENTRIES);
	KUNIT_EXPECT_PTR_EQ(test, position(c), entry(c, entries - 1));
	KUNIT_EXPECT_PTR_EQ(test, (void *)NULL,
			    memchr_inv(entry(c, entries), POISON, entry_bytes(c)));
}

static void test_builder(struct kunit *test)
{
	const struct builder *b = test->param_value;
	struct context *c = test->priv;
	const struct shape *shape;
	int count;

	c->ha.isp_type = b->isp_type;
	for (shape = b->shapes; shape->from; shape++)
		for (count = shape->from; count <= shape->to; count++) {
			fill(c, shape, count, b->narrow ? 0 : 0x1234500000000ULL);
			build_and_check(test, b, count);
		}
}

static void test_limit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, qla2xxx_driver_template.max_segment_size, QLA_DSD_MAX_LENGTH);
	/* 0: the SCSI core's own, which keeps a segment between two 4 GiB lines */
	KUNIT_EXPECT_EQ(test, qla2xxx_driver_template.dma_boundary, 0UL);
}

static int iocb_test_init(struct kunit *test)
{
	struct context *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct device *dev = kunit_device_register(test, "qla_iocb_test");

	if (!c || IS_ERR(dev))
		return -ENOMEM;
	test->priv = c;
	c->req.ring = (void *)c->ring;
	c->req.ring_ext = (void *)c->ring;
	c->req.length = RING_ENTRIES;
	c->vha.hw = &c->ha;
	c->vha.req = &c->req;
	c->sp.vha = &c->vha;
	c->sp.qpair = &c->qpair;
	c->sp.u.scmd.cmd = &c->cmd;
	c->cmd.sc_data_direction = DMA_FROM_DEVICE;
	INIT_LIST_HEAD(&c->crc.dsd_list);

	c->ha.dl_dma_pool = dmam_pool_create("qla_iocb_test", dev, DSD_LIST_DMA_POOL_SIZE, 8, 0);
	return c->ha.dl_dma_pool ? 0 : -ENOMEM;
}

static void iocb_test_exit(struct kunit *test)
{
	if (test->priv)
		free_lists(test->priv);
}

static struct kunit_case iocb_cases[] = {
	KUNIT_CASE_PARAM(test_builder, builders_gen_params),
	KUNIT_CASE(test_limit),
	{}
};

static struct kunit_suite iocb_suite = {
	.name = "qla2xxx_iocb",
	.init = iocb_test_init,
	.exit = iocb_test_exit,
	.test_cases = iocb_cases,
};

kunit_test_suite(iocb_suite);
