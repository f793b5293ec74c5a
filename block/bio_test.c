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
	unsigned int folios;		/* that the pages are: as many, or one */
	unsigned int pins[PAGES];	/* of each folio */
	struct bio_vec vecs[VECS];
	struct bio bio;
};

/* A bit of @dirty, @after and @gone is a folio. */
struct bio_case {
	const char *name;
	void (*let_go)(struct kunit *test, const struct bio_case *c);
	bool large;			/* one folio */
	bool far;			/* an entry begins in a later page than it names */
	bool mark;			/* pages are marked dirty as they are released */
	u8 dirty, after;		/* which folios are dirty before, and must be in the end */
	unsigned int entries;		/* that go if they are dirty; if not all do: */
	u8 gone;			/* folios that then have a pin less */
	unsigned int page, offset, len;	/* and what the second entry must be */
};

static struct folio *folio_of(struct bio_test *t, unsigned int i)
{
	return page_folio(t->pages + i);
}

static void expect_pins(struct kunit *test)
{
	struct bio_test *t = test->priv;
	bool large = t->folios == 1;
	unsigned int i;

	for (i = 0; i < t->folios; i++)
		KUNIT_EXPECT_EQ_MSG(test, folio_ref_count(folio_of(t, i)),
				    1 + t->pins[i] * (large ? 1 : GUP_PIN_COUNTING_BIAS),
				    "folio %u", i);
	if (large)
		KUNIT_EXPECT_EQ(test, atomic_read(&folio_of(t, 0)->_pincount), t->pins[0]);
}

static void release(struct kunit *test, const struct bio_case *c)
{
	struct bio_test *t = test->priv;

	bio_release_pages(&t->bio, c->mark);
}

static void unpin(struct kunit *test, const struct bio_case *c)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs, VECS, true), c->entries);
	if (c->entries == VECS)
		return;
	for (i = 0; i < t->folios; i++)
		t->pins[i] -= !!(c->gone & BIT(i));
	expect_pins(test);
	KUNIT_EXPECT_PTR_EQ(test, t->vecs[1].bv_page, t->pages + c->page);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_offset, c->offset);
	KUNIT_EXPECT_EQ(test, t->vecs[1].bv_len, c->len);
	KUNIT_EXPECT_EQ(test, unpin_user_bvecs(t->vecs + c->entries, VECS - c->entries, false),
			VECS - c->entries);
}

static bool is_held(struct bio_test *t)
{
	unsigned int i;

	for (i = 0; i < t->folios; i++)
		if (folio_ref_count(folio_of(t, i)) > 1)
			return true;
	return false;
}

/* bio_check_pages_dirty(), and wait for the work that it may leave: 10 s at most */
static void check(struct kunit *test, const struct bio_case *c)
{
	struct bio *bio = bio_alloc(NULL, VECS, REQ_OP_READ, GFP_KERNEL);
	struct bio_test *t = test->priv;
	unsigned int tries;

	bio_set_flag(bio, BIO_PAGE_PINNED);
	memcpy(bio->bi_io_vec, t->vecs, sizeof(t->vecs));
	bio->bi_vcnt = t->bio.bi_vcnt;
	bio_check_pages_dirty(bio);
	for (tries = 0; is_held(t) && tries < 500; tries++)
		msleep(20);
}

