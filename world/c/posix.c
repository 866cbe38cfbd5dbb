//go:build linux && cgo && (amd64 || arm64)

/*
 * Calls of POSIX and stdio that open, change or remove files. A rank notes those that succeed,
 * and Go compares them with what is open through MPI at the rank's next call of MPI: until then
 * no other rank can have learned of them.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "frame.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a rank has opened a file through MPI: before that, reading and removing are of no interest. */
static volatile int opened_by_mpi;

void commworld_watch_files(void) { opened_by_mpi = 1; }

/* Descriptors by which ranks may write, as far as they are noted. */
static volatile unsigned char writing[1 << 16];

static int may_write(int fd) { return fd >= 0 && (size_t)fd < sizeof writing && writing[fd]; }

/* Most calls that are kept between two calls of MPI. */
enum { MOST_FILE_CALLS = 1 << 16 };

/* Appends a call of a rank; fp is the frame of the function that it called. Takes path. */
static void note(struct frame *f, int kind, int fd, const char *function, char *path, void *fp)
{
	struct owner *o = f->owner;
	struct file_call *c = o->kept_file_calls < MOST_FILE_CALLS ? malloc(sizeof *c) : NULL;
	if (c == NULL) {
		o->lost_file_calls = 1;
		free(path);
		return;
	}
	o->kept_file_calls++;
	*c = (struct file_call){.kind = kind, .fd = fd, .function = function, .path = path};
	commworld_lines(f, fp, c->lines);
	if (o->file_calls == NULL)
		o->file_calls = c;
	else
		o->last_file_call->next = c;
	o->last_file_call = c;
}

/* The path of an open file; NULL if it is not a regular file. */
static char *path_of(int fd)
{
	struct stat s;
	char name[32], path[PATH_MAX];
	if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
		return NULL;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(name, path, sizeof path - 1);
	if (n <= 0 || path[0] != '/')
		return NULL;
	path[n] = 0;
	return strdup(path);
}

/* Notes that a rank has opened a file. */
static void note_open(int fd, int flags, const char *function, void *fp)
{
	const int before = errno, writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	struct frame *f;
	char *path;
	if (fd < 0 || (flags & O_PATH) == O_PATH || (!writes && !opened_by_mpi))
		return;
	if ((f = commworld_caller()) != NULL && (path = path_of(fd)) != NULL) {
		const int known = (size_t)fd < sizeof writing;
		if (writes && known)
			writing[fd] = 1;
		note(f, writes ? FILE_WRITE : FILE_READ, known ? fd : -1, function, path, fp);
	}
	errno = before;
}

static void note_close(int fd)
{
	struct frame *f;
	if (!may_write(fd) || (f = commworld_caller()) == NULL)
		return;
	writing[fd] = 0;
	note(f, FILE_CLOSE, fd, "close", NULL, __builtin_frame_address(0));
}

/* The path that a name leads to, links in its directory resolved, the last one not. */
static char *path_in(int directory, const char *name)
{
	char full[PATH_MAX], resolved[PATH_MAX];
	const int n = directory == AT_FDCWD || name[0] == '/' ? snprintf(full, sizeof full, "%s%s", name[0] == '/' ? "" : "./", name)
	                                                      : snprintf(full, sizeof full, "/proc/self/fd/%d/%s", directory, name);
	if (n < 0 || (size_t)n >= sizeof full)
		return NULL;
	char *last = strrchr(full, '/'), *path;
	*last++ = 0;
	if (realpath(full[0] == 0 ? "/" : full, resolved) == NULL)
		return NULL;
	return asprintf(&path, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, last) < 0 ? NULL : path;
}

/* Calls for two names at most that have lost their files if the call succeeds. */
struct names { struct frame *f; char *path[2]; };

static struct names names_before(int directory, const char *name, int other, const char *to)
{
	const int before = errno;
	struct names n = {0};
	if (opened_by_mpi && (n.f = commworld_caller()) != NULL) {
		n.path[0] = path_in(directory, name);
		n.path[1] = to == NULL ? NULL : path_in(other, to);
	}
	errno = before;
	return n;
}

static int names_after(struct names n, int result, int kind, const char *function, void *fp)
{
	const int before = errno;
	for (int i = 0; i < 2; i++) {
		if (n.path[i] != NULL && result == 0)
			note(n.f, kind, -1, function, n.path[i], fp);
		else
			free(n.path[i]);
	}
	errno = before;
	return result;
}

/* Declares the mode that follows flags, if they need one. */
#define MODE(flags)                                     \
	mode_t mode = 0;                                \
	if ((flags) & (O_CREAT | __O_TMPFILE)) {        \
		va_list list;                           \
		va_start(list, flags);                  \
		mode = va_arg(list, mode_t);            \
		va_end(list);                           \
	}

