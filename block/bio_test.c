// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of how block/bio.c and unpin_user_bvecs() (mm/gup.c) let go of memory that direct I/O
 * pinned: a pin for each page, of each folio that an entry spans, and none twice.
 *
 * An entry lies over pages side by side: eight folios of a page each, or one folio of eight pages.
 * Each case runs on both.
 */
#include <kunit/test.h>
#include <linux/bio.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/uio.h>
#include <linux/vmstat.h>

#define ORDER	3
#define PAGES	BIT(ORDER)
#define VECS	3

struct bio_test {
	struct page *pages;
	bool large;			/* one folio */
	unsigned int pins[PAGES];	/* of each page; of a large folio [0] has all */
	struct bio_vec vecs[VECS];
	struct bio bio;
};

static const bool is_large[] = { false, true };

static void describe(const bool *large, char *name)
{
	strscpy(name, *large ? "one folio" : "folios of a page", KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bio_test, is_large, describe);

static int bio_test_init(struct kunit *test)
{
	struct bio_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->large = *(const bool *)test->param_value;
	t->pages = alloc_pages(GFP_KERNEL | (t->large ? __GFP_COMP : 0), ORDER);
	if (!t->pages)
		return -ENOMEM;
	if (!t->large)
		split_page(t->pages, ORDER);
	bio_init(&t->bio, NULL, t->vecs, VECS, REQ_OP_READ);
	bio_set_flag(&t->bio, BIO_PAGE_PINNED);
	test->priv = t;
	return 0;
}

static unsigned int pins_of(struct bio_test *t, unsigned int page)
{
	struct folio *folio = page_folio(t->pages + page);

	if (t->large)
		return page ? 0 : atomic_read(&folio->_pincount);
	return folio_ref_count(folio) / GUP_PIN_COUNTING_BIAS;
}

/* Memory that is pinned too often would be lost, one that is pinned too rarely be freed twice. */
static void bio_test_exit(struct kunit *test)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	if (!t || !t->pages)
		return;
	for (i = 0; i < PAGES; i++)
		if (pins_of(t, i))
			return;
	if (t->large) {
		__free_pages(t->pages, ORDER);
		return;
	}
	for (i = 0; i < PAGES; i++)
		__free_page(t->pages + i);
}

/* pin() - as pin_user_pages() does it */
static void pin(struct bio_test *t, unsigned int page)
{
	struct folio *folio = page_folio(t->pages + page);

	if (t->large) {
		folio_ref_inc(folio);
		atomic_inc(&folio->_pincount);
		t->pins[0]++;
	} else {
		folio_ref_add(folio, GUP_PIN_COUNTING_BIAS);
		t->pins[page]++;
	}
	mod_node_page_state(folio_pgdat(folio), NR_FOLL_PIN_ACQUIRED, 1);
}

/* add() - an entry of @len bytes from byte @offset of the memory on, with its pages pinned */
static void add(struct bio_test *t, unsigned int offset, unsigned int len)
{
	struct bio_vec *bv = t->vecs + t->bio.bi_vcnt++;
	unsigned int page;

	bvec_set_page(bv, t->pages + offset / PAGE_SIZE, len, offset % PAGE_SIZE);
	t->bio.bi_iter.bi_size += len;
	for (page = offset / PAGE_SIZE; page <= (offset + len - 1) / PAGE_SIZE; page++)
		pin(t, page);
}

/* unpinned() - page @page is expected to have one pin less than it had */
static void unpinned(struct bio_test *t, unsigned int page)
{
	t->pins[t->large ? 0 : page]--;
}

static void expect_pins(struct kunit *test)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		struct folio *folio = page_folio(t->pages + i);
		unsigned int refs = t->pins[i];

		KUNIT_EXPECT_EQ_MSG(test, pins_of(t, i), t->pins[i], "page %u", i);
		if (!t->large)
			refs *= GUP_PIN_COUNTING_BIAS;
		if (!t->large || !i)
			KUNIT_EXPECT_EQ_MSG(test, folio_ref_count(folio), refs + 1, "page %u", i);
	}
}

/* set_dirty() - @nr pages from @page on, or all of a folio */
static void set_dirty(struct bio_test *t, unsigned int page, unsigned int nr)
{
	for (; nr; nr--, page++)
		folio_set_dirty(page_folio(t->pages + page));
}

static bool is_dirty(struct bio_test *t, unsigned int page)
{
	return folio_test_dirty(page_folio(t->pages + page));
}

/* Entries that begin and end within pages, and share one of them */
static void add_some(struct bio_test *t)
{
	add(t, 512, PAGE_SIZE - 512);
	add(t, PAGE_SIZE + 512, 3 * PAGE_SIZE);
	add(t, 4 * PAGE_SIZE + 512, 1024);
}

static bool is_held(struct bio_test *t)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		if (folio_ref_count(page_folio(t->pages + i)) > 1)
			return true;
	return false;
}

/* bio_check() - bio_check_pages_dirty(), and wait for the work that it may leave: 10 s at most */
static void bio_check(struct bio_test *t, struct bio *bio)
{
	unsigned int tries;

	bio_check_pages_dirty(bio);
	for (tries = 0; is_held(t) && tries < 500; tries++)
		msleep(20);
}

