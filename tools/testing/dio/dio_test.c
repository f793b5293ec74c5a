// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: fs/direct-io.c against a reference model
 *
 *	dio_test [cases=N] [seed=S]
 *
 * Runs N cases from seed S on, each drawn from a seed of its own: the real engine (compiled against
 * kernel.h) in a small world (world.c), compared with what the model (reference.c) says. What
 * is wrong is printed with the seed that shows it again. Prints how often each thing that matters
 * was met, and fails if one never was. With FUZZ, libFuzzer chooses instead: each decision of a
 * case is a byte or two of its input.
 *
 * Exit status: 0 right, 1 wrong, 2 usage.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernel.h"
#include "world.h"

/* Thirty times what was seen */
#define CASE_STEPS	10000000UL

static uintmax_t seed = 1, nr_cases = 100000;

void wrong(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "dio_test: seed=%ju: ", seed);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n\t%s %zu at %zu of %zu, blkbits %u, memory %d%s%s, timing %d\n",
		c.write ? "write" : "read", c.count, c.pos, c.i_size, c.blkbits, c.memory,
		c.async ? ", async" : "", c.locking ? ", locking" : "",
		c.timing);
	abort();
}

#define KINDS	13
static const char * const kinds[KINDS] = {
	"moved data", "queued", "several bios", "a full bio", "new blocks", "short", "EFAULT",
	"EIO", "EAGAIN", "ENOMEM", "ENOSPC", "EINVAL", "EUCLEAN",
};

static u64 met[KINDS];

static void count_case(void)
{
	static const int errors[] = { EFAULT, EIO, EAGAIN, ENOMEM, ENOSPC, EINVAL, EUCLEAN };
	unsigned int i;

	met[0] += got.ret > 0;
	met[1] += got.queued;
	met[2] += got.nr_bios > 1;
	for (i = 0; i < got.nr_bios; i++) {
		if (got.bios[i].vecs == BIO_MAX_VECS || got.bios[i].bytes > UINT_MAX - PAGE_SIZE) {
			met[3]++;
			break;
		}
	}
	met[4] += c.write && memcmp(got.blocks, c.blocks, c.nr_blocks * sizeof(*c.blocks));
	met[5] += got.ret > 0 && got.ret < (ssize_t)c.count;
	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		met[6 + i] += got.ret == -errors[i];
}

static void run_one(void)
{
	draw_case();
	run_case();
	check_case();
	count_case();
}

#ifdef FUZZ
int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len);

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len)
{
	source = (struct source){ .fuzz = true, .bytes = bytes, .left = len };
	run_one();
	return 0;
}
#else
int main(int argc, char **argv)
{
	int never = 0, arg;
	unsigned int i;
	char more;
	u64 end;

	for (arg = 1; arg < argc; arg++)
		if (sscanf(argv[arg], "cases=%ju%c", &nr_cases, &more) != 1 &&
		    sscanf(argv[arg], "seed=%ju%c", &seed, &more) != 1) {
			fputs("usage: dio_test [cases=N] [seed=S]\n", stderr);
			return 2;
		}
	check_boot();
	for (end = seed + nr_cases; seed < end; seed++) {
		source.state = seed * 0x2545f4914f6cdd1dULL;
		steps_left = CASE_STEPS;
		run_one();
	}
	printf("%ju cases:", nr_cases);
	for (i = 0; i < KINDS; i++)
		printf(" %s %ju%s", kinds[i], (uintmax_t)met[i], i + 1 < KINDS ? "," : "\n");
	fflush(stdout);
	for (i = 0; i < KINDS && nr_cases >= 100000; i++) {
		if (met[i])
			continue;
		fprintf(stderr, "dio_test: never met: %s\n", kinds[i]);
		never = 1;
	}
	return never;
}
#endif
