// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of how block/bio.c and unpin_user_bvecs() (mm/gup.c) let go of memory that direct I/O
 * pinned: a pin for each page, of each folio that an entry spans, and none twice.
 *
 * An entry lies over pages side by side: eight folios of a page each, or one folio of eight pages.
 * Nearly each case is for both.
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

enum how { RELEASE, NOT_PINNED, UNPIN, CHECK };

/* A bit of @dirty, @after and @gone is a page; of one folio any means all. */
struct bio_case {
	const char *name;
	enum how how;
	bool large;
	bool far;			/* an entry begins in a later page than it names */
	bool mark;			/* pages are marked dirty as they are released */
	u8 dirty, after;		/* which pages are dirty before, and must be in the end */
	unsigned int entries;		/* that go if they are dirty; if not all do: */
	u8 gone;			/* pages that then have a pin less */
	unsigned int page, offset, len;	/* and what the second entry must be */
};

static const struct bio_case bio_cases[] = {
	{ "release", RELEASE },
	{ "release", RELEASE, .large = true },
	{ "release and mark", RELEASE, .mark = true, .after = 0x1f },
	{ "release and mark", RELEASE, .mark = true, .after = 0x1f, .large = true },
	/* The first page of an entry is dirty, as memory is that has but the flag. */
	{ "mark, some are dirty", RELEASE, .mark = true, .dirty = 0x02, .after = 0x1f },
	{ "mark, some are dirty", RELEASE, .mark = true, .dirty = 0x02, .after = 0x1f,
	  .large = true },
	{ "mark, far offset", RELEASE, .far = true, .mark = true, .after = 0x1c },
	{ "mark, far offset", RELEASE, .far = true, .mark = true, .after = 0x1c, .large = true },
	{ "not pinned", NOT_PINNED },
	{ "not pinned", NOT_PINNED, .large = true },
	{ "all dirty", UNPIN, .dirty = 0xff, .after = 0xff, .entries = 3 },
	{ "all dirty", UNPIN, .dirty = 0xff, .after = 0xff, .entries = 3, .large = true },
	/* In the middle of the second entry: what lies in front goes, the rest is what it was. */
	{ "cleaned within", UNPIN, .dirty = 0xf7, .after = 0xf7, .entries = 1, .gone = 0x07,
	  .page = 3, .len = PAGE_SIZE + 512 },
	/* In its first page: it stays as it is. */
	{ "cleaned first", UNPIN, .dirty = 0xfd, .after = 0xfd, .entries = 1, .gone = 0x01,
	  .page = 1, .offset = 512, .len = 3 * PAGE_SIZE },
	{ "cleaned first", UNPIN, .large = true, .page = 1, .offset = 512, .len = 3 * PAGE_SIZE },
	/* Cleaned while the disk was at it, it is dirty again in the end. */
	{ "check", CHECK, .dirty = 0xf7, .after = 0xff },
	{ "check", CHECK, .large = true, .after = 0xff },
};

static void describe(const struct bio_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s, %s", c->name,
		 c->large ? "one folio" : "folios of a page");
}

KUNIT_ARRAY_PARAM(bio_test, bio_cases, describe);

static int bio_test_init(struct kunit *test)
{
	struct bio_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->large = ((const struct bio_case *)test->param_value)->large;
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

/* Entries that begin and end within pages, and share one of them */
static void add_some(struct bio_test *t)
{
	add(t, 512, PAGE_SIZE - 512);
	add(t, PAGE_SIZE + 512, 3 * PAGE_SIZE);
	add(t, 4 * PAGE_SIZE + 512, 1024);
}

static void add_far(struct bio_test *t)
{
	add(t, 2 * PAGE_SIZE + 512, 2 * PAGE_SIZE);
	t->vecs[0].bv_page -= 2;
	t->vecs[0].bv_offset += 2 * PAGE_SIZE;
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

static void release(struct kunit *test, bool mark)
{
	struct bio_test *t = test->priv;

	expect_pins(test);
	bio_release_pages(&t->bio, mark);
}

/* What is pinned by nobody here is left alone. */
static void release_not_pinned(struct kunit *test)
{
	struct bio_test *t = test->priv;

	bio_clear_flag(&t->bio, BIO_PAGE_PINNED);
	bio_release_pages(&t->bio, false);
	expect_pins(test);
	bio_set_flag(&t->bio, BIO_PAGE_PINNED);
	bio_release_pages(&t->bio, false);
}

static void unpin(struct kunit *test, const struct bio_case *c)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs, VECS, true), c->entries);
	if (c->entries == VECS)
		return;
	for (i = 0; i < PAGES; i++)
		t->pins[i] -= !!(c->gone & BIT(i));
	expect_pins(test);
	KUNIT_EXPECT_PTR_EQ(test, t->vecs[1].bv_page, t->pages + c->page);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_offset, c->offset);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_len, c->len);
	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs + c->entries, VECS - c->entries, false),
			VECS - c->entries);
}

static void check(struct kunit *test)
{
	struct bio *bio = bio_alloc(NULL, VECS, REQ_OP_READ, GFP_KERNEL);
	struct bio_test *t = test->priv;

	bio_set_flag(bio, BIO_PAGE_PINNED);
	memcpy(bio->bi_io_vec, t->vecs, sizeof(t->vecs));
	bio->bi_vcnt = t->bio.bi_vcnt;
	bio_check(t, bio);
}

static void bio_test(struct kunit *test)
{
	const struct bio_case *c = test->param_value;
	struct bio_test *t = test->priv;
	unsigned int i;

	if (c->far)
		add_far(t);
	else
		add_some(t);
	for (i = 0; i < PAGES; i++) {
		if (!(c->dirty & BIT(i)))
			continue;
		folio_set_dirty(page_folio(t->pages + i));
		if (c->mark)
			folio_set_swapbacked(page_folio(t->pages + i));
	}
	switch (c->how) {
	case RELEASE:
		release(test, c->mark);
		break;
	case NOT_PINNED:
		release_not_pinned(test);
		break;
	case UNPIN:
		unpin(test, c);
		break;
	case CHECK:
		check(test);
		break;
	}
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
	for (i = 0; i < PAGES; i++) {
		struct folio *folio = page_folio(t->pages + i);

		folio_clear_swapbacked(folio);
		KUNIT_EXPECT_EQ_MSG(test, folio_test_dirty(folio),
				    t->large ? !!c->after : !!(c->after & BIT(i)), "page %u", i);
	}
}

static struct kunit_case bio_test_cases[] = {
	KUNIT_CASE_PARAM(bio_test, bio_test_gen_params),
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
