/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of a command line (blocks=2K), and the one line on stderr that says what is wrong.
 */
#ifndef DIO_WORDS_H
#define DIO_WORDS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define __noreturn	__attribute__((__noreturn__))
#define __printf(f, a)	__attribute__((__format__(printf, f, a)))

enum { EXIT_USAGE = 2, EXIT_DEVICE, EXIT_IO, EXIT_DATA };

/* What was printed before goes out first; functions left with atexit() run. */
static void __noreturn __printf(2, 3) die(int status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

/* Opens a file, which O_CREAT makes, or ends with @status. */
static inline int must_open(const char *name, int flags, int status)
{
	int fd = open(name, flags, 0600);

	if (fd < 0)
		die(status, "%s: %s", name, strerror(errno));
	return fd;
}

/* 0 in the new process */
static inline pid_t must_fork(int status)
{
	pid_t pid = fork();

	if (pid < 0)
		die(status, "no process: %s", strerror(errno));
	return pid;
}

/* -h: how the program is called, on stdout, and it ends. Wrong words: the same on stderr. */
static inline void help_if_asked(int argc, char **argv, const char *usage)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-h") && strcmp(argv[i], "--help"))
			continue;
		exit(puts(usage) < 0 || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
	}
}

/* The number in @word from @text on: digits, then at most one of k, m, g (2^10, 2^20, 2^30). */
static inline unsigned long long parse_number(const char *word, const char *text)
{
	static const char suffixes[] = "kKmMgG";
	const char *suffix;
	unsigned long long n;
	int shift = 0;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		shift = 10 * ((suffix - suffixes) / 2 + 1);
		end++;
	}
	if (*text < '0' || *text > '9' || *end)
		die(EXIT_USAGE, "%s: not a number (digits, then k, m or g)", word);
	if (errno || n > ULLONG_MAX >> shift)
		die(EXIT_USAGE, "%s: too large", word);
	return n << shift;
}

/* A word that ends in = sets a number or a text, any other a flag to a value. */
struct word {
	const char *name;
	unsigned long long *number;
	const char **text;
	int *flag, value;
};

#define NUMBER(word, var)		{ .name = word, .number = &(var) }
#define TEXT(word, var)			{ .name = word, .text = &(var) }
#define FLAG(word, var)			CHOICE(word, var, 1)
#define CHOICE(word, var, is)		{ .name = word, .flag = &(var), .value = is }

/* Does what @word says, if it is one of @words; the last of those has no name. */
static inline int set_word(const struct word *words, const char *word)
{
	size_t len;

	for (; words->name; words++) {
		len = strlen(words->name);
		if (words->flag ? strcmp(word, words->name) : strncmp(word, words->name, len))
			continue;
		if (words->flag)
			*words->flag = words->value;
		else if (words->text)
			*words->text = word + len;
		else
			*words->number = parse_number(word, word + len);
		return 1;
	}
	return 0;
}

/* All words: a file or a device is named with a slash; @names has room for @nr of them. */
static inline void parse_words(int argc, char **argv, const char *usage, const struct word *words,
			       const char **names, int nr)
{
	int i;

	help_if_asked(argc, argv, usage);
	for (i = 1; i < argc; i++) {
		if (set_word(words, argv[i]))
			continue;
		if (!strchr(argv[i], '/') || !nr)
			die(EXIT_USAGE, "unknown word %s", argv[i]);
		*names++ = argv[i];
		nr--;
	}
}

/* A file made there would stand where a disk was meant. */
static inline int is_under_dev(const char *name)
{
	char dir[PATH_MAX], real[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", name);
	strrchr(dir, '/')[1] = 0;
	return realpath(dir, real) && !strncmp(real, "/dev", 4) && (!real[4] || real[4] == '/');
}

/* For who makes or empties a file, @name with a slash: a device is never taken for one. */
static inline void want_file(const char *name)
{
	struct stat st;

	if (stat(name, &st) ? is_under_dev(name) : !S_ISREG(st.st_mode))
		die(EXIT_USAGE, "%s: not a file, and none is made under /dev", name);
}

#endif
