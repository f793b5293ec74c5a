// SPDX-License-Identifier: GPL-2.0
/*
 * Readahead policies on made traces of reads: what each would have had the disk read.
 *
 *	ra_replay try KIND [WORD...]	make a trace and replay it; a line
 *	ra_replay check TABLE		print the lines of a table anew: are they the same?
 *	ra_replay search [n=1000] [seed=1] [base=]	draw traces: gains and losses, by kind
 *	ra_replay ablate [n=1000] [seed=1] [base=]	the same, without each part of the policy,
 *							and with other waits; all kinds together
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
 * all else: that is what the base does without, as we understand it. "future" knows the trace: it
 * reads up to two windows ahead what is used before it would be forgotten, over gaps that cost less
 * than a wait. Its time is the best that we know; the pages that it uses are the fewest.
 *
 * The model: a page cache of so many pages that forgets what was used longest ago, or with "fifo"
 * what came longest ago and was not used twice, as lists of inactive pages do; a disk that
 * takes 200 us for each read and 4 us for each page, reads in parallel; a program that goes on 2 us
 * after it has its page, and reads the nth of a trace after n us at least. A fault takes 1 us
 * besides, and maps what is there of the 16 pages around it.
 *
 * Exit: 0 done, 1 not ok, 2 usage.
 */
#include "readahead_runs.c"
#include <math.h>
#include <stdarg.h>
#include "../selftests/dio/model_disk.h"
#include "ra_model.h"

/* Many times what was seen */
#define TRACE_STEPS	100000000UL

/* One read of the trace */
struct access {
	struct open_file *open;
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
#define PARTS	FILES
#define THREADS	1024
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

/* At each page: the next window is begun when the program enters the one before. */
static void future_miss(struct open_file *o, const struct access *a, pgoff_t index)
{
	pgoff_t start = index, end = min(a->index + a->ahead, index + a->most + 1);

	if (!is_cached(&o->file->mapping, index))
		read_window(o->file, a->index - a->behind, a->behind, 0);
	else if (o->far > index)
		start = min(o->far, end);
	while (start < end && is_cached(&o->file->mapping, start))
		start++;
	o->far = start;
	if (start < end)
		read_window(o->file, start,
			    min(a->index + a->ahead - start, max(a->most, 1UL)), 0);
}

static enum policy { DOUBLING, RUNS, FUTURE, POLICIES } policy;

/* Is this part of the policy asked? */
static bool shown(unsigned int part)
{
	return policy == RUNS && !(ra_hidden & part);
}

static void miss(struct open_file *o, const struct access *a, pgoff_t index, unsigned long pages)
{
	if (policy == FUTURE)
		future_miss(o, a, index);
	else if (!shown(RA_HIDE_READS) ||
		 !ra_runs_miss(look_at(o, index), pages, machine.max))
		base_miss(o, index, pages);
}

/* Of a page that is there */
static void mark(struct open_file *o, const struct access *a, pgoff_t index, unsigned long pages)
{
	u16 *flags = flags_of(o->file, index);

	if (policy == FUTURE)
		future_miss(o, a, index);
	if (!(*flags & XA_MARK))
		return;
	*flags &= ~XA_MARK;
	if (!shown(RA_HIDE_MARKS) ||
	    !ra_runs_mark(look_at(o, index), (struct folio *)flags, machine.max))
		base_mark(o, index, pages);
}

/* A fault on a page that is missing */
static void fault(struct open_file *o, const struct access *a, pgoff_t index)
{
	struct readahead_control *ractl = look_at(o, index);
	bool given_up = stock_missed(&o->ra);

	if (policy == FUTURE)
		future_miss(o, a, index);
	else if (shown(RA_HIDE_FAULTS) && ra_runs_fault(ractl, o->ra.mmap_miss))
		ra_runs_read(ractl, 1);
	else if (!given_up)
		read_around(o, index);
}

/* And on one that is there */
static void touch(struct open_file *o, const struct access *a, pgoff_t index)
{
	u16 *flags = flags_of(o->file, index);

	if ((*flags & XA_MARK) && shown(RA_HIDE_FAULTS) &&
	    ra_runs_touched(look_at(o, index), (struct folio *)flags))
		return;
	touched(o, index);
	mark(o, a, index, machine.max);
}

/* What came of each */
static struct outcome {
	double us, pages, used;
} outcomes[POLICIES];

/* The replay */

static void use_page(struct open_file *o, const struct access *a, pgoff_t index)
{
	unsigned long pages = a->index + a->pages - index;
	struct data_file *f = o->file;

	if (!is_cached(&f->mapping, index))
		miss(o, a, index, pages);
	if (!is_cached(&f->mapping, index))
		read_window(f, index, 1, 0);
	mark(o, a, index, pages);
	if (!is_cached(&f->mapping, index))
		return;		/* thrown out by what was read ahead of it */
	wait_for(&f->page[index]);
	use(f, index);
	if (machine.old)
		o->ra.prev_pos = (loff_t)(index + 1) << PAGE_SHIFT;
}

/* A program touches a page of its mapping. */
static void touch_page(struct open_file *o, const struct access *a, pgoff_t index)
{
	struct data_file *f = o->file;
	u16 *flags = flags_of(f, index);

	if (!(*flags & XA_MAPPED)) {
		now += FAULT_US;
		if (is_cached(&f->mapping, index))
			map_around(o, index, true);
	}
	if (!is_cached(&f->mapping, index)) {
		fault(o, a, index);
		if (!is_cached(&f->mapping, index))
			read_window(f, index, 1, 0);
		wait_for(&f->page[index]);
		map_around(o, index, false);
	} else if (!(*flags & XA_MAPPED)) {
		touch(o, a, index);
		if (is_cached(&f->mapping, index) && f->page[index].arrives > now) {
			wait_for(&f->page[index]);
			map_around(o, index, false);
		}
	}
	if (policy == FUTURE)
		mark(o, a, index, 1);
	if (!is_cached(&f->mapping, index))
		return;
	*flags |= XA_MAPPED;
	use(f, index);
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
		now = max(free_at[first], (unsigned long long)(a - trace));
		for (index = a->index; index < a->index + a->pages; index++)
			if (a->fault)
				touch_page(a->open, a, index);
			else
				use_page(a->open, a, index);
		/* 6.1 notes the position page by page, which comes to the same at the next read. */
		if (!a->fault)
			a->open->ra.prev_pos = (loff_t)(a->index + a->pages) << PAGE_SHIFT;
		free_at[first] = now;
		done = max(done, now);
	}
	outcomes[which] = (struct outcome){ done, read_pages, used_pages };
}

