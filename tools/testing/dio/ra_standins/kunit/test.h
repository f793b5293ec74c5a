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

#define KUNIT_EXPECT_EQ(test, a, b) do {							\
	__typeof__(a) _l = (a);									\
	__typeof__(b) _r = (b);									\
												\
	if (_l != _r) {										\
		printf("# %s:%d: %s == %s: %llu, %llu\n", (test)->name, __LINE__, #a, #b,	\
		       (unsigned long long)_l, (unsigned long long)_r);				\
		(test)->failed = true;								\
	}											\
} while (0)

#define KUNIT_EXPECT_TRUE(t, a)		KUNIT_EXPECT_EQ(t, !!(a), true)
#define KUNIT_EXPECT_FALSE(t, a)	KUNIT_EXPECT_EQ(t, !!(a), false)

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
