// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what can be tested alone in fs/direct-io.c, which includes this file: how memory
 * goes into a bio, how many bio_vecs are asked for, and what iterators give. Whole requests are
 * tested in tools/testing/dio.
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/* Pages enough to have some side by side and some not */
#define DIO_TEST_ORDER	3
#define DIO_TEST_VECS	4

struct dio_test {
	struct page *pages;	/* side by side */
	struct dio dio;
	struct dio_cursor cur;
	struct bio_vec vecs[DIO_TEST_VECS];
	struct kiocb iocb;
};

static int dio_test_init(struct kunit *test)
{
	struct dio_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->pages = alloc_pages(GFP_KERNEL | __GFP_COMP, DIO_TEST_ORDER);
	if (!t->pages)
		return -ENOMEM;
	bio_init(&t->dio.bio, NULL, t->vecs, DIO_TEST_VECS, REQ_OP_READ);
	t->dio.pinned = false;
	t->cur.bio = &t->dio.bio;
	t->cur.blkbits = PAGE_SHIFT;
	test->priv = t;
	return 0;
}

static void dio_test_exit(struct kunit *test)
{
	struct dio_test *t = test->priv;

	if (t && t->pages)
		__free_pages(t->pages, DIO_TEST_ORDER);
}

/* Sectors of one page, and then pages, go into one bio_vec where they lie side by side. */
static void dio_test_add_merges(struct kunit *test)
{
	struct dio_test *t = test->priv;
	struct bio *bio = t->cur.bio;

	if (xen_domain() || IS_ENABLED(CONFIG_KMSAN))
		kunit_skip(test, "pages are not merged in a Xen domain, or under KMSAN");
	KUNIT_EXPECT_TRUE(test, dio_add(&t->dio, &t->cur, t->pages, 512, 512));
	KUNIT_EXPECT_TRUE(test, dio_add(&t->dio, &t->cur, t->pages, 1024, PAGE_SIZE - 1024));
	KUNIT_EXPECT_TRUE(test, dio_add(&t->dio, &t->cur, t->pages + 1, 0, 1024));
	KUNIT_EXPECT_EQ(test, bio->bi_vcnt, 1);
	KUNIT_EXPECT_EQ(test, t->vecs[0].bv_offset, 512);
	KUNIT_EXPECT_EQ(test, t->vecs[0].bv_len, PAGE_SIZE + 512);

	/* a gap within the page, and another page */
	KUNIT_EXPECT_TRUE(test, dio_add(&t->dio, &t->cur, t->pages + 1, 2048, 512));
	KUNIT_EXPECT_TRUE(test, dio_add(&t->dio, &t->cur, t->pages + 3, 0, 512));
	KUNIT_EXPECT_EQ(test, bio->bi_vcnt, 3);
	KUNIT_EXPECT_EQ(test, bio->bi_iter.bi_size, PAGE_SIZE + 512 + 512 + 512);
}

/* A bio without room takes nothing, and is left as it was. */
static void dio_test_add_full(struct kunit *test)
{
	struct dio_test *t = test->priv;
	struct bio *bio = t->cur.bio;
	unsigned int i;

	for (i = 0; i < DIO_TEST_VECS; i++)
		KUNIT_EXPECT_TRUE(test, dio_add(&t->dio, &t->cur, t->pages + 2 * i, 0, 512));
	KUNIT_EXPECT_FALSE(test, dio_add(&t->dio, &t->cur, t->pages, 0, 512));
	KUNIT_EXPECT_EQ(test, bio->bi_vcnt, DIO_TEST_VECS);
	KUNIT_EXPECT_EQ(test, bio->bi_iter.bi_size, DIO_TEST_VECS * 512);

	/* what continues needs no bio_vec, but bytes that can be counted */
	KUNIT_EXPECT_TRUE(test, dio_add(&t->dio, &t->cur, t->pages + 6, 512, 512));
	bio->bi_iter.bi_size = UINT_MAX - PAGE_SIZE + 1;
	KUNIT_EXPECT_FALSE(test, dio_add(&t->dio, &t->cur, t->pages + 6, 1024, 512));
}

