// SPDX-License-Identifier: GPL-2.0
/*
 * Readahead policies on a trace of reads: what each would have had the disk read.
 *
 *	ra_replay [WORD...] [TRACE]	replay (or stdin); a table
 *	ra_replay try KIND [WORD...]	make a trace and replay it; a line
 *	ra_replay gen KIND [WORD...]	make one, on stdout
 *	ra_replay check TABLE		print the lines of a table anew: are they the same?
 *	ra_replay search [n=1000] [seed=1] [base=]	draw traces: gains and losses, by kind
 *	ra_replay ablate [n=1000] [seed=1] [base=]	the same, without each part of the policy,
 *							and with other waits; all kinds together
 *
 * A trace has a line a read: microseconds, open file, file (both are numbers), byte, length. If the
 * word fault follows, its pages are touched through a mapping. Lines that begin with # are skipped.
 *
 * Words of a replay, with their defaults: max=32 (the largest window, in pages), cache=65536
 * (pages), threads=1 (that take the next read when they are free), base=7.3 (or 6.1: which kernel's
 * rules surround the policy), disk (all on one U320 disk of 2004), fifo.
 *
 * A trace is n=1000 runs, or of up to four parts, set apart by "and", a run each in turn. Of one:
 * lens=16 (pages; a list is gone through, 1-16 is any length in between, 16* one of that mean), any
 * (a random one of the list), by=1 (pages a read) or whole. Runs begin at random among file=1000000
 * pages, from=0 on; or are pieces as long as they are, each once; or go on where the last one ended
 * of streams=1 in turn, on one open file or separate ones; once: one run of n reads. Only one=1 of
 * of=1 pages is read, at random or even; group=1 reads come in any order; down is the order of all.
 * uneven: a read goes on into the next page. every=1: not in all turns. own: of another file.
 * mapped: by faults, or mixed. seed=1. The kinds are such words: kinds[].
 *
 * The policies: "runs" is the kernel's own code, mm/readahead_runs.c, in what "doubling" does for
 * all else: that is what the base does without, as we understand it. "average" is the heuristic of
 * 2.6.6 with its faults. "future" knows the trace: it reads up to two windows ahead what is used
 * before it would be forgotten, over gaps that cost less than a wait. Its time is the best that we
 * know; the pages that it uses are the fewest.
 *
 * The model: a page cache of so many pages that forgets what was used longest ago, or with "fifo"
 * what came longest ago and was not used twice, as lists of inactive pages do; a disk that
 * takes 200 us for each read and 4 us for each page, reads in parallel; a program that goes on 2 us
 * after it has its page, not before the trace says. A fault takes 1 us besides, and maps what is
 * there of the 16 pages around it.
 *
 * Exit: 0 done, 1 not ok, 2 usage or a bad trace.
 */
#include "ra_kernel.h"
#include "readahead_runs.c"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include "../selftests/dio/model_disk.h"
#include "ra_model.h"
#include "steps.h"

/* Many times what was seen */
#define TRACE_STEPS	100000000UL

/* One read of the trace */
struct access {
	unsigned long long us;
	unsigned int open;
	pgoff_t index;
	unsigned long pages;
	bool fault;		/* touched through a mapping */
	unsigned long ahead;	/* pages from index to the end of what is used before long */
	unsigned long most;	/* of those as many as are used soon enough */
	unsigned long behind;	/* likewise before index, a window at most */
};

static struct access *trace;
static unsigned int nr_accesses;

/* What the words say */
#define LENS	16
#define PARTS	4
#define STREAMS	4096
#define THREADS	1024
#define NUMBERS	65536	/* of open files and files in a trace */
struct part {
	unsigned long by, streams, from, file, one, of, group, every;
	unsigned int lens;
	struct { unsigned long from, to; bool mean; } len[LENS];
	bool any, on, once, pieces, separate, own, mapped, mixed, down, even, uneven;
};

static struct words {
	unsigned long threads, seed, count;
	unsigned int last;
	struct part part[PARTS];
} words;

static const struct part one_part = {
	.by = 1, .streams = 1, .file = 1000000, .one = 1, .of = 1, .group = 1, .every = 1,
	.lens = 1, .len = { { 16, 16 } },
};