/* The trace */

static void add_access(struct open_file *open, pgoff_t index, unsigned long pages, bool fault)
{
	pgoff_t *end = &open->file->mapping.i_pages.pages;

	/* It grows when it is as long as a power of two. */
	if (!(nr_accesses & (nr_accesses - 1)))
		trace = realloc(trace, (2UL * nr_accesses + 1) * sizeof(*trace));
	if (!trace)
		die("no memory");
	trace[nr_accesses++] = (struct access){
		.open = open, .index = index, .pages = pages, .fault = fault,
	};
	*end = max(*end, index + pages);
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
		struct data_file *f = a->open->file;
		pgoff_t end = a->index + a->pages;

		a->ahead = a->pages;
		a->most = machine.max;
		for (gap = 0; gap < GAP && end + gap < f->mapping.i_pages.pages; gap++) {
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

static void make_run(const struct part *p, struct open_file *open, pgoff_t *at,
		     unsigned long turn)
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
			add_access(open, index + k, min(by, len - k) + p->uneven, fault);
		}
	}
}

static void make_trace(void)
{
	struct open_file *open[PARTS];
	unsigned long turn, stream, k;
	pgoff_t *at[PARTS];
	struct part *p;
	unsigned int i;

	nr_accesses = 0;
	forget_files();
	for (i = 0; i <= words.last; i++) {
		p = &words.part[i];
		at[i] = where(p);
		if (i && !p->own) {
			open[i] = open[i - 1];
			continue;
		}
		open[i] = &opens[nr_opens];
		for (k = 0; k < (p->separate ? p->streams : 1); k++)
			opens[nr_opens++].file = &files[nr_files];
		nr_files++;
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
	char more;

	if (sscanf(text, "%lu%c", &n, &more) != 1 || !n || n > most)
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

/* What is said of a trace, and of many */
struct shares {
	double time, pages, best_time, best_pages, best_read;
};

/* Of a line of a kind and words: words behind one of several parts are the last one's. */
static struct shares share_of(const char *line, bool old)
{
	const struct outcome *o = outcomes, *d = &o[DOUBLING];
	struct data_file *f;
	enum policy i;

	no_words(old);
	read_words(kind_of(line)->words);
	read_words(line + strcspn(line, " "));
	make_trace();
	for (f = files; f < files + nr_files; f++)
		set_up_file(f);
	look_ahead();
	for (i = 0; i < POLICIES; i++)
		replay(i);
	return (struct shares){ o[RUNS].us / d->us, o[RUNS].pages / d->pages, o[FUTURE].us / d->us,
				o[FUTURE].used / d->pages, o[FUTURE].pages / d->pages };
}

/* Replay the trace of these words. */
static int try(char **word)
{
	char line[1024] = "";
	struct shares s;

	for (; *word; word++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s ", *word);
	s = share_of(line, false);
	printf("time %.2f (%.1f/%.1f ms) pages %.2f; at best %.2f %.2f\n", s.time,
	       outcomes[RUNS].us / 1e3, outcomes[DOUBLING].us / 1e3, s.pages, s.best_time,
	       s.best_pages);
	return 0;
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
	int i;

	force_page_cache_ra = read_for_policy;
	if (argc > 2 && !strcmp(verb, "try"))
		return try(argv + 2);
	if (argc == 3 && !strcmp(verb, "check"))
		return check(argv[2]);
	if (strcmp(verb, "search") && strcmp(verb, "ablate"))
		die("usage: try KIND [WORD...] | check TABLE | search [WORD...] | ablate [...]");
	no_words(false);
	for (i = 2; i < argc; i++)
		if (!read_word(argv[i]))
			die("unknown word %s", argv[i]);
	return search_all(*verb == 'a');
}