static void bio_test_release(struct kunit *test)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	add_some(t);
	expect_pins(test);
	bio_release_pages(&t->bio, false);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_FALSE(test, is_dirty(t, i));
}

static void bio_test_release_dirty(struct kunit *test)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	add_some(t);
	bio_release_pages(&t->bio, true);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_EQ(test, is_dirty(t, i), t->large || i < 5);
}

/* The first page of an entry is dirty, as memory is that has but the flag; the others are not. */
static void bio_test_release_some_dirty(struct kunit *test)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	add_some(t);
	set_dirty(t, 1, 1);
	folio_set_swapbacked(page_folio(t->pages + 1));
	bio_release_pages(&t->bio, true);
	folio_clear_swapbacked(page_folio(t->pages + 1));
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_TRUE(test, is_dirty(t, i));
}

/* The entry may begin in a later page than the one that it names. */
static void bio_test_far_offset(struct kunit *test)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	add(t, 2 * PAGE_SIZE + 512, 2 * PAGE_SIZE);
	t->vecs[0].bv_page -= 2;
	t->vecs[0].bv_offset += 2 * PAGE_SIZE;
	bio_release_pages(&t->bio, true);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_EQ(test, is_dirty(t, i), t->large || (i >= 2 && i < 5));
}

/* What is pinned by nobody here is left alone. */
static void bio_test_not_pinned(struct kunit *test)
{
	struct bio_test *t = test->priv;

	add_some(t);
	bio_clear_flag(&t->bio, BIO_PAGE_PINNED);
	bio_release_pages(&t->bio, false);
	expect_pins(test);
	bio_set_flag(&t->bio, BIO_PAGE_PINNED);
	bio_release_pages(&t->bio, false);
}

/* All is dirty: all goes at once. */
static void bio_test_all_dirty(struct kunit *test)
{
	struct bio_test *t = test->priv;

	add_some(t);
	set_dirty(t, 0, PAGES);
	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs, t->bio.bi_vcnt, true), 3);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
}

/*
 * A page in the middle of the second entry was cleaned: what lies in front of it goes, and the rest
 * is what it was.
 */
static void bio_test_cleaned_within(struct kunit *test)
{
	struct bio_test *t = test->priv;

	if (t->large)
		kunit_skip(test, "a folio is dirty or not as one");
	add_some(t);
	set_dirty(t, 0, PAGES);
	folio_clear_dirty(page_folio(t->pages + 3));
	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs, t->bio.bi_vcnt, true), 1);
	unpinned(t, 0);
	unpinned(t, 1);
	unpinned(t, 2);
	expect_pins(test);
	KUNIT_EXPECT_PTR_EQ(test, t->vecs[1].bv_page, t->pages + 3);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_offset, 0);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_len, PAGE_SIZE + 512);

	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs + 1, 2, false), 2);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
}

/* The first page of an entry was cleaned: the entry stays as it is. */
static void bio_test_cleaned_first(struct kunit *test)
{
	struct bio_test *t = test->priv;

	add_some(t);
	if (!t->large) {
		set_dirty(t, 0, PAGES);
		folio_clear_dirty(page_folio(t->pages + 1));
		unpinned(t, 0);
	}
	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs, t->bio.bi_vcnt, true), t->large ? 0 : 1);
	expect_pins(test);
	KUNIT_EXPECT_PTR_EQ(test, t->vecs[1].bv_page, t->pages + 1);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_offset, 512);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_len, 3 * PAGE_SIZE);

	unpin_user_bvecs(t->vecs + !t->large, t->large ? 3 : 2, false);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
}

static void bio_test_check(struct kunit *test)
{
	struct bio *bio = bio_alloc(NULL, VECS, REQ_OP_READ, GFP_KERNEL);
	struct bio_test *t = test->priv;
	unsigned int i;

	add_some(t);
	set_dirty(t, 0, PAGES);
	/* Cleaned meanwhile, it is dirty again in the end. */
	folio_clear_dirty(page_folio(t->pages + 3));
	bio_set_flag(bio, BIO_PAGE_PINNED);
	memcpy(bio->bi_io_vec, t->vecs, sizeof(t->vecs));
	bio->bi_vcnt = t->bio.bi_vcnt;
	bio_check(t, bio);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_TRUE(test, is_dirty(t, i));
}

static struct kunit_case bio_test_cases[] = {
	KUNIT_CASE_PARAM(bio_test_release, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_release_dirty, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_release_some_dirty, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_far_offset, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_not_pinned, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_all_dirty, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_cleaned_within, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_cleaned_first, bio_test_gen_params),
	KUNIT_CASE_PARAM(bio_test_check, bio_test_gen_params),
	{ }
};

static struct kunit_suite bio_test_suite = {
	.name = "bio",
	.init = bio_test_init,
	.exit = bio_test_exit,
	.test_cases = bio_test_cases,
};

kunit_test_suite(bio_test_suite);

MODULE_DESCRIPTION("KUnit test of how bios let go of pinned memory");
MODULE_LICENSE("GPL");