/* 2.6.6: a run has ended, or goes on: either way the next window is what was used, and a page. */
static void average_miss(struct open_file *o, pgoff_t index, unsigned long pages)
{
	unsigned long window;

	if (index != o->next) {
		o->average = (o->average + o->serial) / 2;
		o->serial = 0;
	}
	window = min(max(max(o->used + 1, o->average), pages), machine.max);
	o->used = 0;
	read_window(o->file, index, window, 0);
	if (o->average > 1)
		read_window(o->file, index + window, window, 0);
}

/* At each page: the next window is begun when the program enters the one before. */
static void future_miss(struct open_file *o, const struct access *a, pgoff_t index)
{
	pgoff_t start = index, end = min(a->index + a->ahead, index + a->most + 1);

	if (!is_cached(&files[o->file], index))
		read_window(o->file, a->index - a->behind, a->behind, 0);
	else if (o->far > index)
		start = min(o->far, end);
	while (start < end && is_cached(&files[o->file], start))
		start++;
	o->far = start;
	if (start < end)
		read_window(o->file, start,
			    min(a->index + a->ahead - start, max(a->most, 1UL)), 0);
}

enum policy { AVERAGE, DOUBLING, RUNS, FUTURE, POLICIES };

static const char * const policies[POLICIES] = { "average", "doubling", "runs", "future" };
static enum policy policy;

/* Is this part of the policy asked? */
static bool shown(unsigned int part)
{
	return policy == RUNS && !(ra_hidden & part);
}

static void miss(struct open_file *o, const struct access *a, pgoff_t index, unsigned long pages)
{
	struct seen seen;

	if (policy == AVERAGE)
		average_miss(o, index, pages);
	else if (policy == FUTURE)
		future_miss(o, a, index);
	else if (!shown(RA_HIDE_READS) ||
		 !ra_runs_miss(look_at(&seen, o, index), pages, machine.max))
		base_miss(o, index, pages);
}

/* Of a page that is there */
static void mark(struct open_file *o, const struct access *a, pgoff_t index, unsigned long pages)
{
	struct folio *folio = folio_at(o, index);
	struct seen seen;

	if (policy == FUTURE)
		future_miss(o, a, index);
	if (!(folio->flags & XA_MARK))
		return;
	folio->flags &= ~XA_MARK;
	if (!shown(RA_HIDE_MARKS) ||
	    !ra_runs_mark(look_at(&seen, o, index), folio, machine.max))
		base_mark(o, index, pages);
}

/* A fault on a page that is missing */
static void fault(struct open_file *o, const struct access *a, pgoff_t index)
{
	bool given_up = stock_missed(&o->ra);
	struct seen seen;

	if (policy == AVERAGE || policy == FUTURE)
		miss(o, a, index, 1);
	else if (shown(RA_HIDE_FAULTS) && ra_runs_fault(look_at(&seen, o, index), o->ra.mmap_miss))
		ra_runs_read(&seen.ractl, 1);
	else if (!given_up)
		read_around(o, index);
}

/* And on one that is there */
static void touch(struct open_file *o, const struct access *a, pgoff_t index)
{
	struct folio *folio = folio_at(o, index);
	struct seen seen;

	if ((folio->flags & XA_MARK) && shown(RA_HIDE_FAULTS) &&
	    ra_runs_touched(look_at(&seen, o, index), folio))
		return;
	touched(o, index);
	mark(o, a, index, machine.max);
}

/* What came of each */
static struct outcome {
	double us, reads, pages, used;
} outcomes[POLICIES];

/* The replay */

static void use_page(struct open_file *o, const struct access *a, pgoff_t index)
{
	struct data_file *f = &files[o->file];
	unsigned long pages = a->index + a->pages - index;

	if (!is_cached(f, index))
		miss(o, a, index, pages);
	if (!is_cached(f, index))
		read_window(o->file, index, 1, 0);
	mark(o, a, index, pages);
	if (!is_cached(f, index))
		return;		/* thrown out by what was read ahead of it */
	wait_for(&f->page[index]);
	use(o, &f->page[index]);
	if (machine.old)
		o->ra.prev_pos = (loff_t)(index + 1) << PAGE_SHIFT;
}