/* Whole pages: runs that lie side by side get one bio_vec each. */
static void dio_test_add_pages(struct kunit *test)
{
	static const unsigned int order[] = { 0, 1, 2, 5, 6, 4, 7, 3 };
	struct dio_test *t = test->priv;
	unsigned int i;

	if (xen_domain() || IS_ENABLED(CONFIG_KMSAN))
		kunit_skip(test, "pages are not merged in a Xen domain, or under KMSAN");
	for (i = 0; i < ARRAY_SIZE(order); i++)
		t->cur.pages[i] = t->pages + order[i];
	t->cur.nr = ARRAY_SIZE(order);
	t->cur.bytes = ARRAY_SIZE(order) * PAGE_SIZE;

	/* 0 1 2, 5 6, 4, 7: and 3 finds no room */
	KUNIT_EXPECT_EQ(test, dio_add_pages(&t->cur, t->cur.bytes), 7 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, t->cur.bio->bi_vcnt, 4);
	KUNIT_EXPECT_EQ(test, t->vecs[0].bv_len, 3 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_len, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, t->vecs[2].bv_len, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, t->cur.head, 7);
	KUNIT_EXPECT_EQ(test, t->cur.bytes, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, dio_add_pages(&t->cur, t->cur.bytes), 0);
	KUNIT_EXPECT_EQ(test, dio_add_pages(&t->cur, 512), 0);
}

/* As many bio_vecs as an I/O can need: never fewer than the kernel counts pages. */
static void dio_test_vecs(struct kunit *test)
{
	struct dio_test *t = test->priv;
	struct kvec vecs[3];
	struct iov_iter iter;
	unsigned int nr, len, offset;

	t->cur.iter = &iter;
	for (nr = 1; nr <= ARRAY_SIZE(vecs); nr++) {
		for (offset = 0; offset < PAGE_SIZE; offset += 512) {
			for (len = 512; len <= 5 * PAGE_SIZE; len += 1536) {
				unsigned int i;

				for (i = 0; i < nr; i++)
					vecs[i] = (struct kvec) {
						.iov_base = page_address(t->pages) + offset,
						.iov_len = len,
					};
				iov_iter_kvec(&iter, READ, vecs, nr, nr * len);
				t->cur.start = 0;
				t->cur.pos = 0;
				t->cur.end = nr * len;
				KUNIT_ASSERT_GE(test, dio_vecs_left(&t->cur),
						iov_iter_npages(&iter, BIO_MAX_VECS));
			}
		}
	}

	/* 4 KiB are served by the bio_vecs that are part of a bio */
	vecs[0] = (struct kvec) { page_address(t->pages), SZ_4K };
	iov_iter_kvec(&iter, READ, vecs, 1, SZ_4K);
	t->cur.end = SZ_4K;
	t->cur.blkbits = 12;
	KUNIT_EXPECT_LE(test, dio_vecs_left(&t->cur), 4);
	/* and no request asks for more than there are */
	iov_iter_kvec(&iter, READ, vecs, 1, SZ_4K);
	t->cur.end = SZ_1G;
	KUNIT_EXPECT_EQ(test, dio_vecs_left(&t->cur), BIO_MAX_VECS);
}

/* Fetch all of @iter that can be had at once; bytes, or an error */
static ssize_t dio_test_fetch(struct dio_test *t, struct iov_iter *iter)
{
	int ret;

	t->cur.iter = iter;
	t->cur.pos = 0;
	t->cur.end = iov_iter_count(iter);
	ret = dio_get_memory(&t->cur);
	return ret ? ret : t->cur.bytes;
}

/* Memory of the kernel, in its direct mapping */
static void dio_test_kernel_memory(struct kunit *test)
{
	struct dio_test *t = test->priv;
	struct kvec vec = { page_address(t->pages) + 512, 2 * PAGE_SIZE };
	struct iov_iter iter;
	unsigned int k;

	iov_iter_kvec(&iter, READ, &vec, 1, vec.iov_len);
	KUNIT_EXPECT_EQ(test, dio_test_fetch(t, &iter), 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, iov_iter_count(&iter), 0);
	KUNIT_EXPECT_EQ(test, t->cur.offset, 512);
	KUNIT_EXPECT_EQ(test, t->cur.nr, 3);
	for (k = 0; k < 3; k++)
		KUNIT_EXPECT_PTR_EQ(test, t->cur.pages[k], t->pages + k);
}

