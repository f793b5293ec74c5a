/* SPDX-License-Identifier: GPL-2.0 */
/* A KUnit suite as a program: one line of TAP a case; exit 1 if one failed. */
#include "ra_kernel.h"
#include "../../steps.h"

/* Three times what was seen */
#define CASE_STEPS	300000000UL

struct kunit {
	const char *name;
	bool failed;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(f)	{ f, #f }

#define KUNIT_COMPARE(test, a, op, b, leave) do {						\
	__typeof__(a) _l = (a);									\
	__typeof__(b) _r = (b);									\
												\
	if (!(_l op _r)) {									\
		printf("# %s:%d: %s " #op " %s: %llu, %llu\n", (test)->name, __LINE__, #a, #b,	\
		       (unsigned long long)_l, (unsigned long long)_r);				\
		(test)->failed = true;								\
		leave;										\
	}											\
} while (0)

#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) do {							\
	KUNIT_COMPARE(t, a, ==, b, (printf("# "), printf(__VA_ARGS__), putchar('\n')));		\
} while (0)
#define KUNIT_ASSERT_PTR_EQ(t, a, b)	KUNIT_ASSERT_EQ(t, (uintptr_t)(a), (uintptr_t)(b))
#define KUNIT_EXPECT_EQ(t, a, b)	KUNIT_COMPARE(t, a, ==, b, )
#define KUNIT_EXPECT_NE(t, a, b)	KUNIT_COMPARE(t, a, !=, b, )
#define KUNIT_EXPECT_LE(t, a, b)	KUNIT_COMPARE(t, a, <=, b, )
#define KUNIT_EXPECT_GE(t, a, b)	KUNIT_COMPARE(t, a, >=, b, )
#define KUNIT_EXPECT_TRUE(t, a)		KUNIT_COMPARE(t, !!(a), ==, true, )
#define KUNIT_EXPECT_FALSE(t, a)	KUNIT_COMPARE(t, !!(a), ==, false, )
#define KUNIT_ASSERT_EQ(t, a, b)	KUNIT_COMPARE(t, a, ==, b, return)
#define KUNIT_ASSERT_LE(t, a, b)	KUNIT_COMPARE(t, a, <=, b, return)
#define KUNIT_ASSERT_LT(t, a, b)	KUNIT_COMPARE(t, a, <, b, return)
#define KUNIT_ASSERT_GE(t, a, b)	KUNIT_COMPARE(t, a, >=, b, return)
#define KUNIT_ASSERT_GT(t, a, b)	KUNIT_COMPARE(t, a, >, b, return)
#define KUNIT_ASSERT_TRUE(t, a)		KUNIT_COMPARE(t, !!(a), ==, true, return)

#define kunit_skip(test, why)

#define kunit_test_suite(suite)									\
int main(void)											\
{												\
	struct kunit_case *c;									\
	int n = 0, bad = 0;									\
												\
	puts("TAP version 13");									\
	for (c = (suite).test_cases; c->run; c++) {						\
		struct kunit test = { .name = c->name };					\
												\
		steps_left = CASE_STEPS;							\
		c->run(&test);									\
		bad += test.failed;								\
		printf("%sok %d %s\n", test.failed ? "not " : "", ++n, c->name);		\
	}											\
	printf("1..%d\n", n);									\
	return !!bad;										\
}