/* A program touches a page of its mapping. */
static void touch_page(struct open_file *o, const struct access *a, pgoff_t index)
{
	struct data_file *f = &files[o->file];

	if (!(f->present[index] & XA_MAPPED)) {
		now += FAULT_US;
		if (is_cached(f, index))
			map_around(o, index, true);
	}
	if (!is_cached(f, index)) {
		fault(o, a, index);
		if (!is_cached(f, index))
			read_window(o->file, index, 1, 0);
		wait_for(&f->page[index]);
		map_around(o, index, false);
	} else if (!(f->present[index] & XA_MAPPED)) {
		touch(o, a, index);
		if (is_cached(f, index) && f->page[index].arrives > now) {
			wait_for(&f->page[index]);
			map_around(o, index, false);
		}
	}
	if (policy == FUTURE)
		mark(o, a, index, 1);
	if (!is_cached(f, index))
		return;
	f->present[index] |= XA_MAPPED;
	use(o, &f->page[index]);
}

/* The thread that is free first takes the next read. */
static void replay(enum policy which)
{
	unsigned long long free_at[THREADS] = { 0 }, done = 0;
	const struct access *a;
	unsigned int i, first;
	pgoff_t index;

	policy = which;
	forget_all();
	steps_left = TRACE_STEPS;
	for (a = trace; a < trace + nr_accesses; a++) {
		for (first = 0, i = 1; i < words.threads; i++)
			if (free_at[i] < free_at[first])
				first = i;
		now = max(free_at[first], a->us);
		for (index = a->index; index < a->index + a->pages; index++)
			if (a->fault)
				touch_page(&opens[a->open], a, index);
			else
				use_page(&opens[a->open], a, index);
		/* 6.1 notes the position page by page, which comes to the same at the next read. */
		if (!a->fault)
			opens[a->open].ra.prev_pos = (loff_t)(a->index + a->pages) << PAGE_SHIFT;
		free_at[first] = now;
		done = max(done, now);
	}
	outcomes[which] = (struct outcome){ done, reads, read_pages, used_pages };
}

/* The trace */

static void add_access(unsigned long long us, unsigned int open, pgoff_t index,
		       unsigned long pages, bool fault)
{
	struct data_file *f = &files[opens[open].file];

	trace = grow(trace, nr_accesses, sizeof(*trace));
	trace[nr_accesses++] = (struct access){
		.us = us, .open = open, .index = index, .pages = pages, .fault = fault,
	};
	f->pages = max(f->pages, index + pages);
}

static void load_trace(FILE *in)
{
	static unsigned int known[NUMBERS], file_of[NUMBERS];
	unsigned long long us, byte, length;
	unsigned int line_nr, open, file;
	char line[512], how[8];
	int n;

	for (line_nr = 1; fgets(line, sizeof(line), in); line_nr++) {
		if (*line == '#' || *line == '\n')
			continue;
		n = sscanf(line, "%llu %u %u %llu %llu %7s", &us, &open, &file, &byte, &length,
			   how);
		if (n < 5 || !length || byte >> 44 || length >> 44 || open >= NUMBERS ||
		    file >= NUMBERS || (n == 6 && strcmp(how, "fault")))
			die("line %u is not: microseconds open file byte length [fault]", line_nr);
		if (!file_of[file])
			file_of[file] = add_file() + 1;
		if (!known[open])
			known[open] = add_open(file_of[file] - 1) + 1;
		add_access(us, known[open] - 1, byte >> PAGE_SHIFT,
			   ((byte + length - 1) >> PAGE_SHIFT) - (byte >> PAGE_SHIFT) + 1, n == 6);
	}
	if (!nr_accesses)
		die("the trace is empty");
}

/*
 * How far there are pages that are used before they would be forgotten, with gaps that cost less
 * than a wait: from the last access back to the first.
 */