/* Memory with a second mapping is refused (up to 6.2), or it is the right memory. */
static void dio_test_vmalloc_memory(struct kunit *test)
{
	struct dio_test *t = test->priv;
	struct kvec vec = { vmalloc(PAGE_SIZE), PAGE_SIZE };
	struct iov_iter iter;
	ssize_t len;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vec.iov_base);
	iov_iter_kvec(&iter, READ, &vec, 1, vec.iov_len);
	len = dio_test_fetch(t, &iter);
	if (len == PAGE_SIZE)
		KUNIT_EXPECT_PTR_EQ(test, t->cur.pages[0], vmalloc_to_page(vec.iov_base));
	else
		KUNIT_EXPECT_EQ(test, len, -EFAULT);
	vfree(vec.iov_base);
}

/* A bio_vec may begin behind its page, and hold many. 7.3 gives the last page by itself. */
static void dio_test_bvec_memory(struct kunit *test)
{
	struct dio_test *t = test->priv;
	struct bio_vec bv = {
		.bv_page = t->pages, .bv_offset = PAGE_SIZE + 1024, .bv_len = 3 * PAGE_SIZE,
	};
	size_t at = bv.bv_offset, end = at + bv.bv_len;
	struct iov_iter iter;
	unsigned int k;
	ssize_t len;

	iov_iter_bvec(&iter, READ, &bv, 1, bv.bv_len);
	while (iov_iter_count(&iter)) {
		len = dio_test_fetch(t, &iter);
		KUNIT_ASSERT_GT(test, len, 0);
		KUNIT_EXPECT_EQ(test, t->cur.offset, offset_in_page(at));
		for (k = 0; k < t->cur.nr; k++)
			KUNIT_EXPECT_PTR_EQ(test, t->cur.pages[k], t->pages + at / PAGE_SIZE + k);
		KUNIT_EXPECT_EQ(test, t->cur.nr, DIV_ROUND_UP(t->cur.offset + len, PAGE_SIZE));
		at += len;
	}
	KUNIT_EXPECT_EQ(test, at, end);
	iov_iter_bvec(&iter, READ, &bv, 1, bv.bv_len);
	iov_iter_truncate(&iter, 512);
	KUNIT_EXPECT_EQ(test, dio_test_fetch(t, &iter), 512);
}

static void dio_test_operation(struct kunit *test)
{
	struct dio_test *t = test->priv;
	struct iov_iter iter;

	iov_iter_kvec(&iter, READ, NULL, 0, 0);
	t->iocb.ki_flags = IOCB_NOWAIT;
	KUNIT_EXPECT_EQ(test, dio_opf(&t->iocb, &iter), REQ_OP_READ);
	iov_iter_kvec(&iter, WRITE, NULL, 0, 0);
	KUNIT_EXPECT_EQ(test, dio_opf(&t->iocb, &iter),
			REQ_OP_WRITE | REQ_SYNC | REQ_IDLE | REQ_NOWAIT);
	t->iocb.ki_flags = 0;
	KUNIT_EXPECT_EQ(test, dio_opf(&t->iocb, &iter), REQ_OP_WRITE | REQ_SYNC | REQ_IDLE);
}

/* What a get_block may look at is set; b_private is left to the file system. */
static void dio_test_request(struct kunit *test)
{
	struct buffer_head bh;
	int mine;

	memset(&bh, 0xa5, sizeof(bh));
	bh.b_private = &mine;
	map_bh_request(&bh, 8192);
	KUNIT_EXPECT_EQ(test, bh.b_state, 0);
	KUNIT_EXPECT_EQ(test, bh.b_size, 8192);
	KUNIT_EXPECT_EQ(test, bh.b_blocknr, 0);
	KUNIT_EXPECT_PTR_EQ(test, bh.b_bdev, NULL);
	KUNIT_EXPECT_PTR_EQ(test, bh.b_page, NULL);
	KUNIT_EXPECT_PTR_EQ(test, bh.b_private, (void *)&mine);
}

static struct kunit_case dio_test_cases[] = {
	KUNIT_CASE(dio_test_add_merges),
	KUNIT_CASE(dio_test_add_full),
	KUNIT_CASE(dio_test_add_pages),
	KUNIT_CASE(dio_test_vecs),
	KUNIT_CASE(dio_test_kernel_memory),
	KUNIT_CASE(dio_test_vmalloc_memory),
	KUNIT_CASE(dio_test_bvec_memory),
	KUNIT_CASE(dio_test_operation),
	KUNIT_CASE(dio_test_request),
	{}
};

static struct kunit_suite dio_test_suite = {
	.name = "direct-io",
	.init = dio_test_init,
	.exit = dio_test_exit,
	.test_cases = dio_test_cases,
};

kunit_test_suite(dio_test_suite);
