// SPDX-License-Identifier: GPL-2.0
/*
 * Write a file from start to end, several times, and say what that took.
 *
 *	dio_write create|fill|over [direct] [verify] bs=N size=N [n=16] FILE
 *
 * A round: start the clock, open the file, write size bytes in pieces of bs, fsync, close, stop
 * the clock. Before it, and not timed, the file is removed (create), made a hole of size bytes
 * (fill), or left as it is (over; it is written once before the first round). Memory for the
 * whole file is made and stamped (see stamp.h) before all rounds; its pages are as in dio_load.
 * verify reads the last round's file back from the disk, and checks every sector.
 *
 * Prints a JSON object with the mean nanoseconds of a round. Exit status: 0 done, 1 a step failed,
 * 2 usage, 5 wrong data.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "words.h"
#include "load.h"
#include "stamp.h"

#define DISK		1	/* the number in the stamps */

static const char usage[] =
	"usage: dio_write create|fill|over [direct] [verify] bs=1m size=32m [n=16] FILE";

enum { NONE, CREATE, FILL, OVER };

static struct {
	const char *name;
	unsigned long long bs, size, n;
	int before, direct, verify;
} opt = { .n = 16 };

static char *memory;

static const struct word words[] = {
	CHOICE("create", opt.before, CREATE), CHOICE("fill", opt.before, FILL),
	CHOICE("over", opt.before, OVER), FLAG("direct", opt.direct), FLAG("verify", opt.verify),
	NUMBER("bs=", opt.bs), NUMBER("size=", opt.size), NUMBER("n=", opt.n),
	{ .name = NULL }
};

static void fail(const char *step)
{
	die(1, "%s: %s: %s", opt.name, step, strerror(errno));
}

static void prepare(void)
{
	int fd;

	if (opt.before == CREATE && unlink(opt.name) && errno != ENOENT)
		fail("unlink");
	if (opt.before != FILL)
		return;
	fd = must_open(opt.name, O_WRONLY | O_CREAT | O_TRUNC, 1);
	if (ftruncate(fd, opt.size) || fsync(fd) || close(fd))
		fail("make a hole");
}

/* What it took */
static unsigned long long round_once(void)
{
	unsigned long long start = now_ns(), pos;
	ssize_t done;
	int fd = must_open(opt.name, O_WRONLY | O_CREAT | (opt.direct ? O_DIRECT : 0), 1);

	for (pos = 0; pos < opt.size; pos += opt.bs) {
		done = write(fd, memory + pos, opt.bs);
		if (done < 0)
			fail("write");
		if ((unsigned long long)done != opt.bs)
			die(1, "%s: wrote %zd of %llu bytes", opt.name, done, opt.bs);
	}
	if (fsync(fd))
		fail("fsync");
	if (close(fd))
		fail("close");
	return now_ns() - start;
}

static void read_back(void)
{
	int fd = must_open(opt.name, O_RDONLY | O_DIRECT, 1);
	unsigned long long pos;

	memset(memory, 0, opt.size);
	for (pos = 0; pos < opt.size; pos += opt.bs)
		if (read(fd, memory + pos, opt.bs) != (ssize_t)opt.bs)
			fail("read");
	check_stamps(opt.name, memory, opt.size, DISK, 0);
}

int main(int argc, char **argv)
{
	unsigned long long ns = 0, i;

	parse_words(argc, argv, usage, words, &opt.name, 1);
	if (!opt.name || !opt.before || !opt.bs || !opt.size || !opt.n)
		die(EXIT_USAGE, "%s", usage);
	if (opt.bs % STAMP_SECTOR || opt.size % opt.bs)
		die(EXIT_USAGE, "size= is not a multiple of bs=, or bs= not of %d", STAMP_SECTOR);
	want_file(opt.name);
	memory = load_memory(opt.size, 0);
	fill_stamps(memory, opt.size, DISK, 0);
	if (opt.before == OVER)
		round_once();
	for (i = 0; i < opt.n; i++) {
		prepare();
		ns += round_once();
	}
	if (opt.verify)
		read_back();
	printf("{\"ns\": %.0f}\n", (double)ns / opt.n);
	return 0;
}