static void look_ahead(void)
{
	unsigned long gap, k;
	unsigned int i;

	for (i = nr_accesses; i--;) {
		struct access *a = &trace[i], *n;
		struct data_file *f = &files[opens[a->open].file];
		pgoff_t end = a->index + a->pages;

		a->ahead = a->pages;
		a->most = machine.max;
		for (gap = 0; gap < GAP && end + gap < f->pages; gap++) {
			if (!f->next[end + gap])
				continue;
			n = &trace[f->next[end + gap] - 1];
			if (n - a > machine.cache / 2)
				continue;
			a->ahead = n->index + n->ahead - a->index;
			a->most = min(a->most,
				      (end + gap - a->index) * machine.cache / 4 / (n - a));
			break;
		}
		while (a->behind < min(a->index, machine.max) &&
		       f->next[a->index - a->behind - 1])
			a->behind++;
		for (k = 0; k < a->pages; k++)
			f->next[a->index + k] = i + 1;
	}
}

static void forget_trace(void)
{
	unsigned int i;

	for (i = 0; i < nr_files; i++) {
		free(files[i].present);
		free(files[i].page);
		free(files[i].next);
	}
	nr_accesses = 0;
	nr_files = 0;
	nr_opens = 0;
	files_end = 0;
}

static void replay_trace(int first, int last)
{
	unsigned int i;

	for (i = 0; i < nr_files; i++) {
		files[i].present = zeroed(files[i].pages, sizeof(*files[i].present));
		files[i].page = zeroed(files[i].pages, sizeof(*files[i].page));
		files[i].next = zeroed(files[i].pages, sizeof(*files[i].next));
		files[i].sector = files_end;
		files_end += files[i].pages * (PAGE_SIZE / DISK_SECTOR);
	}
	look_ahead();
	for (; first <= last; first++)
		replay(first);
}

/* Patterns */

static unsigned long pick(unsigned long *state, unsigned long below)
{
	return next_number(state) % below;
}

static unsigned long a_length(const struct part *p, unsigned long turn)
{
	unsigned int i = p->any ? pick(&words.seed, p->lens) : turn % p->lens;
	unsigned long n = 1;

	if (p->once)
		return words.count * max(p->by, 1UL);
	if (!p->len[i].mean)
		return p->len[i].from + pick(&words.seed, p->len[i].to - p->len[i].from + 1);
	while (pick(&words.seed, p->len[i].from))
		n++;
	return n;
}

/* Where the streams of a part are; they begin far enough apart. */
static pgoff_t *where(const struct part *p)
{
	static pgoff_t at[PARTS][STREAMS];
	unsigned long most = 0, apart, i;
	pgoff_t *stream = at[p - words.part];

	for (i = 0; i < p->lens; i++)
		most = max(most, p->len[i].to * (p->len[i].mean ? 8 : 1));
	apart = (words.count / p->streams + 2) * most + 1000;
	for (i = 0; i < p->streams; i++)
		stream[i] = p->from + (p->streams > 1 ? i * apart + apart / 2 : 0);
	return stream;
}

static void make_run(const struct part *p, unsigned int open, pgoff_t *at, unsigned long turn)
{
	unsigned long len = a_length(p, turn), by, n, i, k, all, order[1024];
	bool fault = p->mapped ^ (p->mixed && !(turn & 1));
	pgoff_t index;

	if (!p->on && !p->once)
		len = min(len, max(p->file / 2, 1UL));
	by = p->by ? min(p->by, len) : len;
	all = DIV_ROUND_UP(len, by);
	if (p->pieces)
		index = p->from + turn * 7919 % words.count * len;
	else if (p->on)
		index = *at;
	else
		index = p->from + pick(&words.seed, max(p->file - len, 1UL));
	*at = index + len;
	for (n = 0; n < all; n += p->group) {
		for (i = 0; i < p->group; i++) {
			k = p->group > 1 ? pick(&words.seed, i + 1) : 0;
			order[i] = order[k];
			order[k] = i;
		}
		for (i = 0; i < p->group && n + i < all; i++) {
			k = (p->down ? all - 1 - n - order[i] : n + order[i]) * by;
			if (p->even ? k % p->of : p->of > 1 && pick(&words.seed, p->of) >= p->one)
				continue;
			add_access(nr_accesses, open, index + k, min(by, len - k) + p->uneven,
				   fault);
		}
	}
}

