// SPDX-License-Identifier: GPL-2.0
/*
 * Claim a disk: nobody else can mount it or hold it, by this path or another (see claim.h).
 *
 *	disk_claim DEVICE [COMMAND [ARG]...]	run COMMAND while the disk is claimed
 *	disk_claim -p DEVICE			print the other paths to the disk, one a line
 *
 * Without COMMAND it only says whether the disk can be claimed. What opens it exclusively itself
 * fails as COMMAND: mkfs, mount, a raw device. Reads nothing, writes nothing.
 *
 * Exit status: 0 it can be claimed, or that of COMMAND; 2 usage; 3 no block device, or in use (one
 * line on stderr says why); 127 no such COMMAND.
 */
#include "claim.h"
#include "words.h"

static const char usage[] =
	"usage: disk_claim DEVICE [COMMAND [ARG]...]   run COMMAND while nobody else can have the disk\n"
	"       disk_claim -p DEVICE                   print the other paths to it\n"
	"Exit: 0 (or that of COMMAND), 2 usage, 3 no block device or in use, 127 no such COMMAND.";

static void print_paths(dev_t dev)
{
	const char *path;

	while ((path = next_path(dev)))
		puts(path);
	if (fflush(stdout))
		die(EXIT_IO, "standard output: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct stat st;
	int paths;

	help_if_asked(argc < 2 ? argc : 2, argv, usage);
	paths = argc == 3 && !strcmp(argv[1], "-p");
	if (argc < 2 || (*argv[1] == '-' && !paths))
		die(EXIT_USAGE, "DEVICE is missing (-h for help)");
	argv += 1 + paths;
	if (stat(*argv, &st) || !S_ISBLK(st.st_mode))
		die(EXIT_DEVICE, "%s: not a block device", *argv);
	if (paths) {
		print_paths(st.st_rdev);
		return 0;
	}
	claim(*argv, O_RDONLY, EXIT_DEVICE);
	if (!argv[1])
		return 0;
	execvp(argv[1], argv + 1);
	die(127, "%s: %s", argv[1], strerror(errno));
}
