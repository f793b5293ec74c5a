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
 * structures: every address and length, the number and type of continuation entries, the sum of the
 * lengths, and that nothing behind them was touched.
 *
 * The scatter lists have DMA addresses and lengths, and no memory behind them: builders look at
 * nothing else. The last case is the limit of a segment that the driver states.
 */
#include <kunit/test.h>
#include <linux/dmapool.h>
#include <linux/platform_device.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <scsi/scsi_host.h>

/* What QLA_DSD_MAX_LENGTH rests on */
static_assert(sizeof_field(struct dsd32, length) == sizeof(u32));
static_assert(sizeof_field(struct dsd64, length) == sizeof(u32));

#define RING_ENTRIES	128
#define MAX_ENTRY_BYTES	128
#define POISON		0xa5
#define MAX_SEGMENTS	300
#define MAX_PIECES	8192
#define LIST_DSDS	37
#define MAX_LISTS	(MAX_SEGMENTS / LIST_DSDS + 1)
#define SECTOR		512

/* What a descriptor must hold */
struct piece {
	u64 address;
	u32 length;
};

struct context {
	struct qla_hw_data *ha;
	struct scsi_qla_host *vha;
	struct req_que *req;
	struct scsi_cmnd *cmd;
	srb_t *sp;
	struct scatterlist *sgl;
	struct piece *pieces;
	struct crc_context *crc;
	struct platform_device *pdev;	/* whose memory the lists of protected commands are */
};