static void make_trace(void)
{
	unsigned int open[PARTS] = { 0 }, i, k;
	unsigned long turn, stream;
	pgoff_t *at[PARTS];
	struct part *p;

	forget_trace();
	for (i = 0; i <= words.last; i++) {
		p = &words.part[i];
		at[i] = where(p);
		if (i && !p->own) {
			open[i] = open[i - 1];
			continue;
		}
		add_file();
		open[i] = nr_opens;
		for (k = 0; k < (p->separate ? p->streams : 1); k++)
			add_open(nr_files - 1);
	}
	for (turn = 0; turn < (words.part[0].once ? 1 : words.count); turn++)
		for (i = 0; i <= words.last; i++) {
			p = &words.part[i];
			stream = turn % p->streams;
			if (!(turn % p->every))
				make_run(p, open[i] + (p->separate ? stream : 0), at[i] + stream,
					 turn);
		}
	if (!nr_accesses)
		die("the trace is empty");
}

static void print_trace(void)
{
	const struct access *a;

	for (a = trace; a < trace + nr_accesses; a++)
		printf("%llu %u %u %lu %lu%s\n", a->us, a->open, opens[a->open].file,
		       a->index * PAGE_SIZE, a->pages * PAGE_SIZE, a->fault ? " fault" : "");
}

/* The words */

static const struct kind { const char *name, *words; } kinds[] = {
	{ "runs", "" }, { "warm", "" }, { "turns", "on streams=8 lens=32" },
	{ "skip", "once on one=3 of=10" }, { "shared", "once on by=8 group=8" },
	{ "pieces", "pieces lens=768 n=100" }, { "log", "on lens=16 and lens=1 from=1000000" },
	/* A page of an index, rows that lie together; now and then a report scans a part. */
	{ "database",
	  "file=20000 lens=1 and own file=400000 lens=8-32 and own on lens=256 every=50" },
	/* As sqlite reads them: its header, an inner page of the tree, then rows */
	{ "ranges", "lens=1 file=1 and lens=1 from=1 file=100 and lens=8-11 from=101 file=12000" },
};

static unsigned long number(const char *word, const char *text, unsigned long most)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || !n || n > most)
		die("%s: wanted is 1 to %lu", word, most);
	return n;
}

static void read_lens(struct part *p, const char *word, const char *text)
{
	char *end;

	for (p->lens = 0; p->lens < LENS; text = end + 1) {
		unsigned long from = strtoul(text, &end, 10), to = from;
		bool mean = *end == '*';

		if (mean)
			end++;
		else if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (!from || to < from || (*end && *end != ','))
			break;
		p->len[p->lens].from = from;
		p->len[p->lens].to = to;
		p->len[p->lens++].mean = mean;
		if (!*end)
			return;
	}
	die("%s: wanted are at most %u lengths like 16,1-4,30*", word, LENS);
}

/* Take a word; false if it is none. */
static bool read_word(const char *word)
{
	struct part *p = &words.part[words.last];
	const struct { const char *name; unsigned long *value, most; } numbers[] = {
		{ "max=", &machine.max, 1UL << 20 }, { "cache=", &machine.cache, 1UL << 40 },
		{ "threads=", &words.threads, THREADS }, { "n=", &words.count, 1UL << 30 },
		{ "seed=", &words.seed, ULONG_MAX }, { "file=", &p->file, 1UL << 30 },
		{ "from=", &p->from, 1UL << 30 }, { "streams=", &p->streams, STREAMS },
		{ "by=", &p->by, 1UL << 20 }, { "one=", &p->one, 1UL << 20 },
		{ "of=", &p->of, 1UL << 20 }, { "group=", &p->group, 1024 },
		{ "every=", &p->every, 1UL << 20 },
	};
	const struct { const char *name; bool *value; } flags[] = {
		{ "any", &p->any }, { "on", &p->on }, { "once", &p->once }, { "own", &p->own },
		{ "pieces", &p->pieces }, { "separate", &p->separate }, { "mapped", &p->mapped },
		{ "mixed", &p->mixed }, { "down", &p->down }, { "even", &p->even },
		{ "uneven", &p->uneven }, { "disk", &machine.disk }, { "fifo", &machine.fifo },
	};
	size_t i, n = strcspn(word, "=") + 1;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strncmp(word, numbers[i].name, n) && word[n - 1]) {
			*numbers[i].value = number(word, word + n, numbers[i].most);
			return true;
		}
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(word, flags[i].name)) {
			*flags[i].value = true;
			return true;
		}
	if (!strncmp(word, "lens=", 5))
		read_lens(p, word, word + 5);
	else if (!strcmp(word, "whole"))
		p->by = 0;
	else if (!strcmp(word, "base=6.1") || !strcmp(word, "base=7.3"))
		machine.old = word[5] == '6';
	else if (!strcmp(word, "and") && words.last < PARTS - 1)
		words.part[++words.last] = one_part;
	else
		return false;
	return true;
}