static const struct bio_case bio_cases[] = {
	{ "release", release },
	{ "release", release, .large = true },
	{ "release and mark", release, .mark = true, .after = 0x1f },
	{ "release and mark", release, .mark = true, .after = 1, .large = true },
	/* The first page of an entry is dirty, as memory is that has but the flag. */
	{ "mark, some are dirty", release, .mark = true, .dirty = 0x02, .after = 0x1f },
	{ "mark, some are dirty", release, .mark = true, .dirty = 1, .after = 1, .large = true },
	{ "mark, far offset", release, .far = true, .mark = true, .after = 0x1c },
	{ "mark, far offset", release, .far = true, .mark = true, .after = 1, .large = true },
	{ "all dirty", unpin, .dirty = 0xff, .after = 0xff, .entries = 3 },
	{ "all dirty", unpin, .dirty = 1, .after = 1, .entries = 3, .large = true },
	/* In the middle of the second entry: what lies in front goes, the rest is what it was. */
	{ "cleaned within", unpin, .dirty = 0xf7, .after = 0xf7, .entries = 1, .gone = 0x07,
	  .page = 3, .len = PAGE_SIZE + 512 },
	/* In its first page: it stays as it is. */
	{ "cleaned first", unpin, .dirty = 0xfd, .after = 0xfd, .entries = 1, .gone = 0x01,
	  .page = 1, .offset = 512, .len = 3 * PAGE_SIZE },
	{ "cleaned first", unpin, .large = true, .page = 1, .offset = 512, .len = 3 * PAGE_SIZE },
	/* Cleaned while the disk was at it, it is dirty again in the end. */
	{ "check", check, .dirty = 0xf7, .after = 0xff },
	{ "check", check, .large = true, .after = 1 },
};

static void describe(const struct bio_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s, %s", c->name,
		 c->large ? "one folio" : "folios of a page");
}

KUNIT_ARRAY_PARAM(bio_test, bio_cases, describe);

static int bio_test_init(struct kunit *test)
{
	const struct bio_case *c = test->param_value;
	struct bio_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->pages = alloc_pages(GFP_KERNEL | (c->large ? __GFP_COMP : 0), ORDER);
	if (!t->pages)
		return -ENOMEM;
	t->folios = c->large ? 1 : PAGES;
	if (!c->large)
		split_page(t->pages, ORDER);
	bio_init(&t->bio, NULL, t->vecs, VECS, REQ_OP_READ);
	bio_set_flag(&t->bio, BIO_PAGE_PINNED);
	test->priv = t;
	return 0;
}

/* Memory that is pinned too often is lost. */
static void bio_test_exit(struct kunit *test)
{
	struct bio_test *t = test->priv;
	unsigned int i;

	for (i = 0; t && i < t->folios; i++)
		folio_put(folio_of(t, i));
}

/* pin() - as pin_user_pages() does it */
static void pin(struct bio_test *t, unsigned int page)
{
	struct folio *folio = folio_of(t, page);

	if (t->folios == 1) {
		folio_ref_inc(folio);
		atomic_inc(&folio->_pincount);
		t->pins[0]++;
	} else {
		folio_ref_add(folio, GUP_PIN_COUNTING_BIAS);
		t->pins[page]++;
	}
	mod_node_page_state(folio_pgdat(folio), NR_FOLL_PIN_ACQUIRED, 1);
}

/* add() - an entry of @len bytes from byte @offset of @page on, with its pages pinned */
static void add(struct bio_test *t, unsigned int page, unsigned int offset, unsigned int len)
{
	unsigned int end = page + DIV_ROUND_UP(offset + len, PAGE_SIZE);

	bvec_set_page(t->vecs + t->bio.bi_vcnt++, t->pages + page, len, offset);
	for (page += offset / PAGE_SIZE; page < end; page++)
		pin(t, page);
}

static void bio_test(struct kunit *test)
{
	const struct bio_case *c = test->param_value;
	struct bio_test *t = test->priv;
	unsigned int i;

	if (c->far) {
		add(t, 0, 2 * PAGE_SIZE + 512, 2 * PAGE_SIZE);
	} else {	/* entries that begin and end within pages, and share one of them */
		add(t, 0, 512, PAGE_SIZE - 512);
		add(t, 1, 512, 3 * PAGE_SIZE);
		add(t, 4, 512, 1024);
	}
	for (i = 0; i < t->folios; i++) {
		if (!(c->dirty & BIT(i)))
			continue;
		folio_set_dirty(folio_of(t, i));
		if (c->mark)
			folio_set_swapbacked(folio_of(t, i));
	}
	c->let_go(test, c);
	memset(t->pins, 0, sizeof(t->pins));
	expect_pins(test);
	for (i = 0; i < t->folios; i++) {
		folio_clear_swapbacked(folio_of(t, i));
		KUNIT_EXPECT_EQ_MSG(test, folio_test_dirty(folio_of(t, i)), !!(c->after & BIT(i)),
				    "folio %u", i);
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