#define OPEN(name)                                                        \
	int name(const char *path, int flags, ...)                        \
	{                                                                 \
		MODE(flags)                                               \
		const int fd = REAL(name)(path, flags, mode);             \
		note_open(fd, flags, "open", __builtin_frame_address(0)); \
		return fd;                                                \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
	int name(int directory, const char *path, int flags, ...)           \
	{                                                                   \
		MODE(flags)                                                 \
		const int fd = REAL(name)(directory, path, flags, mode);    \
		note_open(fd, flags, "openat", __builtin_frame_address(0)); \
		return fd;                                                  \
	}
OPENAT(openat)
OPENAT(openat64)

/* Of programs compiled with _FORTIFY_SOURCE. */
#define OPEN_2(name)                                                      \
	int name(const char *path, int flags);                            \
	int name(const char *path, int flags)                             \
	{                                                                 \
		const int fd = REAL(name)(path, flags);                   \
		note_open(fd, flags, "open", __builtin_frame_address(0)); \
		return fd;                                                \
	}
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                      \
	int name(int directory, const char *path, int flags);               \
	int name(int directory, const char *path, int flags)                \
	{                                                                   \
		const int fd = REAL(name)(directory, path, flags);          \
		note_open(fd, flags, "openat", __builtin_frame_address(0)); \
		return fd;                                                  \
	}
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define CREAT(name)                                                                             \
	int name(const char *path, mode_t mode)                                                 \
	{                                                                                       \
		const int fd = REAL(name)(path, mode);                                          \
		note_open(fd, O_WRONLY | O_CREAT | O_TRUNC, "creat", __builtin_frame_address(0)); \
		return fd;                                                                      \
	}
CREAT(creat)
CREAT(creat64)

static int flags_of(const char *mode)
{
	if (mode[0] != 'r' || strchr(mode, '+') != NULL)
		return O_RDWR;
	return O_RDONLY;
}

#define FOPEN(name)                                                                                \
	FILE *name(const char *path, const char *mode)                                             \
	{                                                                                          \
		FILE *f = REAL(name)(path, mode);                                                  \
		if (f != NULL)                                                                     \
			note_open(fileno(f), flags_of(mode), "fopen", __builtin_frame_address(0)); \
		return f;                                                                          \
	}
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(name)                                                                                \
	FILE *name(const char *path, const char *mode, FILE *stream)                                 \
	{                                                                                            \
		note_close(fileno(stream));                                                          \
		FILE *f = REAL(name)(path, mode, stream);                                            \
		if (f != NULL)                                                                       \
			note_open(fileno(f), flags_of(mode), "freopen", __builtin_frame_address(0)); \
		return f;                                                                            \
	}
FREOPEN(freopen)
FREOPEN(freopen64)

int close(int fd)
{
	static __typeof__(close) *real;
	if (real == NULL)
		real = REAL(close);
	note_close(fd);
	return real(fd);
}

int fclose(FILE *stream)
{
	static __typeof__(fclose) *real;
	if (real == NULL)
		real = REAL(fclose);
	note_close(fileno(stream));
	return real(stream);
}

#define TRUNCATE(name, offset)                                                                                     \
	int name(const char *path, offset size)                                                                    \
	{                                                                                                          \
		const int result = REAL(name)(path, size), before = errno;                                         \
		struct frame *f;                                                                                   \
		char *full;                                                                                        \
		if (result == 0 && (f = commworld_caller()) != NULL && (full = realpath(path, NULL)) != NULL)      \
			note(f, FILE_TRUNCATE, -1, "truncate", full, __builtin_frame_address(0));                  \
		errno = before;                                                                                    \
		return result;                                                                                     \
	}
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

int unlink(const char *name)
{
	const struct names n = names_before(AT_FDCWD, name, 0, NULL);
	return names_after(n, REAL(unlink)(name), FILE_REMOVE, "unlink", __builtin_frame_address(0));
}

int unlinkat(int directory, const char *name, int flags)
{
	const struct names n = names_before(directory, name, 0, NULL);
	return names_after(n, REAL(unlinkat)(directory, name, flags), FILE_REMOVE, "unlinkat", __builtin_frame_address(0));
}

int remove(const char *name)
{
	const struct names n = names_before(AT_FDCWD, name, 0, NULL);
	return names_after(n, REAL(remove)(name), FILE_REMOVE, "remove", __builtin_frame_address(0));
}

int rename(const char *name, const char *to)
{
	const struct names n = names_before(AT_FDCWD, name, AT_FDCWD, to);
	return names_after(n, REAL(rename)(name, to), FILE_RENAME, "rename", __builtin_frame_address(0));
}

int renameat(int directory, const char *name, int other, const char *to)
{
	const struct names n = names_before(directory, name, other, to);
	return names_after(n, REAL(renameat)(directory, name, other, to), FILE_RENAME, "renameat", __builtin_frame_address(0));
}

int renameat2(int directory, const char *name, int other, const char *to, unsigned flags)
{
	const struct names n = names_before(directory, name, other, to);
	return names_after(n, REAL(renameat2)(directory, name, other, to, flags), FILE_RENAME, "renameat2", __builtin_frame_address(0));
}

/* Frees a list of calls. */
void commworld_free_file_calls(struct file_call *c)
{
	while (c != NULL) {
		struct file_call *next = c->next;
		free(c->path);
		free(c);
		c = next;
	}
}