static void read_words(const char *text)
{
	char *line = strdup(text), *word, *rest = line;

	while ((word = strsep(&rest, " ")))
		if (*word && !read_word(word))
			die("unknown word %s", word);
	free(line);
}

static const struct kind *kind_of(const char *text)
{
	size_t n = strcspn(text, " "), i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].name) == n && !strncmp(text, kinds[i].name, n))
			return &kinds[i];
	die("there is no trace %s", text);
}

/* Begin with what is given where no word says it. */
static void no_words(bool old)
{
	machine = (struct machine){ .max = 32, .cache = 65536, .old = old };
	words = (struct words){ .threads = 1, .seed = 1, .count = 1000, .part[0] = one_part };
}

/* A line of a kind and words: words behind one of several parts are the last one's. */
static void make(const char *line, bool old)
{
	no_words(old);
	read_words(kind_of(line)->words);
	read_words(line + strcspn(line, " "));
	make_trace();
}

/* What is said of a trace, and of many */
struct shares {
	double time, pages, best_time, best_pages, best_read;
};

static struct shares shares(void)
{
	const struct outcome *o = outcomes, *d = &o[DOUBLING];

	replay_trace(DOUBLING, FUTURE);
	return (struct shares){ o[RUNS].us / d->us, o[RUNS].pages / d->pages, o[FUTURE].us / d->us,
				o[FUTURE].used / d->pages, o[FUTURE].pages / d->pages };
}

static struct shares share_of(const char *line, bool old)
{
	make(line, old);
	return shares();
}

static void print_try(void)
{
	struct shares s = shares();

	printf("time %.2f (%.1f/%.1f ms) pages %.2f; at best %.2f %.2f\n", s.time,
	       outcomes[RUNS].us / 1e3, outcomes[DOUBLING].us / 1e3, s.pages, s.best_time,
	       s.best_pages);
}

static void print_all(void)
{
	const struct outcome *o;

	replay_trace(0, POLICIES - 1);
	printf("%-10s %10s %10s %10s %10s\n", "policy", "reads", "pages", "unused", "total-ms");
	for (o = outcomes; o < outcomes + POLICIES; o++)
		printf("%-10s %10.0f %10.0f %10.0f %10.1f\n", policies[o - outcomes], o->reads,
		       o->pages, o->pages - o->used, o->us / 1e3);
}

/* Replay the lines of a table, print them anew, and say whether they are the same. */
static int check(const char *name)
{
	FILE *in = fopen(name, "r");
	char line[512], text[256], got[512], *end;
	struct shares s, old;
	int same = 0, all = 0;

	if (!in)
		die("%s: %s", name, strerror(errno));
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "\t%255[^\t]\t%lf %lf", text, &s.time, &s.pages) != 3)
			continue;
		for (end = text + strlen(text); end > text && end[-1] == ' '; end--)
			end[-1] = '\0';
		s = share_of(text, false);
		old = share_of(text, true);
		snprintf(got, sizeof(got), "\t%-56s\t%.2f %.2f\t%.2f %.2f\t%.2f %.2f\n", text,
			 s.time, s.pages, old.time, old.pages, s.best_time, s.best_pages);
		fputs(got, stdout);
		same += !strcmp(got, line);
		all++;
	}
	fclose(in);
	if (!all || same < all)
		wrong("%d of %d lines of %s are others", all - same, all, name);
	return 0;
}