static void *allocate(struct kunit *test, size_t bytes)
{
	void *memory = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

/* Scatter lists: how many segments, and how long each is. */
static const struct shape {
	int from, to;		/* counts of segments that are tried */
	int nr;			/* of lengths, which are gone through again and again */
	u32 lengths[8];
} shapes[] = {
	{ 1, 1, 1, { QLA_DSD_MAX_LENGTH } }, { 256, 256, 1, { SZ_4K } }, { 1, 120, 1, { SECTOR } },
	{ 1, 300, 8, { SZ_4K, SZ_1M, SECTOR, SZ_64K + SECTOR, SZ_4M, SZ_64K, 4, SZ_2M - SECTOR } },
};

/* All shapes, each count of each, from NULL on */
static bool next_shape(const struct shape **shape, int *count)
{
	if (*shape && ++*count <= (*shape)->to)
		return true;
	*shape = *shape ? *shape + 1 : shapes;
	if (*shape == shapes + ARRAY_SIZE(shapes))
		return false;
	*count = (*shape)->from;
	return true;
}

/* Fill the command's scatter list with @count segments of @shape; each address is used once. */
static void fill(struct context *c, const struct shape *shape, int count, u64 base)
{
	u32 total = 0;
	int i;

	sg_init_table(c->sgl, count);
	for (i = 0; i < count; i++) {
		u32 length = shape->lengths[i % shape->nr];
		u64 address = base + (u64)i * (SZ_4M + SZ_4K);

		if (length == QLA_DSD_MAX_LENGTH)
			address = base & ~(u64)U32_MAX;	/* up to, not across, a 4 GiB line */
		sg_dma_address(&c->sgl[i]) = address;
		sg_dma_len(&c->sgl[i]) = length;
		c->pieces[i].address = address;
		c->pieces[i].length = length;
		total += length;
	}
	c->cmd->sdb.table.sgl = c->sgl;
	c->cmd->sdb.table.nents = count;
	c->cmd->sdb.length = total;
}

/* A command on the ring and its continuation entries, as the firmware sees them */
struct layout {
	const char *name;
	u8 entry_type, more_type;
	int first, first_offset;	/* descriptors of the command, and where they begin */
	int more, more_offset;		/* those of a continuation entry */
	bool wide;			/* 64-bit addresses */
	u32 isp_type;
	/* Return: the entries that the driver counts */
	u16 (*build)(struct context *c, void *entry, u16 dsds);
};

static void read_dsd(const u8 *dsd, bool wide, struct piece *piece)
{
	if (wide)
		piece->address = get_unaligned_le64(dsd);
	else
		piece->address = get_unaligned_le32(dsd);
	piece->length = get_unaligned_le32(dsd + (wide ? 8 : 4));
}

/* The descriptor must be that of piece @k of @count. Return: its length */
static u32 check_dsd(struct kunit *test, const u8 *dsd, bool wide, int k, int count)
{
	struct context *c = test->priv;
	struct piece got;

	read_dsd(dsd, wide, &got);
	KUNIT_ASSERT_EQ_MSG(test, got.address, c->pieces[k].address,
			    "address of piece %d of %d", k, count);
	KUNIT_ASSERT_EQ_MSG(test, got.length, c->pieces[k].length,
			    "length of piece %d of %d", k, count);
	return got.length;
}

static int entry_bytes(struct context *c)
{
	return IS_QLA29XX(c->ha) ? 128 : 64;
}

/* Entry @n of a command whose first entry is @start; the ring wraps. */
static u8 *entry(struct context *c, int start, int n)
{
	return (u8 *)c->req->ring + (start + n) % RING_ENTRIES * entry_bytes(c);
}

/* The driver's own idea of the entry that it fills next */
static u8 *position(struct context *c)
{
	return IS_QLA29XX(c->ha) ? (u8 *)c->req->ring_ext_ptr : (u8 *)c->req->ring_ptr;
}

static void set_position(struct context *c, int index)
{
	c->req->ring_index = index;
	c->req->ring_ptr = c->req->ring + index;
	c->req->ring_ext_ptr = c->req->ring_ext + index;
}

static void check_ring(struct kunit *test, const struct layout *l, int start, int count,
		       int entries)
{
	struct context *c = test->priv;
	u32 total = 0;
	int e, k, i;

	KUNIT_ASSERT_EQ(test, entries,
			1 + DIV_ROUND_UP(max(count - l->first, 0), l->more));
	KUNIT_ASSERT_EQ(test, (int)c->req->ring_index, (start + entries - 1) % RING_ENTRIES);
	KUNIT_ASSERT_PTR_EQ(test, position(c), entry(c, start, entries - 1));
	KUNIT_ASSERT_EQ(test, entry(c, start, 0)[0], l->entry_type);

	for (e = 0, k = 0; e < entries; e++) {
		const u8 *at = entry(c, start, e);
		int room = e ? l->more : l->first;

		if (e)
			KUNIT_ASSERT_EQ(test, at[0], l->more_type);
		at += e ? l->more_offset : l->first_offset;
		for (i = 0; i < room && k < count; i++, k++) {
			total += check_dsd(test, at, l->wide, k, count);
			at += l->wide ? 12 : 8;
		}
	}
	KUNIT_EXPECT_EQ(test, k, count);
	KUNIT_EXPECT_EQ(test, total, scsi_bufflen(c->cmd));
	KUNIT_EXPECT_PTR_EQ(test, (void *)NULL,
			    memchr_inv(entry(c, start, entries), POISON, entry_bytes(c)));
}

static u16 build_32(struct context *c, void *entry, u16 dsds)
{
	qla2x00_build_scsi_iocbs_32(c->sp, entry, dsds);
	return qla2x00_calc_iocbs_32(dsds);
}

static u16 build_64(struct context *c, void *entry, u16 dsds)
{
	qla2x00_build_scsi_iocbs_64(c->sp, entry, dsds);
	return qla2x00_calc_iocbs_64(dsds);
}

static u16 build_24xx(struct context *c, void *entry, u16 dsds)
{
	qla24xx_build_scsi_iocbs(c->sp, entry, dsds, c->req);
	return qla24xx_calc_iocbs(c->vha, dsds);
}

static u16 build_29xx(struct context *c, void *entry, u16 dsds)
{
	qla29xx_build_scsi_iocbs(c->sp, entry, dsds, c->req);
	return qla29xx_calc_iocbs(c->vha, dsds, 4);
}

static const struct layout layouts[] = { {
	.name = "type 2: 2100 to 2300 with 32-bit addresses", .isp_type = DT_ISP2100,
	.entry_type = 0x11, .first = 3, .first_offset = 40,
	.more_type = 0x02, .more = 7, .more_offset = 8,
	.build = build_32,
}, {
	.name = "type 3: the same with 64-bit ones", .isp_type = DT_ISP2300, .wide = true,
	.entry_type = 0x19, .first = 2, .first_offset = 40,
	.more_type = 0x0a, .more = 5, .more_offset = 4,
	.build = build_64,
}, {
	.name = "type 7: 24xx and later", .isp_type = DT_ISP2422, .wide = true,
	.entry_type = 0x18, .first = 1, .first_offset = 52,
	.more_type = 0x0a, .more = 5, .more_offset = 4,
	.build = build_24xx,
} };

static const struct layout type_7_29xx = {
	.isp_type = DT_ISP2099, .wide = true,
	.entry_type = 0x18, .first = 4, .first_offset = 80,
	.more_type = 0x0a, .more = 10, .more_offset = 8,
	.build = build_29xx,
};

static void layout_name(const struct layout *layout, char *name)
{
	strscpy(name, layout->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(layouts, layouts, layout_name);

/* Commands near the end of the ring, so that long ones wrap */
static void check_layout(struct kunit *test, const struct layout *l)
{
	struct context *c = test->priv;
	int start = RING_ENTRIES - 3, count;
	const struct shape *shape = NULL;

	c->ha->isp_type = l->isp_type;
	while (next_shape(&shape, &count)) {
		fill(c, shape, count, l->wide ? 0x1234500000000ULL : 0x10001000);
		memset(c->req->ring, POISON, RING_ENTRIES * entry_bytes(c));
		set_position(c, start);
		memset(position(c), 0, entry_bytes(c));
		check_ring(test, l, start, count, l->build(c, position(c), count));
	}
}

static void test_ring(struct kunit *test)
{
	check_layout(test, test->param_value);
}

/* The same in entries of 128 bytes */
static void test_ring_29xx(struct kunit *test)
{
	check_layout(test, &type_7_29xx);
}

/*
 * Descriptors in lists: @link points to the first of @lists; each is full but the last, the
 * descriptor behind its last one links to the next, and behind the last is an empty one.
 */
static void check_lists(struct kunit *test, const u8 *link, struct list_head *lists, int count)
{
	struct context *c = test->priv;
	struct dsd_dma *list;
	struct piece got;
	u32 total = 0;
	int k = 0, i;

	list_for_each_entry(list, lists, list) {
		int here = min(count - k, LIST_DSDS);

		KUNIT_ASSERT_GT(test, here, 0);
		read_dsd(link, true, &got);
		KUNIT_ASSERT_EQ(test, got.address, (u64)list->dsd_list_dma);
		KUNIT_ASSERT_EQ(test, got.length, (u32)(here + 1) * 12);
		link = list->dsd_addr;
		for (i = 0; i < here; i++, k++, link += 12)
			total += check_dsd(test, link, true, k, count);
	}
	KUNIT_EXPECT_EQ(test, k, count);
	KUNIT_EXPECT_EQ(test, total, scsi_bufflen(c->cmd));
	read_dsd(link, true, &got);
	KUNIT_EXPECT_EQ(test, got.address, 0ULL);
	KUNIT_EXPECT_EQ(test, got.length, 0U);
}

/* A command that links at offset @link to lists from a stock that the driver keeps */
static void check_type_6(struct kunit *test, u32 isp_type, int link,
			 int (*build)(struct srb *sp, void *cmd, u16 dsds))
{
	struct context *c = test->priv;
	const struct shape *shape = NULL;
	struct ct6_dsd *ctx = &c->sp->u.scmd.ct6_ctx;
	struct qla_qpair *stock = c->sp->qpair;
	u8 command[MAX_ENTRY_BYTES];
	struct dsd_dma *lists;
	int count, n;

	c->ha->isp_type = isp_type;
	lists = allocate(test, MAX_LISTS * sizeof(*lists));
	for (n = 0; n < MAX_LISTS; n++) {
		lists[n].dsd_list_dma = 0x700000 + n * SZ_4K;
		lists[n].dsd_addr = allocate(test, (LIST_DSDS + 1) * 12);
	}

	while (next_shape(&shape, &count)) {
		int used = DIV_ROUND_UP(count, LIST_DSDS);

		INIT_LIST_HEAD(&stock->dsd_list);
		for (n = 0; n < MAX_LISTS; n++) {
			memset(lists[n].dsd_addr, POISON, (LIST_DSDS + 1) * 12);
			list_add_tail(&lists[n].list, &stock->dsd_list);
		}
		stock->dsd_avail = MAX_LISTS;
		stock->dsd_inuse = 0;
		INIT_LIST_HEAD(&ctx->dsd_list);
		ctx->dsd_use_cnt = 0;
		memset(command, 0, sizeof(command));
		fill(c, shape, count, 0x1234500000000ULL);

		KUNIT_ASSERT_EQ(test, 0, build(c->sp, command, count));
		KUNIT_ASSERT_EQ(test, command[0], (u8)0x48);
		KUNIT_ASSERT_EQ(test, ctx->dsd_use_cnt, used);
		KUNIT_ASSERT_EQ(test, (int)stock->dsd_inuse, used);
		KUNIT_ASSERT_EQ(test, (int)stock->dsd_avail, MAX_LISTS - used);
		check_lists(test, command + link, &ctx->dsd_list, count);
	}
}

/* 82xx and later with many segments */
static int build_type_6(struct srb *sp, void *cmd, u16 dsds)
{
	return qla24xx_build_scsi_type_6_iocbs(sp, cmd, dsds);
}

static void test_type_6(struct kunit *test)
{
	check_type_6(test, DT_ISP8021, 52, build_type_6);
}

static int build_type_6_29xx(struct srb *sp, void *cmd, u16 dsds)
{
	qla29xx_build_scsi_type_6_iocbs(sp, cmd, dsds);
	return 0;
}

static void test_type_6_29xx(struct kunit *test)
{
	check_type_6(test, DT_ISP2099, 80, build_type_6_29xx);
}

/* T10-PI on 25xx and later: lists allocated as they are needed, freed with the command */
static void free_lists(struct context *c)
{
	struct dsd_dma *list, *next;

	list_for_each_entry_safe(list, next, &c->crc->dsd_list, list) {
		dma_pool_free(c->ha->dl_dma_pool, list->dsd_addr, list->dsd_list_dma);
		list_del(&list->list);
		kfree(list);
	}
}

static struct qla_tc_param protected_command(struct context *c, u8 *allocated)
{
	return (struct qla_tc_param) {
		.vha = c->vha,
		.blk_sz = SECTOR,
		.bufflen = scsi_bufflen(c->cmd),
		.sg = c->sgl,
		.ctx = c->crc,
		.ctx_dsd_alloced = allocated,
	};
}

/* Data and protection in lists of their own ("bundling"): segments as they are */
static void test_pi_pass(struct kunit *test)
{
	struct context *c = test->priv;
	const struct shape *shape = NULL;
	int count;

	while (next_shape(&shape, &count)) {
		struct qla_tc_param tc;
		u8 allocated = 0;
		u8 link[12];

		fill(c, shape, count, 0x1234500000000ULL);
		tc = protected_command(c, &allocated);
		KUNIT_ASSERT_EQ(test, 0, qla24xx_walk_and_build_sglist(c->ha, NULL, (void *)link,
								       count, &tc));
		KUNIT_ASSERT_EQ(test, allocated, (u8)1);
		check_lists(test, link, &c->crc->dsd_list, count);
		free_lists(c);
	}
}

/*
 * Insert and strip: the adapter wants the data of each block, then its eight bytes of protection.
 * Blocks that lie across two segments take one more descriptor.
 */
static int interleave(struct context *c, u64 protection)
{
	struct scatterlist *sg = c->sgl;
	u32 left = scsi_bufflen(c->cmd), in_block = SECTOR, used = 0;
	int k = 0;

	while (left) {
		u32 length = min(in_block, sg_dma_len(sg) - used);

		c->pieces[k].address = sg_dma_address(sg) + used;
		c->pieces[k++].length = length;
		left -= length;
		in_block -= length;
		used += length;
		if (used == sg_dma_len(sg)) {
			sg = sg_next(sg);
			used = 0;
		}
		if (!in_block) {
			c->pieces[k].address = protection;
			c->pieces[k++].length = 8;
			protection += 8;
			in_block = SECTOR;
		}
	}
	return k;
}

static void test_pi_strip(struct kunit *test)
{
	static const struct shape strips[] = {
		{ 1, 1, 1, { SZ_1M } }, { 256, 256, 1, { SZ_4K } },
		{ 8, 8, 2, { 100, SZ_64K - 100 } },	/* blocks in two segments */
	};
	struct context *c = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(strips); i++) {
		struct scatterlist protection;
		struct qla_tc_param tc;
		u8 allocated = 0;
		u8 link[12];
		int pieces;

		fill(c, &strips[i], strips[i].from, 0x1234500000000ULL);
		pieces = interleave(c, 0x7654300000000ULL);
		KUNIT_ASSERT_LE(test, pieces, MAX_PIECES);
		tc = protected_command(c, &allocated);
		sg_init_table(&protection, 1);
		sg_dma_address(&protection) = 0x7654300000000ULL;
		sg_dma_len(&protection) = tc.bufflen / SECTOR * 8;
		tc.prot_sg = &protection;
		KUNIT_ASSERT_EQ(test, 0,
				qla24xx_walk_and_build_sglist_no_difb(c->ha, NULL, (void *)link,
								      pieces, &tc));
		/* What the lists add up to is data and protection. */
		c->cmd->sdb.length += sg_dma_len(&protection);
		check_lists(test, link, &c->crc->dsd_list, pieces);
		free_lists(c);
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
	struct context *c = allocate(test, sizeof(*c));

	test->priv = c;
	c->ha = allocate(test, sizeof(*c->ha));
	c->vha = allocate(test, sizeof(*c->vha));
	c->req = allocate(test, sizeof(*c->req));
	c->cmd = allocate(test, sizeof(*c->cmd));
	c->sp = allocate(test, sizeof(*c->sp));
	c->sp->qpair = allocate(test, sizeof(*c->sp->qpair));
	c->sgl = allocate(test, MAX_SEGMENTS * sizeof(*c->sgl));
	c->pieces = allocate(test, MAX_PIECES * sizeof(*c->pieces));
	c->crc = allocate(test, sizeof(*c->crc));
	c->req->ring = allocate(test, RING_ENTRIES * MAX_ENTRY_BYTES);
	c->req->ring_ext = (void *)c->req->ring;
	c->req->length = RING_ENTRIES;
	c->vha->hw = c->ha;
	c->vha->req = c->req;
	c->sp->vha = c->vha;
	c->sp->u.scmd.cmd = c->cmd;
	c->cmd->sc_data_direction = DMA_FROM_DEVICE;
	INIT_LIST_HEAD(&c->crc->dsd_list);

	c->pdev = platform_device_register_simple("qla_iocb_test", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(c->pdev))
		return PTR_ERR(c->pdev);
	c->ha->dl_dma_pool = dma_pool_create("qla_iocb_test", &c->pdev->dev,
					     DSD_LIST_DMA_POOL_SIZE, 8, 0);
	return c->ha->dl_dma_pool ? 0 : -ENOMEM;
}

static void iocb_test_exit(struct kunit *test)
{
	struct context *c = test->priv;

	if (!c || IS_ERR_OR_NULL(c->pdev))
		return;
	free_lists(c);
	dma_pool_destroy(c->ha->dl_dma_pool);
	platform_device_unregister(c->pdev);
}

static struct kunit_case iocb_cases[] = {
	KUNIT_CASE_PARAM(test_ring, layouts_gen_params),
	KUNIT_CASE(test_ring_29xx),
	KUNIT_CASE(test_type_6),
	KUNIT_CASE(test_type_6_29xx),
	KUNIT_CASE(test_pi_pass),
	KUNIT_CASE(test_pi_strip),
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
