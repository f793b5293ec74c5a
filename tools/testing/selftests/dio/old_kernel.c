// SPDX-License-Identifier: GPL-2.0
/*
 * Run a program as if the kernel were old.
 *
 *	old_kernel PROGRAM [ARG]...
 *
 * Every x86-64 system call that came after Linux 2.4 (number 219, restart_syscall, and up) fails
 * with ENOSYS. Exit status: that of the program; 4 if this machine cannot do it; 127 if there is no
 * such program.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#define PROGRAM	"old_kernel"
#include "words.h"

#define FIRST_NEW_CALL	219
#define FILTER_LEN	4

static const char usage[] = "usage: old_kernel PROGRAM [ARG]...";

#ifdef __x86_64__
static int forbid_new_calls(void)
{
	struct sock_filter filter[FILTER_LEN] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_NEW_CALL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { FILTER_LEN, filter };

	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	    !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 0;
	fprintf(stderr, "no system call filter: %s\n", strerror(errno));
	return -1;
}
#else
static int forbid_new_calls(void)
{
	fputs("the numbers of system calls are known for x86-64 only\n", stderr);
	return -1;
}
#endif

int main(int argc, char **argv)
{
	/* What comes later is PROGRAM's. */
	help_if_asked(argc < 2 ? argc : 2, argv, usage);
	if (argc < 2) {
		fprintf(stderr, "%s\n", usage);
		return 2;
	}
	if (forbid_new_calls())
		return 4;
	execv(argv[1], argv + 1);
	fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
	return 127;
}