/* Words for a trace of some thousand pages, as a line that "try" takes */
static void draw(unsigned long *state, char *text, size_t size)
{
	static const unsigned long maxes[] = { 32, 32, 32, 128, 256, 1024 };
	unsigned long max = maxes[pick(state, ARRAY_SIZE(maxes))], most = 1 + pick(state, 2 * max);
	unsigned long n = 1 + pick(state, 4), len, sum = 0, i;
	char lens[128] = "";

	for (i = 0; i < n; i++) {
		len = 1 + pick(state, pick(state, 2) ? most : 8);
		sum += len;
		snprintf(lens + strlen(lens), sizeof(lens) - strlen(lens), "%s%lu%s", i ? "," : "",
			 len, pick(state, 4) ? "" : "*");
	}
	len = sum / n + 1;
	switch (pick(state, 8)) {
	default:
		snprintf(text, size, "runs lens=%s%s%s max=%lu n=%lu file=%lu", lens,
			 pick(state, 2) ? " any" : "", pick(state, 3) ? "" : " whole", max,
			 min(20000 / len + 50, 2000UL), 100000UL << pick(state, 5));
		break;
	/* A file that is read often enough to come to be in memory, if that is large enough */
	case 4:
		i = max(16 * most, 2048UL << pick(state, 5));
		snprintf(text, size, "warm lens=%s%s max=%lu n=%lu file=%lu cache=%lu", lens,
			 pick(state, 2) ? " any" : "", max,
			 min(i * (1 + pick(state, 3)) / len + 50, 20000UL), i,
			 i * (25 + pick(state, 100)) / 100);
		return;
	case 0:
	case 1:
		i = 1 + pick(state, 16);
		snprintf(text, size, "turns streams=%lu lens=%lu max=%lu n=%lu%s", i, most, max,
			 max(40000 / most, 40 * i), pick(state, 2) ? " separate" : "");
		break;
	case 2:
		i = 10 + pick(state, 90);
		snprintf(text, size, "skip one=%lu of=100 max=%lu n=20000", i, max);
		break;
	case 3:
		i = 1UL << pick(state, 7);
		snprintf(text, size, "shared by=%lu threads=%lu group=%lu max=%lu n=%lu", i,
			 1 + pick(state, 16), 1 + pick(state, 8), max, max(40000 / i, 500UL));
		break;
	}
	if (!pick(state, 3))
		snprintf(text + strlen(text), size - strlen(text), " mapped");
	if (!pick(state, 3)) {
		i = max * (4 + pick(state, 60));
		snprintf(text + strlen(text), size - strlen(text), " cache=%lu%s", i,
			 pick(state, 2) ? " fifo" : "");
	}
}

/* Likewise, of what reports tell of: another page beside a stream, pieces in any order, scans */
static void draw_more(unsigned long *state, char *text, size_t size)
{
	static const char * const more[] = {
		"log lens=%lu max=%lu", "log lens=%lu max=%lu mapped",
		"pieces lens=%lu0 max=%lu n=50", "pieces lens=%lu0 max=%lu n=50 mapped",
		"skip even of=%lu max=%lu n=40000", "skip even of=%lu max=%lu n=40000 mapped",
		"runs lens=%lu0 max=%lu by=16 n=200 uneven",
	};

	snprintf(text, size, more[pick(state, ARRAY_SIZE(more))], 1 + pick(state, 64),
		 32UL << pick(state, 6));
}

/* Of the traces of a kind: how many there are, and lose; and sums of logarithms */
struct tally {
	unsigned int n, slower, slow, more, best_more;
	struct shares sum;
};

static void count(struct tally *t, const struct shares *s)
{
	t->n++;
	t->slower += s->time > 1.05;
	t->slow += s->time > 1.25;
	t->more += s->pages > 1.1;
	t->best_more += s->best_read > 1.1;
	t->sum.time += log(s->time);
	t->sum.pages += log(s->pages);
	t->sum.best_time += log(s->best_time);
	t->sum.best_pages += log(s->best_pages);
}

static void tell(const char *without, const char *mapped, const char *name, const struct tally *t)
{
	if (t->n)
		printf("    %-8s%-6s %-8s%6u   %.3f %.3f   %.3f %.3f   %4u %4u %4u %4u\n", without,
		       mapped, name, t->n, exp(t->sum.time / t->n), exp(t->sum.pages / t->n),
		       exp(t->sum.best_time / t->n), exp(t->sum.best_pages / t->n), t->slower,
		       t->slow, t->more, t->best_more);
}

/* Draw traces; all are told by kind, and those that lose line by line unless a part is left out. */
static void search(unsigned long n, unsigned long seed, bool old, const char *without)
{
	static const char * const how[] = { "reads", "faults", "both" };
	struct tally kind[3][ARRAY_SIZE(kinds) + 1] = { 0 };
	unsigned long more = ~seed;
	unsigned int i, k;
	struct shares s;
	char line[256];

	while (n--) {
		if (n % 8)
			draw(&seed, line, sizeof(line));
		else
			draw_more(&more, line, sizeof(line));
		s = share_of(line, old);
		k = kind_of(line) - kinds;
		count(&kind[!!strstr(line, " mapped")][k], &s);
		count(&kind[!!strstr(line, " mapped")][ARRAY_SIZE(kinds)], &s);
		count(&kind[2][ARRAY_SIZE(kinds)], &s);
		if (!*without && (s.time > 1.05 || s.pages > 1.1))
			printf("time %.2f pages %.2f try %s\n", s.time, s.pages, line);
	}
	for (i = 0; i < 3; i++)
		for (k = *without ? ARRAY_SIZE(kinds) : 0; k <= ARRAY_SIZE(kinds); k++)
			tell(without, how[i], k < ARRAY_SIZE(kinds) ? kinds[k].name : "all",
			     &kind[i][k]);
}

static const struct { const char *name; unsigned int hidden, wait; } parts[] = {
	{ "nothing", 0 }, { "memory", RA_HIDE_LENGTHS }, { "history", RA_HIDE_HISTORY },
	{ "used", RA_HIDE_USED }, { "warm", RA_HIDE_WARM }, { "shadows", RA_HIDE_SHADOWS },
	{ "marks", RA_HIDE_MARKS }, { "reads", RA_HIDE_READS }, { "faults", RA_HIDE_FAULTS },
	{ "wait=8", 0, 8 }, { "wait=16", 0, 16 }, { "wait=64", 0, 64 },
};

static int search_all(bool ablate)
{
	unsigned long n = words.count, seed = words.seed;
	bool old = machine.old;
	unsigned int i;

	printf("# n=%lu seed=%lu base=%s%s: how many; time and pages, of stock's, and at best;\n"
	       "# how many lose more than 5, and 25 %% of time, 10 %% of pages; that at best\n", n,
	       seed, old ? "6.1" : "7.3", ablate ? ", without" : "");
	for (i = 0; i < (ablate ? ARRAY_SIZE(parts) : 1); i++) {
		ra_hidden = parts[i].hidden;
		ra_wait = parts[i].wait ?: SZ_128K / PAGE_SIZE;
		search(n, seed, old, ablate ? parts[i].name : "");
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	FILE *in = stdin;
	int i = 1;

	ra_reads = runs_force;
	no_words(false);
	if (argc == 3 && !strcmp(verb, "check"))
		return check(argv[2]);
	if (argc > 2 && (!strcmp(verb, "gen") || !strcmp(verb, "try"))) {
		read_words(kind_of(argv[2])->words);
		i = 3;
	} else if (!strcmp(verb, "search") || !strcmp(verb, "ablate")) {
		i = 2;
	} else {
		verb = "";
	}
	for (; i < argc; i++) {
		if (read_word(argv[i]))
			continue;
		if (*verb || in != stdin || strchr(argv[i], '='))
			die("unknown word %s", argv[i]);
		in = fopen(argv[i], "r");
		if (!in)
			die("%s: %s", argv[i], strerror(errno));
	}
	if (*verb == 's' || *verb == 'a')
		return search_all(*verb == 'a');
	if (*verb)
		make_trace();
	else
		load_trace(in);
	if (*verb == 'g')
		print_trace();
	else if (*verb == 't')
		print_try();
	else
		print_all();
	return 0;
}
